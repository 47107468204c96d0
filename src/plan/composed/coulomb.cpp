// Coulomb: a plan for the field of the charges, what excluded pairs have in it, and the surface.
#include <algorithm>
#include <cmath>
#include <farfield/coulomb.hpp>
#include <limits>
#include <numbers>
#include <string>

#include "core/number.hpp"
#include "model/error_model.hpp"
#include "plan/backends.hpp"
#include "plan/boundary.hpp"
#include "plan/composed/coulomb_sense.hpp"
#include "plan/composed/host_molecules.hpp"
#include "plan/repeating/box.hpp"
#include "plan/report/replays.hpp"
#include "plan/threads.hpp"
#include "plan/validate.hpp"

namespace farfield {

namespace {

constexpr double loosest = 1e-3;  // of what two_charge_force asks for, before the forces are known
constexpr double spare = 0.5;     // plans that are made again: so that the next steps of a run need no other
constexpr double rounding = 1e-12;

}  // namespace

struct Coulomb::State {
  Options field;  ///< of the plan; its tolerance is `asked`
  CoulombOptions options;
  double tolerance, asked;
  Exclusions exclusions;
  std::unique_ptr<MoleculeSums> molecules = std::make_unique<HostMolecules>();
  bool on_device = false;  ///< these
  std::optional<UnitCell> cell;
  std::optional<Plan> plan;
  CoulombSums sums;

