#include "cli/report/sums.hpp"

#include <sys/resource.h>

#include "cli/compute.hpp"

namespace farfield::cli {
namespace {

Difference difference(const std::vector<double>& ours, const std::vector<double>& theirs) {
  Difference d;
  if (ours.empty() || ours.size() != theirs.size()) return d;
  d.there = true;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    d.squares += (ours[i] - theirs[i]) * (ours[i] - theirs[i]);
    d.of_theirs += theirs[i] * theirs[i];
  }
  return d;
}

void add(Difference& to, const Difference& one) {
  to.squares += one.squares, to.of_theirs += one.of_theirs;
  to.there = to.there || one.there;
}

}  // namespace

Sums sums_of(const Computation& c) {
  Sums sums;
  const std::vector<double>&q = c.sources.strengths, &u = c.result.potential;
  if (!c.targets && q.size() == u.size())
    for (std::size_t i = 0; i < u.size(); ++i) sums.energy += 0.5 * q[i] * u[i];
  for (const double strength : q) sums.masses = sums.masses && strength >= 0;
  sums.potential = difference(u, c.at().reference_potential);
  sums.gradient = difference(c.result.gradient, c.at().reference_gradient);
  sums.hessian = difference(c.result.hessian, c.at().reference_hessian);
  return sums;
}

std::int64_t peak_of_process() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;  // Linux counts KiB
}

void add(Sums& to, const Sums& one) {
  to.energy += one.energy;
  to.masses = to.masses && one.masses;
  add(to.potential, one.potential);
  add(to.gradient, one.gradient);
  add(to.hessian, one.hessian);
}

}  // namespace farfield::cli
