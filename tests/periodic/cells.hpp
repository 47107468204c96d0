// Plans in periodic cells, for tests against the slow Ewald sums.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <farfield/farfield.hpp>

#include "periodic/crystals.hpp"
#include "support/measure.hpp"

namespace farfield::testing {

inline Options in_cell(const Rows& cell, const Axes& axes, double tolerance) {
  Options o;
  o.tolerance = tolerance;
  o.gradient = true;
  double* const at[3][3] = {
      {&o.cell_x, &o.cell_ay, &o.cell_az}, {&o.cell_bx, &o.cell_y, &o.cell_bz}, {&o.cell_cx, &o.cell_cy, &o.cell_z}};
  unsigned bits = 0;
  for (int i = 0; i < 3; ++i)
    for (int component = 0; axes[i] && component < 3; ++component)
      *at[i][component] = cell[i][component], bits |= 1u << i;
  o.periodic = static_cast<farfield::Axes>(bits);
  return on_tested_backend(o);
}

inline std::vector<double> flat(const std::vector<Vec>& x) {
  std::vector<double> all;
  for (const Vec& p : x)
    for (const Real value : p) all.push_back(static_cast<double>(value));
  return all;
}

/// Ions in pairs, as molecules are; not wrapped.
struct Ions {
  std::vector<double> x, q;
};
inline Ions ions(std::int64_t pairs, const Rows& cell, double apart, Stream& random) {
  Ions all;
  for (std::int64_t i = 0; i < pairs; ++i) {
    const double at[3] = {random.between(-1, 2), random.between(-1, 2), random.between(-1, 2)};
    for (const double q : {1.0, -1.0}) {
      for (std::size_t a = 0; a < 3; ++a)
        all.x.push_back(at[0] * cell[0][a] + at[1] * cell[1][a] + at[2] * cell[2][a] + random.between(-apart, apart));
      all.q.push_back(q);
    }
  }
  return all;
}

template <class Make>
void expect_refusal(const char* sentence, Make&& make) {
  try {
    make();
    ADD_FAILURE() << "nothing refused: " << sentence;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(sentence), std::string::npos) << e.what();
  }
}

}  // namespace farfield::testing