  State(const Options& given, const CoulombOptions& more, Exclusions pairs);
  void require_own_device() const;
  void place(const Points& given, const Options& in);
  void move_plan(const Points& next, const std::array<double, 9>& vectors);
  void use_device();
  bool make_plan(double wanted);
  MoleculeTask task_with(const std::optional<std::array<double, 3>>& dipole) const;
  double needed_tolerance(const MoleculeTotals& totals) const;
  MoleculeTotals sum(const Strengths& charges, const CoulombOutputs& outputs, const MoleculeTask& task);
  void add_surface(double strength);
  void take_totals(const MoleculeTotals& totals, const MoleculeTask& task);
  void describe(bool dipole_given);
  void require(const Strengths& charges, const CoulombOutputs& outputs) const;
  void capture(const Strengths& charges, const CoulombOutputs& outputs, MoleculeTask task);
  void evaluate(const Strengths& charges, const CoulombOutputs& outputs,
                const std::optional<std::array<double, 3>>& dipole);
};

Coulomb::State::State(const Options& given, const CoulombOptions& more, Exclusions pairs)
    : field(options_for_field(given)),
      options(more),
      tolerance(given.tolerance),
      asked(more.two_charge_force > 0 ? std::max(loosest, given.tolerance) : given.tolerance),
      exclusions(std::move(pairs)) {
  require_sense(options, field.periodic);
  if (!(tolerance > 0)) field.tolerance = asked = tolerance;  // a plan finds the words for it
  molecules->exclude(exclusions);
}

static void require_same_count(const Exclusions& pairs, std::int64_t count) {
  if (pairs.particle_count() != 0 && pairs.particle_count() != count)
    throw Error(ErrorCode::input, "exclusions are of " + std::to_string(pairs.particle_count()) + " particles, but " +
                                      std::to_string(count) + " positions were given; make them of as many");
}

/// The vectors a, b, c.
static std::array<double, 9> vectors_of(const Options& o) {
  return {o.cell_x, o.cell_ay, o.cell_az, o.cell_bx, o.cell_y, o.cell_bz, o.cell_cx, o.cell_cy, o.cell_z};
}

/// A forked process has neither the device's memory nor its context.
void Coulomb::State::require_own_device() const {
  if (on_device && devices_lost_by_fork())
    throw Error(ErrorCode::device,
                "the sum was planned on a CUDA device before this process was forked, which cannot use it; make it in "
                "the process that uses it");
}

/// The cell may be another. A plan whose positions are refused stays as it was.
void Coulomb::State::place(const Points& given, const Options& in) {
  if (given.softening) throw Error(ErrorCode::usage, "Coulomb sums are not softened; leave softening lengths out");
  require_same_count(exclusions, given.count);
  require_own_device();
  Options with = in;
  with.tolerance = asked;
  if (is_captured(given.space, given.stream) && (!on_device || vectors_of(with) != vectors_of(field)))
    require_captured_move(false);
  std::unique_ptr<MoleculeSums> other;
  if (given.space == MemorySpace::device && !on_device) {
    resolve_machine(with, true);
    other = make_device_molecules();
    other->exclude(exclusions);
  }
  const Points next = (other ? *other : *molecules).read(given);
  if (plan)
    move_plan(next, vectors_of(with));
  else
    plan = Plan(next, with);
  if (other) molecules = std::move(other), on_device = true;
  molecules->accept();
  field = with;
  cell.reset();
  if (field.periodic != Axes::none) cell.emplace(cell_of(field));
  if (!on_device && plan->report().backend == word_of(Backend::cuda)) use_device();
}

/// Where the plan has gone, all else goes, too.
void Coulomb::State::use_device() {
  std::unique_ptr<MoleculeSums> other = make_device_molecules();
  other->exclude(exclusions);
  other->read(molecules->positions());
  other->accept();
  molecules = std::move(other), on_device = true;
}

void Coulomb::State::move_plan(const Points& next, const std::array<double, 9>& vectors) {
  const std::array<double, 9> present = vectors_of(field);
  if (vectors == present) return plan->move(next);
  plan->set_cell(vectors);
  try {
    plan->move(next);
  } catch (...) {
    plan->set_cell(present);  // the other one would wait for the next move
    throw;
  }
}

/// Another plan for the same positions, with this tolerance or the tightest below the present one that they allow;
/// false where there is none.
bool Coulomb::State::make_plan(double wanted) {
  Options tighter = field;
  for (wanted = std::max(wanted, reachable_tolerance(field.precision)); wanted < asked; wanted *= 2) try {
      tighter.tolerance = wanted;
      plan = Plan(molecules->positions(), tighter);
      field = tighter, asked = wanted;
      return true;
    } catch (const Error& why) {
      if (why.code() != ErrorCode::usage) throw;
    }
  return false;
}

/// A plan errs by t |phi| in the potential and by t |grad phi| in the field, L2 norms, so that forces err by at most t
/// |q|max |grad phi|. What is left is to err by no more than `tolerance` of itself; or, with two_charge_force, the
/// root mean squares of the errors of forces and of energies q phi by no more than this of two unit charges 1 Angstrom
/// apart.
double Coulomb::State::needed_tolerance(const MoleculeTotals& n) const {
  double potential = n.net_potential, forces = n.net_forces;
  if (options.two_charge_force > 0) {
    const double constant = options.coulomb_constant, force = options.two_charge_force;
    const double root = std::sqrt(static_cast<double>(molecules->positions().count));
    forces = root * force / constant;
    potential = n.largest_charge > 0 ? root * std::sqrt(constant * force) / constant / n.largest_charge : 0;
  }
  double share = options.two_charge_force > 0 ? loosest / tolerance : 1;
  if (n.potential > 0 && judged_from(field) == 0) share = std::min(share, potential / n.potential);
  if (n.field > 0 && n.largest_charge > 0) share = std::min(share, forces / (n.largest_charge * n.field));
  return tolerance * share;
}

static std::string warning_of(const Options& field, double tolerance, double asked, double needed) {
  const bool single = field.precision == Precision::single_;
  return "the sum over all pairs keeps " + number(asked, 1) + " of itself, which may be more than " +
         number(tolerance, 1) + " of the forces or potentials that are left; use " +
         (single ? "precision double or " : "") + "tolerance " + number(1.1 * tolerance * asked / needed, 2);
}

MoleculeTask Coulomb::State::task_with(const std::optional<std::array<double, 3>>& dipole) const {
  MoleculeTask task{cell ? &*cell : nullptr, settle_team(field.threads).threads};
  const double outside = dielectric_outside(options);
  if (outside > 0) task.surface = 4 * std::numbers::pi / ((2 * outside + 1) * cell->measure());
  task.dipole = dipole;
  task.constant = options.coulomb_constant;
  task.remove_net_force = options.remove_net_force;
  return task;
}

MoleculeTotals Coulomb::State::sum(const Strengths& charges, const CoulombOutputs& outputs, const MoleculeTask& task) {
  for (;;) {
    Outputs of_plan = molecules->field();
    sums.virial = {};
    if (field.virial) of_plan.virial = sums.virial.data();
    plan->evaluate(charges, of_plan);
    const MoleculeTotals totals = molecules->finish(task, outputs, sums.virial);
    const double needed = needed_tolerance(totals);
    sums.report = plan->report();
    const bool exact = field.periodic == Axes::none && sums.report.method == word_of(Method::direct) &&
                       sums.report.precision == word_of(Precision::double_);
    if (exact || asked <= needed * (1 + rounding)) return totals;
    if (make_plan(spare * needed)) continue;
    sums.report.warnings.push_back(warning_of(field, tolerance, asked, needed));
    return totals;
  }
}

/// A sphere of cells in a medium of dielectric constant e has U = 2 pi D^2 / ((2 e + 1) V) beside the tin-foil sum (de
/// Leeuw, Perram & Smith, Proc. R. Soc. A 373 (1980) 27). `strength`: 4 pi / ((2 e + 1) V).
void Coulomb::State::add_surface(double strength) {
  const Vector3& moment = sums.dipole;
  const double energy = 0.5 * strength * dot(moment, moment);
  sums.energy += energy;
  if (!field.virial) return;
  for (std::size_t s = 0; s < 3; ++s) sums.virial[s] += energy - strength * moment[s] * moment[s];
  sums.virial[3] -= strength * moment[0] * moment[1];
  sums.virial[4] -= strength * moment[0] * moment[2];
  sums.virial[5] -= strength * moment[1] * moment[2];
}

void Coulomb::State::take_totals(const MoleculeTotals& totals, const MoleculeTask& task) {
  sums.charge = totals.charge, sums.energy = totals.energy;
  sums.dipole = task.dipole.value_or(totals.dipole);
  if (task.surface > 0) add_surface(task.surface);
  sums.energy *= task.constant;
  for (double& value : sums.virial) value *= task.constant;
  sums.net_force = totals.net_force, sums.rms_force = totals.rms_force;
}

void Coulomb::State::describe(bool dipole_given) {
  Report& r = sums.report;
  r.tolerance = tolerance;
  if (exclusions.pair_count() > 0)
    r.choices.push_back({"exclusions", std::to_string(exclusions.pair_count()),
                         "pairs that are left out or scaled, at their shortest image"});
  if (asked != tolerance)
    r.choices.push_back({"tolerance", number(asked), "of the sum over all pairs, so that what is left keeps its own"});
  if (dielectric_outside(options) > 0 && !dipole_given)
    r.warnings.emplace_back(
        "the dipole is the sum of q x of the positions as they are; a molecule that the border of the cell breaks "
        "changes "
        "it: pass whole molecules, or dipole");
}

void Coulomb::State::require(const Strengths& charges, const CoulombOutputs& outputs) const {
  const std::int64_t count = molecules->positions().count;
  if (charges.count != count)
    throw Error(ErrorCode::input, std::to_string(charges.count) + " charges were given for " + std::to_string(count) +
                                      " particles; pass one for each");
  if (charges.vectors != 1 || charges.dipoles)
    throw Error(ErrorCode::usage, "Coulomb sums are of one set of charges without dipoles; pass one, or use a Plan");
  require_own_device();
  farfield::validate(charges, count, false, on_device);
  if (outputs.space != MemorySpace::host && !on_device)
    throw Error(ErrorCode::device,
                "results are in device memory, but these Coulomb sums run on the cpu; pass host memory");
}

/// Launches alone. The plan repeats its last evaluation; whether that is accurate enough is not asked.
void Coulomb::State::capture(const Strengths& charges, const CoulombOutputs& outputs, MoleculeTask task) {
  Outputs of_caller;
  of_caller.space = outputs.space, of_caller.stream = outputs.stream;
  require_captured_memory(charges, of_caller);
  task.captured = true;
  plan->evaluate(molecules->take(charges, outputs), molecules->field());
  molecules->finish(task, outputs, sums.virial);
}

void Coulomb::State::evaluate(const Strengths& charges, const CoulombOutputs& outputs,
                              const std::optional<std::array<double, 3>>& dipole) {
  require(charges, outputs);
  for (std::size_t a = 0; dipole && a < 3; ++a)
    if (!std::isfinite((*dipole)[a]))
      throw Error(ErrorCode::input, std::string("component ") + "xyz"[a] + " of the dipole is no finite number");
  if (is_captured(charges.space, charges.stream)) return capture(charges, outputs, task_with(dipole));
  const Strengths taken = molecules->take(charges, outputs);
  if (depends_on_net(options, field.periodic)) {
    const MoleculeSums::Net net = molecules->net();
    require_sense(options, field.periodic, net.sum, net.size);
  }
  const MoleculeTask task = task_with(dipole);
  take_totals(sum(taken, outputs, task), task);
  describe(dipole.has_value());
}

Coulomb::Coulomb(const Points& positions, const Options& options, const CoulombOptions& more, Exclusions exclusions) {
  guarded([&] {
    state_ = std::make_unique<State>(options, more, std::move(exclusions));
    state_->place(positions, state_->field);
  });
}
Coulomb::Coulomb(Coulomb&&) noexcept = default;
Coulomb& Coulomb::operator=(Coulomb&&) noexcept = default;
Coulomb::~Coulomb() = default;

const CoulombSums& Coulomb::evaluate(std::span<const double> charges,
                                     const std::optional<std::array<double, 3>>& dipole) {
  guarded([&] {
    CoulombSums& sums = state_->sums;
    const auto count = static_cast<std::size_t>(particle_count());
    sums.potential.resize(count), sums.forces.resize(3 * count), sums.energies.resize(count);
    state_->evaluate(strengths(charges), {sums.potential.data(), sums.forces.data(), sums.energies.data()}, dipole);
  });
  return state_->sums;
}

const CoulombSums& Coulomb::evaluate(const Strengths& charges, const CoulombOutputs& outputs,
                                     const std::optional<std::array<double, 3>>& dipole) {
  guarded([&] {
    CoulombSums& sums = state_->sums;
    sums.potential.clear(), sums.forces.clear(), sums.energies.clear();
    state_->evaluate(charges, outputs, dipole);
  });
  return state_->sums;
}

void Coulomb::move(const Points& positions) {
  guarded([&] { state_->place(positions, state_->field); });
}

void Coulomb::move(const Points& positions, const std::array<double, 9>& cell) {
  guarded([&] {
    Options in = state_->field;
    double* const at[9] = {&in.cell_x,  &in.cell_ay, &in.cell_az, &in.cell_bx, &in.cell_y,
                           &in.cell_bz, &in.cell_cx, &in.cell_cy, &in.cell_z};
    for (std::size_t k = 0; k < 9; ++k)
      if (static_cast<unsigned>(in.periodic) >> (k / 3) & 1) *at[k] = cell[k];
    state_->place(positions, in);
  });
}

void Coulomb::exclude(Exclusions exclusions) {
  guarded([&] {
    State& s = *state_;
    require_same_count(exclusions, s.molecules->positions().count);
    s.require_own_device();
    s.exclusions = std::move(exclusions);
    s.molecules->exclude(s.exclusions);
  });
}

void Coulomb::check_replays() const { state_->plan->check_replays(); }

std::int64_t Coulomb::particle_count() const { return state_->molecules->positions().count; }
const Report& Coulomb::report() const { return state_->sums.report; }

void Coulomb::validate(const Options& options, const CoulombOptions& more, std::span<const double> charges) {
  guarded([&] {
    const Options field = options_for_field(options);
    validate_periodic(field);
    require_sense(more, field.periodic);
    double net = 0, size = 0;
    for (const double q : charges) net += q, size += std::fabs(q);
    require_sense(more, field.periodic, net, size);
  });
}

}  // namespace farfield
