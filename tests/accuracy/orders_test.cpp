// Potential, gradient and Hessian in the judgement: pure functions against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "judge/check.hpp"
#include "judge/quality.hpp"
#include "judge/truncation.hpp"
#include "model/pair_terms.hpp"
#include "model/placement.hpp"
#include "support/tolerance.hpp"

namespace farfield::testing {
namespace {

constexpr double closed_form = 1e-12;  // a few roundings

/// Mean of |x + iy|^(2n) over the unit sphere.
double mean_power(int n) {
  double mean = 1;
  for (int k = 1; k <= n; ++k) mean *= 2.0 * k / (2 * k + 1);
  return mean;
}

TEST(Orders, OfMissingTermsAreThoseOfAHarmonic) {
  for (int n = 2; n < 30; ++n) {
    // u = Re (x + iy)^n: |grad u|^2 = n^2 s^(2n-2), |Hess u|^2 = 2 n^2 (n-1)^2 s^(2n-4), s the distance from the axis
    const double u2 = mean_power(n) / 2, g2 = n * n * mean_power(n - 1),
                 h2 = 2.0 * n * n * (n - 1) * (n - 1) * mean_power(n - 2);
    TailMeans means;
    means.n = n, means.decay = solid_decay;
    const double a = 0.25, r2 = 0.4;
    const Truncation t = inner_tail(3.0, r2, a, means);
    EXPECT_NEAR(t.order[1] / t.order[0], g2 / u2 / (r2 * a * a), closed_form * t.order[1] / t.order[0]) << n;
    EXPECT_NEAR(t.order[2] / t.order[0], h2 / u2 / (r2 * r2 * std::pow(a, 4)), closed_form * t.order[2] / t.order[0])
        << n;
  }
}

TEST(Orders, OfAPointOutsideAreThoseOfItsDerivatives) {
  // 1/w: squares 1/w^2, 1/w^4, 6/w^6; and its axial derivative z/w^3: means 1/3 of 1/w^4, 6/w^6, 90/w^8
  const double of_charge[] = {1, 1, 6}, of_dipole[] = {1 / 3.0, 2, 30};
  for (const double w2 : {2.25, 3.0}) {
    TailMeans means;
    means.decay = solid_decay;
    for (int n = 0; n < 2; ++n) {
      means.n = n;
      const Truncation t = outer_tail(1.0, w2, 1.0, means);
      for (int k = 0; k < orders; ++k) {
        const double exact = (n == 0 ? of_charge : of_dipole)[k] * std::pow(w2, -1 - k - n);
        EXPECT_NEAR(t.order[k], exact, closed_form * exact) << n << ' ' << k;
      }
    }
  }
}

TEST(Orders, MeansOverBoxesHaveTheSameRatios) {
  const TailMeans& means = tail_means(solid_decay, 9);
  Truncation at = outer_tail(1.0, 1.6 * 1.6, 1.0, means);
  for (int k = 1; k < orders; ++k)
    EXPECT_NEAR(at.order[k] / at.order[k - 1], means.outer_ratio(k), closed_form * means.outer_ratio(k));
  at = inner_tail(1.0, 0.6 * 0.6, 1.0, means);
  for (int k = 1; k < orders; ++k)
    EXPECT_NEAR(at.order[k] / at.order[k - 1], means.inner_ratio(k), closed_form * means.inner_ratio(k));
}

/// Two targets with every part; the Hessian at the first errs by `off` in xy and by `on` in xx.
struct TwoTargets {
  double value[most_parts][2] = {};
  std::vector<DirectSum> exact{2};
  Computed<double> computed{2, {}};
  TwoTargets(double on, double off) {
    for (int part = 0; part < most_parts; ++part) {
      for (int t = 0; t < 2; ++t) exact[t].part[part] = value[part][t] = part + 2 + t;
      computed.result.part[part] = value[part];
    }
    value[4][0] += on, value[7][0] += off;
  }
  double squared_hessian() const {
    double sum = 0;
    for (int part = 4; part < 10; ++part)
      for (int t = 0; t < 2; ++t) sum += (part < 7 ? 1 : 2) * value[part][t] * value[part][t];
    return sum;
  }
};

TEST(Orders, OfACheckCountOffDiagonalsTwice) {
  const TwoTargets two(0.01, 0.02);
  const Norms norms = norms_of(two.computed, 1);
  EXPECT_NEAR(norms.order[2].l2, std::sqrt(two.squared_hessian()), closed_form * norms.order[2].l2);
  const ErrorReport report = errors(two.computed, in_own_units(norms), {0, 1}, two.exact, 1);
  const double exact = std::sqrt((1e-4 + 2 * 4e-4) / two.squared_hessian());
  EXPECT_NEAR(report.hessian, exact, 1e-9 * exact) << "0.01 has rounded beside results of 10";
  EXPECT_EQ(report.potential, 0);
  EXPECT_EQ(report.gradient_max, 0);
  EXPECT_GT(report.hessian_max, report.hessian);
  EXPECT_EQ(report.hessian_median, 0) << "of the target without an error";
}

TEST(Orders, OfAMeasurementCountTheLargest) {
  const TwoTargets two(0.01, 0.02);
  Quality quality;
  quality.norms = norms_of(two.computed, 1);
  measure(quality, two.computed, {{0, 1}, {1, 1}}, [&](const auto&) { return two.exact; });
  EXPECT_NEAR(quality.truncation, 1.5 * std::sqrt(9e-4 / two.squared_hessian()), 1e-9);
  measured(quality, {.hessian = 0.5});
  EXPECT_EQ(quality.truncation, 0.75);
}

TEST(Orders, HaveAConditionEach) {
  TermSums probe;
  for (int k = 0; k < orders; ++k) probe.absolute[k] = 100 * (k + 1), probe.square[k] = 1, probe.result[k] = 1;
  Norms norms;
  for (Norm& norm : norms.order) norm = {2, 2};
  const Quality q = quality_of({probe}, norms, 10, 4, {}, 1);
  for (int k = 0; k < orders; ++k) EXPECT_NEAR(q.condition[k], 100 * (k + 1), closed_form * 300) << "times sqrt 4 / 2";
  EXPECT_EQ(q.worst_condition(), q.condition[2]);
  norms.order[2] = {};
  EXPECT_EQ(quality_of({probe}, norms, 10, 4, {}, 1).condition[2], 1) << "not computed";
  EXPECT_EQ(lost_by({{1, 4, 9}}, norms), 1) << "2 / 2 of the gradient";
}

TEST(PairTerms, LeaveTheNextTermOfTheSeries) {
  for (int derivatives = 0; derivatives <= most_derivatives; ++derivatives)
    for (int terms = 0; terms < 5; ++terms)
      for (const bool avx512 : {false, true}) {
        const double e = 2 * cpu::seed_error(avx512), half = derivatives + 0.5;
        double series = 0, term = 1;
        for (int i = 0; i <= terms; ++i) series += term, term *= e * (half + i) / (i + 1);
        const double lost = std::pow(1 - e, -half) - series;
        const double rounding = 4e-16;
        EXPECT_NEAR(cpu::pair_error(avx512, derivatives, terms), lost, 0.01 * lost + rounding)
            << derivatives << ' ' << terms;
      }
}

}  // namespace
}  // namespace farfield::testing
