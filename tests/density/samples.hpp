// Samples that other programs can make, too: quantiles of the logistic distribution at places that fill (0, 1) evenly.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "density/estimate.hpp"

namespace farfield::density::testing {

inline double fraction(double x) { return x - std::floor(x); }
inline double logistic(double u) { return std::log(u / (1 - u)); }
inline double golden(int i) { return logistic(fraction(i * 0.6180339887498949 + 0.5)); }
inline double plastic(int i) { return logistic(fraction(i * 0.7548776662466927 + 0.25)); }

inline std::vector<double> ones(int n) { return std::vector<double>(static_cast<std::size_t>(n), 1.0); }
/// 1, 2, 3, 1, 2, 3, ...
inline std::vector<double> uneven(int n) {
  std::vector<double> w;
  for (int i = 0; i < n; ++i) w.push_back(1 + i % 3);
  return w;
}

/// 600 around -3 with scale 0.3, 400 around 2 with scale 1.
inline Sample mixture() {
  Sample s{1, {}, ones(1000)};
  for (int i = 0; i < 1000; ++i) s.positions.push_back(i < 600 ? -3 + 0.3 * golden(i) : 2 + golden(i));
  return s;
}

/// x, and half of it plus another.
inline Sample slanted(int n = 1000) {
  Sample s{2, {}, ones(n)};
  for (int i = 0; i < n; ++i) s.positions.insert(s.positions.end(), {golden(i), 0.5 * golden(i) + plastic(i)});
  return s;
}

/// Direct sums in double: no other error than rounding.
inline Options exact() {
  Options o;
  o.method = Method::direct, o.precision = Precision::double_, o.backend = Backend::cpu, o.threads = 1;
  o.tolerance = 1e-12;
  return o;
}

inline void expect_error(ErrorCode code, const std::string& part, const std::function<void()>& action) {
  try {
    action();
    ADD_FAILURE() << "nothing was thrown; expected: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace farfield::density::testing
