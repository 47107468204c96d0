#include "solver.hpp"

#include <algorithm>
#include <cmath>

namespace farfield::lammps {

namespace {

constexpr double loosest_tolerance = 1e-3;  // looser ones save no time: of 32,000 atoms 7e-3 takes longer than 1e-3
constexpr double margin = 0.7;              // for a field that grows: a plan is made again where it grows by 1/0.7

double root_mean_square(const std::vector<double>& values, std::size_t count) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

double largest(const std::vector<double>& charges) {
  double size = 0;
  for (const double q : charges) size = std::max(size, std::fabs(q));
  return size;
}

Options with_box(Options options, const Box& box) {
  const auto [x, y, z] = box.periodic;
  options.periodic = static_cast<Axes>(x + 2 * y + 4 * z);
  options.cell_x = x ? box.length[0] : 0;
  options.cell_y = y ? box.length[1] : 0, options.cell_bx = y ? box.xy : 0;
  options.cell_z = z ? box.length[2] : 0, options.cell_cx = z ? box.xz : 0, options.cell_cy = z ? box.yz : 0;
  return options;
}

std::array<double, 9> vectors_of(const Options& o) {
  return {o.cell_x, 0, 0, o.cell_bx, o.cell_y, 0, o.cell_cx, o.cell_cy, o.cell_z};
}

bool same_cell(const Options& a, const Options& b) {
  return a.periodic == b.periodic && vectors_of(a) == vectors_of(b);
}

}  // namespace

void Solver::set_accuracy(double force, double energy) {
  if (force == force_accuracy_ && energy == energy_accuracy_) return;
  force_accuracy_ = force, energy_accuracy_ = energy;
  measured_ = false, options_.tolerance = loosest_tolerance;
  forget_plans();
}

/// Plans go with a cell that a barostat changes: what their evaluations needed is not found anew.
void Solver::set_box(const Box& box) {
  const Options changed = with_box(options_, box);
  if (same_cell(changed, options_)) return;
  const bool same_axes = changed.periodic == options_.periodic;
  options_ = changed;
  if (!same_axes) return forget_plans();
  for (const auto& plan : plan_)
    if (plan) plan->set_cell(vectors_of(options_));
}

const Sums& Solver::evaluate(const std::vector<double>& xyz, const std::vector<double>& charges, bool virial) {
  do run(xyz, charges, virial);
  while (!reaches_accuracy(charges));
  return sums_;
}

void Solver::run(const std::vector<double>& xyz, const std::vector<double>& charges, bool virial) {
  const Points at = points(xyz);
  Options options = options_;
  options.gradient = true, options.virial = virial;
  std::unique_ptr<Plan>& plan = plan_[last_ = virial];
  if (plan)
    plan->move(at);
  else
    plan = std::make_unique<Plan>(at, options);
  sums_.potential.resize(charges.size()), sums_.gradient.resize(3 * charges.size());
  Outputs outputs{sums_.potential.data(), sums_.gradient.data()};
  if (virial) outputs.virial = sums_.virial.data();
  plan->evaluate(strengths(charges), outputs);
}

/// Farfield promises |error of grad u| <= tolerance |grad u| in L2 norms, and the same of u; so the root mean square of
/// the error of forces q grad u is at most the largest charge times tolerance times the root mean square of grad u.
double Solver::allowed_tolerance(const std::vector<double>& charges) const {
  const double force = largest(charges) * root_mean_square(sums_.gradient, charges.size());
  const double energy = largest(charges) * root_mean_square(sums_.potential, charges.size());
  double allowed = loosest_tolerance;
  if (force > 0) allowed = std::min(allowed, force_accuracy_ / force);
  if (energy > 0) allowed = std::min(allowed, energy_accuracy_ / energy);
  return allowed;
}

/// False where the sums have to be repeated, with another tolerance: as a rule after the first, which shows how strong
/// the field is.
bool Solver::reaches_accuracy(const std::vector<double>& charges) {
  const double allowed = allowed_tolerance(charges);
  measured_ = options_.tolerance <= allowed;
  if (measured_) return true;
  options_.tolerance = margin * allowed;
  forget_plans();
  return false;
}

const Report* Solver::report() const { return plan_[last_] ? &plan_[last_]->report() : nullptr; }

double Solver::memory() const {
  double bytes = 8 * static_cast<double>(sums_.potential.size() + sums_.gradient.size());
  for (const auto& plan : plan_)
    if (plan) bytes += static_cast<double>(plan->report().memory_bytes);
  return bytes;
}

}  // namespace farfield::lammps
