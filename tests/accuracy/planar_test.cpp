// Kernel laplace2d: the promise on clouds of the plane, exact sums, and the constant of the logarithm.
#include "support/planar.hpp"

#include <complex>

namespace farfield::testing {
namespace {

using Complex = std::complex<long double>;

TEST(Planar, KeepsThePromise) {
  print_header("kernel laplace2d, all pairs far that can be");
  for (const Kind kind : all_kinds)
    for (const Signs signs : {Signs::mixed, Signs::positive})
      for (const std::int64_t count : {400, 3'000})
        for (const double tolerance : {1e-2, 1e-3, 1e-5, 1e-6, 1e-9, 1e-12}) {
          const Cloud cloud = flat_cloud(kind, count, signs);
          const Outcome o = measure_flat(cloud, flat_options(tolerance));
          print_row(cloud, o);
          EXPECT_LE(o.worst(), slack * tolerance) << cloud.label << ", degree " << o.report.degree;
        }
}

TEST(Planar, KeepsThePromiseInBothPrecisionsAndByAllPairs) {
  print_header("kernel laplace2d, precisions and methods");
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::apart})
    for (const Precision precision : {Precision::single_, Precision::double_})
      for (const Method method : {Method::fmm, Method::direct, Method::automatic}) {
        const Cloud cloud = flat_cloud(kind, 5'000, Signs::mixed);
        Options o = flat_options(1e-5, precision);
        o.method = method;
        const Outcome found = measure_flat(cloud, o);
        print_row(cloud, found);
        EXPECT_LE(found.worst(), slack * o.tolerance) << cloud.label;
        EXPECT_EQ(found.report.warnings.size(), 0u);
      }
}

/// Points in lines along both axes: facing corners of boxes line up, and errors of one sign add up.
TEST(Planar, Lattices) {
  print_header("kernel laplace2d, lattices");
  for (const std::size_t side : {40, 64, 100})
    for (const Signs signs : {Signs::mixed, Signs::positive})
      for (const bool copies : {false, true}) {
        Cloud cloud = flat_cloud(Kind::lattice, static_cast<std::int64_t>(side * side), signs);
        for (std::size_t i = 0; i < side * side && !copies; ++i)
          cloud.sources[3 * i] = static_cast<double>(i % side),
                            cloud.sources[3 * i + 1] = static_cast<double>(i / side);
        cloud.label += copies ? "/copies" : "/square";
        for (const int leaf : {0, 12, 53})
          for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12}) {
            Options o = flat_options(tolerance);
            o.leaf_size = leaf;
            const Outcome found = measure_flat(cloud, o);
            print_row(cloud, found);
            EXPECT_LE(found.worst(), slack * tolerance)
                << cloud.label << ", leaf " << leaf << ", degree " << found.report.degree;
          }
      }
}

/// The N-th roots of unity: sum over k != j of -log |w_j - w_k| = -log N, of its gradient -(N-1)/2 w_j.
TEST(Planar, RootsOfUnity) {
  const std::int64_t count = 5'000;
  std::vector<double> points_on_circle;
  for (std::int64_t k = 0; k < count; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(count);
    points_on_circle.insert(points_on_circle.end(), {std::cos(angle), std::sin(angle), 0});
  }
  const std::vector<double> ones(static_cast<std::size_t>(count), 1);
  const Result<double> r = Plan(points(points_on_circle), flat_options(1e-12)).evaluate(ones);
  const double scale = static_cast<double>(count - 1) / 2;
  for (std::size_t k = 0; k < ones.size(); ++k) {
    // the terms add up to -log N, a thousandth of what they are themselves
    EXPECT_NEAR(r.potential[k], -std::log(static_cast<double>(count)), 1e-12 * static_cast<double>(count));
    EXPECT_NEAR(r.gradient[3 * k], -scale * points_on_circle[3 * k], 1e-11 * scale);
    EXPECT_NEAR(r.gradient[3 * k + 1], -scale * points_on_circle[3 * k + 1], 1e-11 * scale);
    EXPECT_EQ(r.gradient[3 * k + 2], 0);
  }
}

/// sum over k of -log |z - w_k| = -log |z^N - 1| at targets elsewhere.
TEST(Planar, TargetsBesideRootsOfUnity) {
  const std::int64_t count = 2'000;
  std::vector<double> sources, targets;
  for (std::int64_t k = 0; k < count; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(count);
    sources.insert(sources.end(), {std::cos(angle), std::sin(angle), 1});
  }
  for (int k = 0; k < 3'000; ++k) {
    const double radius = 1.02 + 0.001 * k, angle = 0.7 * k;
    targets.insert(targets.end(), {radius * std::cos(angle), radius * std::sin(angle), 1});
  }
  const std::vector<double> ones(static_cast<std::size_t>(count), 1);
  const Result<double> r = Plan(points(sources), points(targets), flat_options(1e-12)).evaluate(ones);
  for (std::size_t k = 0; k < r.potential.size(); ++k) {
    const Complex z(targets[3 * k], targets[3 * k + 1]);
    const long double log_power = static_cast<long double>(count) * std::log(std::abs(z));
    const long double exact = -log_power - std::log(std::abs(1.0L - std::pow(1.0L / z, static_cast<int>(count))));
    EXPECT_NEAR(r.potential[k], static_cast<double>(exact), 2e-12 * static_cast<double>(count));
  }
}

/// Other units add the sum of all other strengths times a logarithm, the same with every tree.
TEST(Planar, UnitsOfLengthAddOneConstant) {
  const Cloud cloud = flat_cloud(Kind::plummer, 4'000, Signs::positive);
  double total = 0;
  for (const double q : cloud.strengths) total += q;
  const Result<double> here = make_plan(cloud, flat_options(1e-12)).evaluate(cloud.strengths);
  double squares = 0;
  for (const double g : here.gradient) squares += g * g;
  const double rms = std::sqrt(squares / static_cast<double>(cloud.count()));
  for (const double unit : {0x1p-100, 1e-30, 1e-3, 3.0, 1e6, 1e30, 0x1p100}) {
    Cloud other = cloud;
    for (double& x : other.sources) x *= unit;
    const Result<double> there = make_plan(other, flat_options(1e-12)).evaluate(cloud.strengths);
    for (std::size_t i = 0; i < here.potential.size(); i += 37) {
      const double expected = here.potential[i] - (total - cloud.strengths[i]) * std::log(unit);
      EXPECT_NEAR(there.potential[i], expected, 2e-12 * (std::fabs(expected) + total)) << unit;
      EXPECT_NEAR(there.gradient[3 * i] * unit, here.gradient[3 * i], 1e-11 * rms);
    }
  }
}

/// Of two far clusters of one sign each sees the other through boxes of all levels: a wrong constant at one of them
/// would show as a step.
TEST(Planar, NoLevelAddsAConstantOfItsOwn) {
  for (const std::int64_t leaf : {8, 20, 50, 120, 300}) {
    const Cloud cloud = flat_cloud(Kind::two_clusters, 3'000, Signs::positive);
    Options o = flat_options(1e-12);
    o.leaf_size = leaf;
    const Outcome found = measure_flat(cloud, o);
    EXPECT_LE(found.worst(), slack * o.tolerance) << leaf;
  }
}

TEST(Planar, CoincidentAndNearlyCoincidentPoints) {
  Cloud cloud = flat_cloud(Kind::uniform, 2'000, Signs::mixed);
  cloud.label += "/near";
  for (std::size_t i = 0; i < 300; ++i) {
    cloud.sources[3 * i] = cloud.sources[3 * (i + 300)];
    cloud.sources[3 * i + 1] = std::nextafter(cloud.sources[3 * (i + 300) + 1], i % 2 ? 2 : cloud.sources[1]);
  }
  for (const Precision precision : {Precision::single_, Precision::double_})
    EXPECT_LE(measure_flat(cloud, flat_options(1e-5, precision)).worst(), slack * 1e-5);
}

TEST(Planar, MovedPlansSumWhereThePointsAre) {
  const Cloud first = flat_cloud(Kind::uniform, 2'000, Signs::mixed),
              second = flat_cloud(Kind::plummer, 2'000, Signs::mixed);
  Plan plan = make_plan(first, flat_options(1e-9));
  plan.move(points(second.sources));
  const Result<double> moved = plan.evaluate(second.strengths);
  const Exact& truth = planar_exact(second);
  EXPECT_LE(relative_error(moved.potential, truth.potential, truth.targets, 1), slack * 1e-9);
  EXPECT_LE(relative_error(moved.gradient, truth.gradient, truth.targets, 3), slack * 1e-9);
}

TEST(Planar, TakesPointsOfTwoCoordinates) {
  const Cloud cloud = flat_cloud(Kind::outside, 1'000, Signs::mixed);
  const auto flat = [](const std::vector<double>& xyz) {
    std::vector<double> xy;
    for (std::size_t i = 0; i < xyz.size(); ++i)
      if (i % 3 < 2) xy.push_back(xyz[i]);
    return xy;
  };
  const std::vector<double> sources = flat(cloud.sources), targets = flat(cloud.targets);
  Options o = flat_options(1e-6);
  for (const bool at_sources : {false, true}) {
    o.at_sources = at_sources;
    const Result<double> two = Plan(points_in_plane(sources), points_in_plane(targets), o).evaluate(cloud.strengths);
    const Result<double> three = Plan(points(cloud.sources), points(cloud.targets), o).evaluate(cloud.strengths);
    EXPECT_EQ(two.potential, three.potential);
    EXPECT_EQ(two.gradient, three.gradient);
    EXPECT_EQ(two.source_potential, three.source_potential);
  }
  Options other = fmm_options(1e-6);
  other.method = Method::automatic;
  const std::string sentence = refusal(ErrorCode::input, [&] { Plan(points_in_plane(sources), other); });
  EXPECT_NE(sentence.find("coordinate z of the sources is a null pointer"), std::string::npos) << sentence;
}

TEST(Planar, RefusesPointsOffThePlane) {
  Cloud cloud = flat_cloud(Kind::uniform, 100, Signs::mixed);
  cloud.sources[5] = 1;
  const std::string sentence = refusal(ErrorCode::input, [&] { make_plan(cloud, flat_options(1e-6)); });
  EXPECT_NE(sentence.find("third coordinates lie between 0.25 and 1"), std::string::npos) << sentence;
}

TEST(Planar, RefusesRotationAndSoftening) {
  const Cloud cloud = flat_cloud(Kind::uniform, 100, Signs::mixed);
  Options rotated = flat_options(1e-6), softened = flat_options(1e-6);
  rotated.m2l = M2l::rotation;
  softened.softening = 0.1;
  softened.method = Method::direct;
  EXPECT_NE(refusal(ErrorCode::usage, [&] { make_plan(cloud, rotated); }).find("rotation"), std::string::npos);
  EXPECT_NE(refusal(ErrorCode::usage, [&] { make_plan(cloud, softened); }).find("softened"), std::string::npos);
}

TEST(Planar, NoPointsAndOnePoint) {
  const std::vector<double> none, one{1, 2, 3}, q{2};
  EXPECT_TRUE(Plan(points(none), flat_options(1e-6)).evaluate(none).potential.empty());
  EXPECT_EQ(Plan(points(one), flat_options(1e-6)).evaluate(q).potential.at(0), 0);
}

}  // namespace
}  // namespace farfield::testing
