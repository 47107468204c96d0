// Coulomb: a plan for the field of the charges, what excluded pairs have in it, and the surface.
#include <algorithm>
#include <cmath>
#include <farfield/coulomb.hpp>
#include <limits>
#include <numbers>
#include <string>

#include "core/number.hpp"
#include "model/error_model.hpp"
#include "plan/boundary.hpp"
#include "plan/composed/coulomb_sense.hpp"
#include "plan/composed/excluded_pairs.hpp"
#include "plan/repeating/box.hpp"
#include "plan/repeating/host_arrays.hpp"
#include "plan/threads.hpp"

namespace farfield {

namespace {

constexpr double loosest = 1e-3;  // of what two_charge_force asks for, before the forces are known
constexpr double spare = 0.5;     // plans that are made again: so that the next steps of a run need no other
constexpr double rounding = 1e-12;

double norm_of(const std::vector<double>& values) { return std::sqrt(squares_of(values)); }

/// L2 norms of what a plan gave for all pairs, and of what is left of it.
struct Norms {
  double potential = 0, field = 0, largest_charge = 0;
  double net_potential = 0, net_forces = 0;
};

}  // namespace

struct Coulomb::State {
  Options field;  ///< of the plan; its tolerance is `asked`
  CoulombOptions options;
  double tolerance, asked;
  Exclusions exclusions;
  HostPoints positions;
  std::vector<double> flat, gradient;  ///< positions and field, (N, 3)
  std::optional<UnitCell> cell;
  std::optional<Plan> plan;
  CoulombSums sums;

  State(const Options& given, const CoulombOptions& more, Exclusions pairs);
  void take_positions(HostPoints&& given);
  void place(const Points& given, const Options& in);
  void move_plan(const Points& next, const std::array<double, 9>& vectors);
  bool make_plan(double wanted);
  Norms sum_once(std::span<const double> charges);
  double needed_tolerance(const Norms& norms) const;
  void sum(std::span<const double> charges);
  void add_surface(std::span<const double> charges);
  void take_units(std::span<const double> charges);
  void describe(bool dipole_given);
  void evaluate(std::span<const double> charges, const std::optional<std::array<double, 3>>& dipole);
  bool has_surface() const { return dielectric_outside(options) > 0; }
};

Coulomb::State::State(const Options& given, const CoulombOptions& more, Exclusions pairs)
    : field(options_for_field(given)),
      options(more),
      tolerance(given.tolerance),
      asked(more.two_charge_force > 0 ? std::max(loosest, given.tolerance) : given.tolerance),
      exclusions(std::move(pairs)) {
  require_sense(options, field.periodic);
  if (!(tolerance > 0)) field.tolerance = asked = tolerance;  // a plan finds the words for it
}

static void require_same_count(const Exclusions& pairs, std::int64_t count) {
  if (pairs.particle_count() != 0 && pairs.particle_count() != count)
    throw Error(ErrorCode::input, "exclusions are of " + std::to_string(pairs.particle_count()) + " particles, but " +
                                      std::to_string(count) + " positions were given; make them of as many");
}

void Coulomb::State::take_positions(HostPoints&& given) {
  positions = std::move(given);
  const std::size_t count = positions.x.size();
  flat.resize(3 * count);
  for (std::size_t i = 0; i < count; ++i)
    flat[3 * i] = positions.x[i], flat[3 * i + 1] = positions.y[i], flat[3 * i + 2] = positions.z[i];
}

/// The vectors a, b, c.
static std::array<double, 9> vectors_of(const Options& o) {
  return {o.cell_x, o.cell_ay, o.cell_az, o.cell_bx, o.cell_y, o.cell_bz, o.cell_cx, o.cell_cy, o.cell_z};
}

/// The cell may be another. A plan whose positions are refused stays as it was.
void Coulomb::State::place(const Points& given, const Options& in) {
  if (given.softening) throw Error(ErrorCode::usage, "Coulomb sums are not softened; leave softening lengths out");
  require_same_count(exclusions, given.count);
  Options with = in;
  with.tolerance = asked;
  HostPoints next = read_host(given);
  if (plan)
    move_plan(next.view(), vectors_of(with));
  else
    plan = Plan(next.view(), with);
  field = with;
  cell.reset();
  if (field.periodic != Axes::none) cell.emplace(cell_of(field));
  take_positions(std::move(next));
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
      plan = Plan(positions.view(), tighter);
      field = tighter, asked = wanted;
      return true;
    } catch (const Error& why) {
      if (why.code() != ErrorCode::usage) throw;
    }
  return false;
}

/// Tin-foil potential, forces and virial with exclusions applied.
Norms Coulomb::State::sum_once(std::span<const double> charges) {
  const std::size_t count = charges.size();
  sums.potential.resize(count), sums.forces.resize(3 * count), gradient.resize(3 * count);
  sums.virial = {};
  Outputs outputs{sums.potential.data(), gradient.data()};
  if (field.virial) outputs.virial = sums.virial.data();
  plan->evaluate(strengths(charges), outputs);
  Norms norms;
  norms.potential = norm_of(sums.potential), norms.field = norm_of(gradient);
  for (std::size_t i = 0; i < count; ++i) {
    norms.largest_charge = std::max(norms.largest_charge, std::fabs(charges[i]));
    for (std::size_t a = 0; a < 3; ++a) sums.forces[3 * i + a] = -charges[i] * gradient[3 * i + a];
  }
  take_off(exclusions, cell ? &*cell : nullptr, flat, charges, settle_team(field.threads).threads, sums);
  norms.net_potential = norm_of(sums.potential), norms.net_forces = norm_of(sums.forces);
  return norms;
}

