#include <cmath>
#include <numeric>

#include "files.hpp"
#include "io/generate/generate.hpp"
#include "io/generate/random.hpp"

namespace farfield::io {
namespace {
constexpr std::uint64_t seed = 7;

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double radius(const Bodies& bodies, std::size_t i) {
  return std::hypot(bodies.positions[3 * i], bodies.positions[3 * i + 1], bodies.positions[3 * i + 2]);
}

TEST(Random, FirstNumbersAreKnown) {
  // xoshiro256++ from splitmix64(0): fixed here, so that bodies never change between releases.
  Random random(0);
  EXPECT_EQ(random.bits(), 0x53175d61490b23dfULL);
  EXPECT_EQ(random.bits(), 0x61da6f3dc380d507ULL);
}

class Kinds : public ::testing::TestWithParam<std::string> {};

TEST_P(Kinds, SameSeedSameBodies) {
  const auto a = generate(GetParam(), 500, seed), b = generate(GetParam(), 500, seed);
  EXPECT_EQ(a.positions, b.positions) << "seed " << seed;
  EXPECT_EQ(a.strengths, b.strengths);
  if (GetParam() == "lattice") return;  // nothing random in it
  EXPECT_NE(a.positions, generate(GetParam(), 500, seed + 1).positions);
}

TEST_P(Kinds, AnyNumberOfFiniteBodies) {
  for (const std::int64_t n : {0, 1, 2, 3, 8, 9, 1000}) {
    const auto bodies = generate(GetParam(), n, seed);
    EXPECT_EQ(bodies.count(), n);
    ASSERT_EQ(static_cast<std::int64_t>(bodies.strengths.size()), n);
    for (const double x : bodies.positions) ASSERT_TRUE(std::isfinite(x));
    for (const double q : bodies.strengths) ASSERT_TRUE(q > 0 && q <= 1);
    for (const Column& column : bodies.extra) ASSERT_EQ(static_cast<std::int64_t>(column.values.size()), n);
  }
}

TEST_P(Kinds, StrengthsDoNotMoveTheBodies) {
  const auto unit = generate(GetParam(), 1000, seed, Strengths::unit);
  const auto mixed = generate(GetParam(), 1000, seed, Strengths::mixed);
  EXPECT_EQ(unit.positions, mixed.positions);
  EXPECT_EQ(sum(unit.strengths), 1000);
  // A sum of 1000 numbers of variance 1/12: five standard deviations.
  EXPECT_LT(std::abs(sum(mixed.strengths)), 5 * std::sqrt(1000 / 12.0)) << "seed " << seed;
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const auto& kind : generator_kinds()) list.push_back(kind.name);
  return list;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& kind) {
  std::string name = kind.param;
  std::erase(name, '-');  // GoogleTest allows letters and digits
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Kinds, ::testing::ValuesIn(names()), test_name);

TEST(Generate, ShapesAreWhatTheySay) {
  const auto sphere = generate("sphere", 1000, seed), plummer = generate("plummer", 20000, seed);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_NEAR(radius(sphere, i), 1, 4 * std::numeric_limits<double>::epsilon());
  EXPECT_NEAR(sum(plummer.strengths), 1, 1e-12);
  // Half the mass of a Plummer sphere lies within 1.3048 a; the cut at 100 a removes 1.5e-4 of it.
  int within = 0;
  for (std::size_t i = 0; i < 20000; ++i) {
    within += radius(plummer, i) < 1.3048;
    ASSERT_LE(radius(plummer, i), 100.0001);
  }
  EXPECT_NEAR(within, 10000, 5 * std::sqrt(5000.0)) << "seed " << seed;
  const auto clusters = generate("two-clusters", 10, seed);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(clusters.positions[3 * i], i < 5 ? 0 : 1, 0.5e-3);
  const auto lattice = generate("lattice", 9, seed);  // three per side, one full layer
  EXPECT_EQ(lattice.positions[3 * 8 + 2], lattice.positions[2]);
  EXPECT_EQ(lattice.positions[3 * 3 + 1], 0.5);
}

TEST(Generate, GalaxiesHoldTogether) {
  const auto bodies = generate("galaxies", 20000, seed);
  EXPECT_NEAR(sum(bodies.strengths), 1, 1e-12);
  ASSERT_EQ(bodies.extra.size(), 4u);
  double momentum[3] = {}, centre[3] = {};
  for (std::size_t i = 0; i < 20000; ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      momentum[c] += bodies.strengths[i] * bodies.extra[c].values[i];
      centre[c] += bodies.strengths[i] * bodies.positions[3 * i + c];
    }
  // Speeds are about 0.5 and halo bodies dominate (some 3400 of them): five standard errors stay below this.
  for (const double p : momentum) EXPECT_LT(std::abs(p), 0.05) << "seed " << seed;
  for (const double x : centre) EXPECT_LT(std::abs(x), 0.4) << "seed " << seed;
}

TEST(Generate, RefusesUnknownKindsAndNegativeNumbers) {
  testing::expect_error(ErrorCode::usage, "uniform, sphere, plummer", [] { generate("cube", 1, seed); });
  testing::expect_error(ErrorCode::usage, "-1 bodies", [] { generate("uniform", -1, seed); });
  testing::expect_error(ErrorCode::memory, "fit no memory", [] { generate("uniform", INT64_MAX, seed); });
}

}  // namespace
}  // namespace farfield::io
