// Ions that walk in a cell, and what a plan that follows them is compared with.
#pragma once
#include <algorithm>
#include <string>

#include "periodic/cells.hpp"
#include "support/random.hpp"

namespace farfield::testing {

struct Errors {
  double potential, gradient;
  double worst() const { return std::max(potential, gradient); }
};

/// Against a plan in double of the same points, to `tolerance`.
inline Errors errors_of(const Result<double>& found, const Ions& at, Options o, double tolerance = 1e-10) {
  o.precision = Precision::double_, o.tolerance = tolerance, o.skin = 0, o.tolerance_for = ToleranceFor::all;
  o.virial = false;
  const Result<double> exact = Plan(points(at.x), o).evaluate<double>(at.q);
  return {relative_difference(found.potential, exact.potential), relative_difference(found.gradient, exact.gradient)};
}

/// Some ions are given in another image, as by a code that wraps them itself.
inline void step(Stream& random, Ions& at, const Rows& cell, const Axes& axes, double most) {
  for (double& x : at.x) x += most * random.between(-1, 1);
  for (std::size_t i = 0; i + 2 < at.x.size(); i += 3 * 7) {
    const auto vector = static_cast<std::size_t>(random.below(3));
    const double times = random.unit() < 0.5 ? -1 : 2;
    for (std::size_t a = 0; a < 3 && axes[vector]; ++a) at.x[i + a] += times * cell[vector][a];
  }
}

/// How the cell is cut into blocks, and the degree of their expansions.
inline std::string blocks_of(const Report& report) {
  for (const Choice& choice : report.choices)
    if (choice.name == "blocks") return choice.value + " " + choice.reason;
  return "";
}

}  // namespace farfield::testing