/// A plan errs by t |phi| in the potential and by t |grad phi| in the field, L2 norms, so that forces err by at most t
/// |q|max |grad phi|. What is left is to err by no more than `tolerance` of itself; or, with two_charge_force, the
/// root mean squares of the errors of forces and of energies q phi by no more than this of two unit charges 1 Angstrom
/// apart.
double Coulomb::State::needed_tolerance(const Norms& n) const {
  double potential = n.net_potential, forces = n.net_forces;
  if (options.two_charge_force > 0) {
    const double constant = options.coulomb_constant, force = options.two_charge_force;
    const double root = std::sqrt(static_cast<double>(positions.count()));
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

void Coulomb::State::sum(std::span<const double> charges) {
  for (;;) {
    const double needed = needed_tolerance(sum_once(charges));
    sums.report = plan->report();
    const bool exact = field.periodic == Axes::none && sums.report.method == word_of(Method::direct) &&
                       sums.report.precision == word_of(Precision::double_);
    if (exact || asked <= needed * (1 + rounding)) return;
    if (make_plan(spare * needed)) continue;
    sums.report.warnings.push_back(warning_of(field, tolerance, asked, needed));
    return;
  }
}

/// A sphere of cells in a medium of dielectric constant e has U = 2 pi D^2 / ((2 e + 1) V) beside the tin-foil sum (de
/// Leeuw, Perram & Smith, Proc. R. Soc. A 373 (1980) 27), whose derivatives these are.
void Coulomb::State::add_surface(std::span<const double> charges) {
  const double strength = 4 * std::numbers::pi / ((2 * dielectric_outside(options) + 1) * cell->measure());
  const Vector3& moment = sums.dipole;
  const double energy = 0.5 * strength * dot(moment, moment);
  sums.energy += energy;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const double* x = &flat[3 * i];
    sums.potential[i] += strength * (x[0] * moment[0] + x[1] * moment[1] + x[2] * moment[2]);
    for (std::size_t a = 0; a < 3; ++a) sums.forces[3 * i + a] -= strength * charges[i] * moment[a];
  }
  if (!field.virial) return;
  for (std::size_t s = 0; s < 3; ++s) sums.virial[s] += energy - strength * moment[s] * moment[s];
  sums.virial[3] -= strength * moment[0] * moment[1];
  sums.virial[4] -= strength * moment[0] * moment[2];
  sums.virial[5] -= strength * moment[1] * moment[2];
}

/// Multiplies by the constant, then energies of particles and what forces add up to.
void Coulomb::State::take_units(std::span<const double> charges) {
  const double constant = options.coulomb_constant;
  const std::size_t count = charges.size();
  sums.energy *= constant;
  for (double& value : sums.virial) value *= constant;
  for (double& value : sums.potential) value *= constant;
  for (double& value : sums.forces) value *= constant;
  sums.energies.resize(count);
  sums.net_force = {};
  for (std::size_t i = 0; i < count; ++i) {
    sums.energies[i] = 0.5 * charges[i] * sums.potential[i];
    for (std::size_t a = 0; a < 3; ++a) sums.net_force[a] += sums.forces[3 * i + a];
  }
  sums.rms_force = count > 0 ? norm_of(sums.forces) / std::sqrt(static_cast<double>(count)) : 0;
  if (!options.remove_net_force) return;
  for (std::size_t k = 0; k < 3 * count; ++k) sums.forces[k] -= sums.net_force[k % 3] / static_cast<double>(count);
}

void Coulomb::State::describe(bool dipole_given) {
  Report& r = sums.report;
  r.tolerance = tolerance;
  if (exclusions.pair_count() > 0)
    r.choices.push_back({"exclusions", std::to_string(exclusions.pair_count()),
                         "pairs that are left out or scaled, at their shortest image"});
  if (asked != tolerance)
    r.choices.push_back({"tolerance", number(asked), "of the sum over all pairs, so that what is left keeps its own"});
  if (has_surface() && !dipole_given)
    r.warnings.emplace_back(
        "the dipole is the sum of q x of the positions as they are; a molecule that the border of the cell breaks "
        "changes "
        "it: pass whole molecules, or dipole");
}

void Coulomb::State::evaluate(std::span<const double> charges, const std::optional<std::array<double, 3>>& dipole) {
  if (std::ssize(charges) != positions.count())
    throw Error(ErrorCode::input, std::to_string(charges.size()) + " charges were given for " +
                                      std::to_string(positions.count()) + " particles; pass one for each");
  require_sense(options, field.periodic, charges);
  for (std::size_t a = 0; dipole && a < 3; ++a)
    if (!std::isfinite((*dipole)[a]))
      throw Error(ErrorCode::input, std::string("component ") + "xyz"[a] + " of the dipole is no finite number");
  sum(charges);
  sums.charge = sums.energy = 0, sums.dipole = {};
  for (std::size_t i = 0; i < charges.size(); ++i) {
    sums.charge += charges[i];
    sums.energy += 0.5 * charges[i] * sums.potential[i];
    for (std::size_t a = 0; a < 3; ++a) sums.dipole[a] += charges[i] * flat[3 * i + a];
  }
  if (dipole) sums.dipole = *dipole;
  if (has_surface()) add_surface(charges);
  take_units(charges);
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
  guarded([&] { state_->evaluate(charges, dipole); });
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
    require_same_count(exclusions, state_->positions.count());
    state_->exclusions = std::move(exclusions);
  });
}

std::int64_t Coulomb::particle_count() const { return state_->positions.count(); }
const Report& Coulomb::report() const { return state_->sums.report; }

void Coulomb::validate(const Options& options, const CoulombOptions& more, std::span<const double> charges) {
  guarded([&] {
    const Options field = options_for_field(options);
    validate_periodic(field);
    require_sense(more, field.periodic);
    require_sense(more, field.periodic, charges);
  });
}

}  // namespace farfield
