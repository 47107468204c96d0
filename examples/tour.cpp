// What docs/quickstart.md shows of C++, letter for letter between the two marks; around it what it takes for granted.
#include <cmath>
#include <cstdio>
#include <farfield/farfield.hpp>
#include <vector>

static bool near(const std::vector<double>& u, const std::vector<double>& v) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < u.size(); ++i) error += std::pow(u[i] - v[i], 2), size += std::pow(v[i], 2);
  return u.size() == v.size() && error <= 1e-18 * size;
}

int main() {
  const std::int64_t n = 3, count = 2;
  const std::vector<double> xyz = {0, 0, 0, 2, 0, 0, 0, 3, 0}, q = {3, -4, 1}, other_q = {1, 1, 1};
  const double x[] = {1, 4}, y[] = {0, 0}, z[] = {0, 3};
  const std::vector<double> four_q = {3, -4, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::vector<double> u(4 * count), g(4 * count * 3);
  const std::vector<double> lengths = {1, 1, 0.4};
  const farfield::Points new_sources = farfield::points(xyz), new_targets = farfield::points(xyz);

  // shown
  farfield::Options options;  // a plain aggregate, all fields have defaults: options.hpp
  options.tolerance = 1e-9;
  options.gradient = true;

  // Points are views: nothing is copied until the plan is made.
  auto sources = farfield::points(xyz);             // std::vector or std::span of 3 n float or double: x y z x y z ...
  auto targets = farfield::points(x, y, z, count);  // or three arrays; strides are allowed in both forms

  farfield::Plan plan(sources, targets, options);  // tree, lists, tables
  auto result = plan.evaluate(q);                  // result.potential[i], result.gradient[3 * i + axis]
  result = plan.evaluate(other_q);                 // an iterative solver calls this again and again

  plan.evaluate(farfield::strengths(four_q, n, 4),  // four strength vectors in one call, into memory of your own
                {.potential = u.data(), .gradient = g.data()});

  auto exact = farfield::direct_sum<double>(sources, q, targets, options);  // O(N M)

  plan.move(new_sources, new_targets);             // the next time step
  const farfield::Report& report = plan.report();  // seconds per stage, choices and reasons, warnings, measured error

  options.softening = 0.05;                                  // 1 / sqrt(r^2 + 0.05^2)
  options.softening_kind = farfield::SofteningKind::spline;  // or GADGET's spline: 1/r from r = 2.8 x 0.05 on
  auto softened = farfield::Plan(sources, options).evaluate(q);

  farfield::Points halo_and_disc = sources;
  halo_and_disc.softening = lengths.data();  // a length for each point; a pair has the longer one (spline)
  softened = farfield::Plan(halo_and_disc, options).evaluate(q);
  // end

  const bool right = near(exact.potential, {-1 + 1 / std::sqrt(10), 0.6 - 4 / std::sqrt(13) + 1 / std::sqrt(34)}) &&
                     near({u[0], u[1]}, exact.potential) && softened.potential.size() == 3 && report.targets == 3 &&
                     result.potential.size() == 2;
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
