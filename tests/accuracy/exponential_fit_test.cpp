// e^-x by two short polynomials (core/exponential_fit.hpp) against long double, and the reach of a leaf's near field.
#include "core/exponential_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "backends/cpu/near/decay.hpp"
#include "tree/built.hpp"

namespace farfield::testing {
namespace {

long double fitted(const ExponentialForm& form, const ExponentialFit& fit, long double x) {
  long double even = 0, odd = 0;
  for (int j = form.even; j >= 0; --j) even = even * x * x + fit.even[j];
  for (int j = form.odd; j >= 0; --j) odd = odd * x * x + fit.odd[j];
  return even - x * odd;
}

long double worst_error(const ExponentialForm& form, const ExponentialFit& fit, long double to) {
  long double worst = 0;
  for (int i = 0; i <= 4000; ++i) {
    const long double x = to * i / 4000;
    worst = std::max(worst, std::fabs(fitted(form, fit, x) * std::exp(x) - 1));
  }
  return worst;
}

/// Rounding of the coefficients, which are of double, where p and x s are e^x times as large as their difference.
long double rounding(double width) { return 1e-15L * std::exp(2.0L * width); }

TEST(ExponentialFit, ErrsByNoMoreThanItsBoundAndIsNotMuchBetter) {
  for (const bool single : {true, false})
    for (const double error : {1e-2, 1e-4, 1e-7, 1e-10, 1e-13}) {
      const ExponentialFits fits(single, error);
      for (int i = 0; i < (single ? exponential_form_count<float> : exponential_form_count<double>); ++i) {
        const ExponentialForm form = fits.form(i);
        const ExponentialFit& fit = fits[i];
        ASSERT_GT(fit.width, 0);
        const long double worst = worst_error(form, fit, fit.width);
        EXPECT_LE(worst, error + rounding(fit.width)) << form.even << ", " << form.odd << " to " << fit.width;
        EXPECT_LE(worst, exponential_fit_error(form, fit.width) + rounding(fit.width));
        if (fit.width < widest_fit && error > 1e-12) {
          EXPECT_GT(worst, error / 30);
        }
      }
    }
}

TEST(ExponentialFit, GrowsWithItsForm) {
  for (const bool single : {true, false}) {
    const ExponentialFits fits(single, 1e-9);
    for (int i = 1; i < (single ? exponential_form_count<float> : exponential_form_count<double>); ++i)
      EXPECT_GE(fits[i].width, fits[i - 1].width);
    EXPECT_EQ(fits.form_for(0), 0);
    EXPECT_EQ(fits.form_for(fits[1].width), 1);
    EXPECT_EQ(fits.form_for(4), whole_formula);
    EXPECT_EQ(fits.form_for(NAN), whole_formula);
    EXPECT_EQ(ExponentialFits(single, 0).form_for(0), whole_formula);
  }
}

TEST(NearReach, HoldsEveryNearPair) {
  for (const test::Input& input : test::all_inputs(700, 5))
    for (const int depth : {-1, 2}) {
      TreeOptions options;
      options.leaf_size = 12, options.depth = depth;
      const cpu::CpuTree built = test::built_from(input, options);
      const TreeView tree = built.tree.view();
      const ListView near = built.lists.view().near;
      const PlacedPoints sources = built.placed_sources(), targets = built.placed_targets();
      for (BoxId box = 0; box < tree.boxes; ++box) {
        const double reach = cpu::baseline::near_reach(tree, near, box);
        for (std::int64_t i = near.begin[box]; i < near.begin[box + 1]; ++i)
          for (std::int64_t s = tree.source_begin[near.items[i]]; s < tree.source_end[near.items[i]]; ++s)
            for (std::int64_t t = tree.target_begin[box]; t < tree.target_end[box]; ++t) {
              const double r =
                  std::hypot(sources.axis[0][s] - targets.axis[0][t], sources.axis[1][s] - targets.axis[1][t],
                             sources.axis[2][s] - targets.axis[2][t]);
              ASSERT_LE(r, reach) << input.name;
            }
      }
    }
}

}  // namespace
}  // namespace farfield::testing
