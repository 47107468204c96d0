// What plans report, compared.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <farfield/options.hpp>
#include <farfield/report.hpp>

namespace farfield::testing {

inline bool was_repeated(const Report& r) {
  return std::any_of(r.choices.begin(), r.choices.end(), [](const Choice& c) { return c.name == "evaluated again"; });
}

inline std::vector<std::int64_t> counts_of(const Report& r) {
  return {r.sources, r.targets, r.boxes, r.levels, r.leaves, r.p2p_boxes, r.m2l_boxes, r.m2p_boxes, r.p2l_boxes};
}

/// What is decided.
inline void expect_same_plan(const Report& all, const Report& one) {
  EXPECT_EQ(all.method, one.method);
  EXPECT_EQ(all.precision, one.precision);
  EXPECT_EQ(all.m2l, one.m2l);
  EXPECT_EQ(all.degree, one.degree);
}

/// All that is decided, counted, estimated and measured; estimates to a relative difference, or bit by bit.
inline void expect_same_report_to(double difference, const Report& all, const Report& one) {
  expect_same_plan(all, one);
  EXPECT_EQ(all.coefficients, one.coefficients);
  EXPECT_EQ(all.warnings, one.warnings);
  EXPECT_EQ(counts_of(all), counts_of(one));
  EXPECT_EQ(all.near_pairs, one.near_pairs);
  const auto estimates = [](const Report& r) {
    return std::vector<double>{r.condition_potential, r.condition_gradient, r.condition_hessian, r.estimated_error,
                               r.far_fraction};
  };
  for (std::size_t i = 0; i < estimates(one).size(); ++i) {
    const double a = estimates(all)[i], b = estimates(one)[i];
    EXPECT_TRUE(a == b || std::fabs(a - b) <= difference * std::fabs(b)) << i << ": " << a << " and " << b;
  }
  ASSERT_EQ(all.choices.size(), one.choices.size());
  for (std::size_t i = 0; i < one.choices.size(); ++i) {
    EXPECT_EQ(all.choices[i].name, one.choices[i].name);
    EXPECT_EQ(all.choices[i].value, one.choices[i].value);
    EXPECT_EQ(all.choices[i].reason, one.choices[i].reason);
  }
  ASSERT_EQ(all.error.has_value(), one.error.has_value());
  if (!one.error) return;
  EXPECT_EQ(all.error->samples, one.error->samples);
  EXPECT_EQ(all.error->potential, one.error->potential);
  EXPECT_EQ(all.error->gradient, one.error->gradient);
  EXPECT_EQ(all.error->hessian, one.error->hessian);
  EXPECT_EQ(all.error->potential_p95, one.error->potential_p95);
  EXPECT_EQ(all.error->gradient_max, one.error->gradient_max);
}
/// Of ranks on devices, whose sums for estimates are those of one plan up to rounding: of direct sums, where an error
/// is measured; of pairs in single, where conditions are estimated.
inline void expect_like_report(const Options&, const Report& all, const Report& one) {
  EXPECT_EQ(all.backend, "cuda");
  EXPECT_EQ(one.backend, "cuda");
  expect_same_plan(all, one);
  if (one.method == "fmm") {
    EXPECT_EQ(counts_of(all), counts_of(one));
  }
  constexpr double rounding = 1e-13;  // of direct sums added up rank by rank
  const auto near = [](double a, double b, double relative) {
    EXPECT_TRUE(a == b || std::fabs(a - b) <= rounding + relative * std::fabs(b)) << a << " and " << b;
  };
  near(all.estimated_error, one.estimated_error, 1e-3);
  near(all.condition_potential, one.condition_potential, 1e-5);
  near(all.condition_gradient, one.condition_gradient, 1e-5);
  near(all.condition_hessian, one.condition_hessian, 1e-5);
  ASSERT_EQ(all.error.has_value(), one.error.has_value());
  if (!one.error) return;
  EXPECT_EQ(all.error->samples, one.error->samples);
  EXPECT_NEAR(all.error->potential, one.error->potential, rounding + 1e-3 * one.error->potential);
  EXPECT_NEAR(all.error->gradient, one.error->gradient, rounding + 1e-3 * one.error->gradient);
  EXPECT_NEAR(all.error->hessian, one.error->hessian, rounding + 1e-3 * one.error->hessian);
}
inline void expect_same_report(const Report& all, const Report& one) { expect_same_report_to(0, all, one); }

}  // namespace farfield::testing
