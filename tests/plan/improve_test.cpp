// What follows from the quality of an evaluation with fitted operators and coarse operands, as a table.
#include "judge/improve.hpp"

#include <gtest/gtest.h>

#include "model/error_model.hpp"

namespace farfield::testing {
namespace {

Decision fitted_decision() {
  Decision d;
  d.kernel = Kernel::laplace3d, d.method = Method::fmm, d.backend = Backend::cuda, d.precision = Precision::single_;
  d.degree = 12, d.tolerance = 1e-5, d.gradient = d.promised = d.fitted = d.coarse_operands = true;
  d.seconds = 1e-3, d.pairs_per_second = 1e9;
  return d;
}
Quality quality_with(double truncation) {
  Quality q;
  for (Norm& norm : q.norms.order) norm.l2 = norm.largest = 1;
  q.truncation = truncation, q.pairs = 1e12;
  return q;
}
constexpr std::int64_t many = 1'000'000;

/// What a measurement of so much makes of an estimate.
Quality looked(FittedExcess& fit, const Decision& d, double estimate, double measured) {
  Quality q = quality_with(estimate);
  EXPECT_GT(fit.targets(d, q, many, many, many), 0);
  q.truncation = measured;
  fit.apply(d, q);
  return q;
}

TEST(FittedExcess, IsMeasuredOnceAndKept) {
  const Decision d = fitted_decision();
  FittedExcess fit;
  EXPECT_DOUBLE_EQ(looked(fit, d, 4e-6, 1.2e-5).truncation, 1.2e-5);
  Quality other = quality_with(2e-6);
  EXPECT_EQ(fit.targets(d, other, many, many, many), 0);
  fit.apply(d, other);
  EXPECT_DOUBLE_EQ(other.truncation, 6e-6);
  EXPECT_DOUBLE_EQ(other.excess, 3);
}

TEST(FittedExcess, IsMeasuredWhereTheToleranceRestsOnIt) {
  Decision d = fitted_decision();
  d.coarse_operands = false;
  const double gain = fitted_gain(d.kernel, true, d.degree);
  for (const double rests : {0.9, 1.1}) {
    FittedExcess fit;
    Quality q = quality_with(rests * d.tolerance / gain);
    EXPECT_EQ(fit.targets(d, q, many, many, many) > 0, rests > 1);
  }
  d.coarse_operands = true;
  FittedExcess fit;
  EXPECT_GT(fit.targets(d, quality_with(0.1 * d.tolerance / gain), many, many, many), 0);
}

/// Those of the plane say nothing of what fits gain (ErrorCurve::fitted_gain).
TEST(FittedExcess, AsksNothingOfKernelsWithoutFits) {
  for (const Kernel kernel : {Kernel::laplace2d, Kernel::vortex, Kernel::cauchy, Kernel::yukawa3d}) {
    Decision d = fitted_decision();
    d.kernel = kernel, d.degree = 8, d.fitted = d.coarse_operands = false;
    EXPECT_EQ(FittedExcess().targets(d, quality_with(1e-6), many, many, many), 0);
  }
}

std::optional<Decision> improved_after(const Decision& d, double estimate, double measured) {
  FittedExcess fit;
  return improved(d, looked(fit, d, estimate, measured));
}

TEST(Improved, TakesMoreTermsBeforeHigherDegrees) {
  const Decision d = fitted_decision();
  const std::optional<Decision> finer = improved_after(d, 4e-6, 3e-5);
  ASSERT_TRUE(finer);
  EXPECT_FALSE(finer->coarse_operands);
  EXPECT_EQ(finer->degree, d.degree);
  EXPECT_EQ(difference(d, *finer), "m2l of more terms");
  const std::optional<Decision> higher = improved_after(*finer, 4e-6, 3e-5);
  ASSERT_TRUE(higher);
  EXPECT_GT(higher->degree, d.degree);
}

TEST(Improved, RaisesTheDegreeWhereTheEstimateSaysSo) {
  const Decision d = fitted_decision();
  const std::optional<Decision> higher = improved_after(d, 3e-5, 1e-5);
  ASSERT_TRUE(higher);
  EXPECT_TRUE(higher->coarse_operands);
  EXPECT_GT(higher->degree, d.degree);
}

TEST(Improved, LeavesWhatIsGoodEnough) { EXPECT_FALSE(improved_after(fitted_decision(), 4e-6, 8e-6)); }

}  // namespace
}  // namespace farfield::testing
