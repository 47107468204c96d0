// Softening lengths of points themselves (Points::softening) against sums in long double: a pair is softened by the
// root of the mean square of its points' lengths (Plummer) or by the longer one (spline).
#include <tuple>

#include "model/choose.hpp"
#include "support/lengths.hpp"

namespace farfield::testing {
namespace {

constexpr SofteningKind both_kinds[] = {SofteningKind::plummer, SofteningKind::spline};

class LengthsOf : public ::testing::TestWithParam<std::tuple<Kind, SofteningKind>> {};
std::string name_of(const ::testing::TestParamInfo<LengthsOf::ParamType>& info) {
  return std::string(name(std::get<0>(info.param))) + "_" + word_of(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(Clouds, LengthsOf,
                         ::testing::Combine(::testing::Values(Kind::uniform, Kind::plummer, Kind::two_clusters,
                                                              Kind::apart, Kind::outside),
                                            ::testing::ValuesIn(both_kinds)),
                         name_of);

double extent_of(Kind kind) { return kind == Kind::plummer ? 100 : 1; }

TEST_P(LengthsOf, DirectSumsAreThoseOfThePairs) {
  const auto [kind, as] = GetParam();
  for (const std::int64_t n : {2, 33, 700})
    for (const Lengths how : {Lengths::two_kinds, Lengths::wide_range, Lengths::some_without})
      for (const double scale : {0.01, 0.1, 1.0, 1e3})  // the shortest, 1e-6, is what softened_bound is of
        for (const Precision precision : both_precisions) {
          const Softly c(with_coincident_points(make_cloud(kind, n, Signs::positive)), how, scale * extent_of(kind),
                         as);
          const Result<double> r = c.plan(options_for(c, Method::direct, precision)).evaluate(c.cloud.strengths);
          const Missed m = missed(c, false, r.potential, r.gradient, 1, true);
          EXPECT_LE(m.potential, rounding(precision, c.cloud)) << c.cloud.label << " " << n << " " << scale;
          EXPECT_LE(m.gradient, rounding(precision, c.cloud)) << c.cloud.label << " " << n << " " << scale;
          if (n > 2) {
            EXPECT_LT(r.report.least_softening, r.report.softening);
          }
        }
}

TEST_P(LengthsOf, TreesKeepThePromise) {
  const auto [kind, as] = GetParam();
  for (const Method method : {Method::fmm, Method::treecode})
    for (const Lengths how : {Lengths::two_kinds, Lengths::some_without})
      for (const double scale : {1e-5, 1e-3, 0.05})
        for (const double tolerance : {1e-3, 1e-5, 1e-9}) {
          const Softly c(make_cloud(kind, 2'000, Signs::positive), how, scale * extent_of(kind), as);
          Options o = options_for(c, method, Precision::automatic);
          o.tolerance = tolerance;
          o.leaf_size = 20;
          const Result<double> r = c.plan(o).evaluate(c.cloud.strengths);
          const Missed m = missed(c, false, r.potential, r.gradient, 2);
          const std::string what = std::string(c.cloud.label) + ", " + word_of(method) + " " + std::to_string(scale);
          EXPECT_LE(m.potential, tolerance) << what;
          EXPECT_LE(m.gradient, tolerance) << what;
        }
}

/// Those that this processor and build have; the baseline among them.
std::vector<Simd> levels() {
  std::vector<Simd> offered;
  for (const Simd simd : {Simd::baseline, Simd::avx2, Simd::avx512}) {
    Options o;
    o.simd = simd, o.backend = Backend::cpu;
    try {
      const Plan plan(points(std::vector<double>{0, 0, 0}), o);
      offered.push_back(simd);
    } catch (const Error& error) {
      EXPECT_NE(simd, Simd::baseline) << error.what();
    }
  }
  return offered;
}

TEST(SofteningLengths, EveryInstructionSetHolds) {
  for (const Simd simd : levels())
    for (const SofteningKind kind : both_kinds)
      for (const Precision precision : both_precisions)
        for (const Method method : {Method::direct, Method::fmm}) {
          const Softly c(with_coincident_points(make_cloud(Kind::apart, 259, Signs::positive)), Lengths::some_without,
                         0.05, kind);
          Options o = options_for(c, method, precision);
          o.simd = simd, o.tolerance = 1e-5;
          const Result<double> r = c.plan(o).evaluate(c.cloud.strengths);
          const Missed m = missed(c, false, r.potential, r.gradient);
          EXPECT_EQ(r.report.simd, word_of(simd));
          EXPECT_LE(std::max(m.potential, m.gradient), 1e-5) << word_of(simd) << " " << word_of(method);
        }
}

/// Lengths that are all the same are one length, to the last bit, by every method.
TEST(SofteningLengths, EqualOnesAreOne) {
  const Cloud cloud = make_cloud(Kind::plummer, 4'000, Signs::positive);
  const std::vector<double> lengths(cloud.strengths.size(), 0.03);
  for (const SofteningKind kind : both_kinds)
    for (const Method method : {Method::direct, Method::fmm, Method::treecode}) {
      Options o = softened_options(0.03, Precision::automatic, How(Backend::cpu, kind));
      o.method = method, o.tolerance = 1e-4;
      Points with = points(cloud.sources);
      with.softening = lengths.data();
      const Result<double> one = Plan(points(cloud.sources), o).evaluate(cloud.strengths);
      o.softening = 0;
      const Result<double> own = Plan(with, o).evaluate(cloud.strengths);
      EXPECT_EQ(one.potential, own.potential);
      EXPECT_EQ(one.gradient, own.gradient);
      EXPECT_EQ(own.report.softening, 0.03);
      EXPECT_EQ(own.report.least_softening, 0.03);
    }
}

/// One longer length, of a far point without strength, leaves the others' sums as they were.
TEST(SofteningLengths, AlmostEqualOnesAreAlmostOne) {
  Cloud cloud = make_cloud(Kind::uniform, 500, Signs::positive);
  cloud.strengths[7] = 0;
  std::vector<double> lengths(cloud.strengths.size(), 0.05);
  lengths[7] = 0.06;
  for (const SofteningKind kind : both_kinds) {
    const Options o = softened_options(0.05, Precision::double_, How(Backend::cpu, kind));
    Points with = points(cloud.sources);
    with.softening = lengths.data();
    const Result<double> one = Plan(points(cloud.sources), o).evaluate(cloud.strengths),
                         own = Plan(with, o).evaluate(cloud.strengths);
    for (std::size_t i = 0; i < lengths.size(); ++i)
      if (i != 7) {
        EXPECT_NEAR(own.potential[i] / one.potential[i], 1, 1e-14);
      }
    EXPECT_LT(own.potential[7], one.potential[7]);
  }
}

/// Forces are opposite: the sum of q grad u is what rounding leaves.
TEST(SofteningLengths, MomentumIsKept) {
  for (const SofteningKind kind : both_kinds) {
    const Softly c(make_cloud(Kind::plummer, 1'000, Signs::positive), Lengths::wide_range, 30, kind);
    const Result<double> r = c.plan(options_for(c, Method::direct, Precision::double_)).evaluate(c.cloud.strengths);
    double sum[3] = {}, size = 0;
    for (std::size_t i = 0; i < c.cloud.strengths.size(); ++i)
      for (std::size_t a = 0; a < 3; ++a) {
        const double force = c.cloud.strengths[i] * r.gradient[3 * i + a];
        sum[a] += force, size += std::fabs(force);
      }
    for (const double component : sum) EXPECT_LE(std::fabs(component), 1e-13 * size);
  }
}

TEST(SofteningLengths, ResultsAtSourcesAndTargets) { expect_results_at_both(Backend::cpu); }

/// `check` sums with the same lengths: what it measures of a direct sum is rounding.
TEST(SofteningLengths, AreThoseOfTheCheck) {
  for (const SofteningKind kind : both_kinds) {
    const Softly c(with_coincident_points(make_cloud(Kind::plummer, 1'000, Signs::mixed)), Lengths::some_without, 10,
                   kind);
    Options o = options_for(c, Method::direct, Precision::double_);
    o.check = 500;
    const Result<double> r = c.plan(o).evaluate(c.cloud.strengths);
    EXPECT_LE(r.report.error->potential, direct_rounding<double>(1'000));
    EXPECT_LE(r.report.error->gradient, direct_rounding<double>(1'000));
  }
}

/// A set without lengths has that of the options.
TEST(SofteningLengths, SetsWithoutHaveThatOfTheOptions) {
  for (const SofteningKind kind : both_kinds) {
    Softly c(make_cloud(Kind::apart, 300, Signs::positive), Lengths::wide_range, 0.2, kind);
    Options o = options_for(c, Method::direct, Precision::double_);
    o.softening = 0.01;
    c.of_targets.assign(c.of_targets.size(), 0.01);
    const Result<double> r = Plan(c.sources(), points(c.cloud.targets), o).evaluate(c.cloud.strengths);
    EXPECT_LE(missed(c, false, r.potential, r.gradient).gradient, 1e-12);
    std::swap(c.of_sources, c.of_targets);
    const Result<double> other = Plan(points(c.cloud.sources), c.targets(), o).evaluate(c.cloud.strengths);
    EXPECT_LE(missed(c, false, other.potential, other.gradient).gradient, 1e-12);
  }
}

TEST(SofteningLengths, MovesAndThreadsChangeNoBit) {
  for (const SofteningKind kind : both_kinds)
    for (const Method method : {Method::fmm, Method::treecode, Method::direct}) {
      const Softly first(make_cloud(Kind::uniform, 3'000, Signs::positive), Lengths::two_kinds, 0.01, kind),
          second(make_cloud(Kind::plummer, 4'000, Signs::mixed), Lengths::wide_range, 0.5, kind);
      Options o = options_for(first, method, Precision::automatic);
      o.tolerance = 1e-4, o.threads = 1;
      Plan moved = first.plan(o);
      moved.evaluate(first.cloud.strengths);
      moved.move(points(first.cloud.sources));  // without lengths, and with them again
      moved.evaluate(first.cloud.strengths);
      moved.move(second.sources());
      o.threads = 3;
      const Result<double> a = moved.evaluate(second.cloud.strengths),
                           b = second.plan(o).evaluate(second.cloud.strengths);
      EXPECT_EQ(a.potential, b.potential);
      EXPECT_EQ(a.gradient, b.gradient);
    }
}

TEST(SofteningLengths, PointsThatAllCoincide) {
  const std::vector<double> place{3, 3, 3, 3, 3, 3, 3, 3, 3}, q{1, 2, 4}, lengths{3, 0, 4};
  Points p = points(place);
  p.softening = lengths.data();
  Options o = softened_options(0, Precision::double_, How(Backend::cpu, SofteningKind::spline));
  EXPECT_DOUBLE_EQ(Plan(p, o).evaluate(q).potential[1], 1 / 3.0 + 4 / 4.0);
  o.softening_kind = SofteningKind::plummer;
  EXPECT_DOUBLE_EQ(Plan(p, o).evaluate(q).potential[1], 1 / std::sqrt(4.5) + 4 / std::sqrt(8.0));
}

TEST(SofteningLengths, BadOnesAreRefusedByTheirIndex) {
  const Cloud cloud = make_cloud(Kind::uniform, 20, Signs::positive);
  std::vector<double> lengths(20, 0.1);
  Points p = points(cloud.sources);
  p.softening = lengths.data();
  Options o;
  const auto sentence = [&](ErrorCode code) { return refusal(code, [&] { Plan(p, o); }); };
  const auto says = [&](ErrorCode code, double length, const char* words) {
    lengths[13] = length;
    const std::string said = sentence(code);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  says(ErrorCode::input, -1, "source 13: softening -1 is not a length");
  says(ErrorCode::input, NAN, "source 13: softening nan is not a length");
  says(ErrorCode::input, INFINITY, "source 13: softening inf is not a length");
  says(ErrorCode::usage, 1e12, "more than 1e9 times the points' extent");
  says(ErrorCode::usage, 1e-305, "below 1e-300 of the points' extent");
  lengths[13] = -2;
  const std::string at_target = refusal(ErrorCode::input, [&] { Plan(points(cloud.sources), p, o); });
  EXPECT_NE(at_target.find("target 13: softening -2"), std::string::npos) << at_target;
  o.softening = -3;
  lengths[13] = 0.2;
  const std::string otherwise = refusal(ErrorCode::input, [&] { Plan(points(cloud.sources), p, o); });
  EXPECT_NE(otherwise.find("softening -3"), std::string::npos) << otherwise;
  o.softening = 0, o.kernel = Kernel::yukawa3d;
  says(ErrorCode::usage, 0.2, "kernel yukawa3d is not softened");
  o.kernel = Kernel::vortex, o.periodic = Axes::x, o.cell_x = 1;
  says(ErrorCode::usage, 0.2, "points that repeat are not softened");
}

/// The longest length decides how far boxes must be to be expanded, as where all have one.
TEST(SofteningLengths, ATreecodeOfADeviceKeepsTheReach) {
  Geometry g;
  g.sources = g.targets = 1'000'000;
  g.extent = g.largest = 1;
  g.lengths = true, g.shortest_length = 1e-3;
  Options o;
  o.softening = 0.01;
  const Machine device{Backend::cuda, Simd::avx2, std::int64_t(100) << 30};
  EXPECT_EQ(choose(o, g, device).lengths, true);
  o.method = Method::treecode;
  const Decision own = choose(o, g, device);
  EXPECT_EQ(own.lengths, true);
  g.lengths = false;
  EXPECT_EQ(own.least_edge, choose(o, g, device).least_edge);
  EXPECT_GE(own.least_edge, o.softening);
}

}  // namespace
}  // namespace farfield::testing
