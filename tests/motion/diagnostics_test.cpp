// Energies of models that are known in closed form, what is conserved, and what is refused.
#include "bodies.hpp"

namespace farfield::motion::testing {
namespace {

constexpr std::uint64_t seed = 20261124;

void expect_error(ErrorCode code, const std::string& part, const std::function<void()>& action) {
  try {
    action();
    ADD_FAILURE() << "nothing was thrown; expected: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Diagnostics, OfAnEllipseAreThoseOfKepler) {
  constexpr double gravity = 2;
  HostArrays arrays = ellipse(gravity).arrays();
  const Leapfrog leapfrog(arrays, exact(), {1e-3, gravity});
  const Diagnostics d = diagnose(arrays.sums());
  constexpr double few_roundings = 1e-14, reduced = 0.21, apart = 1.5;
  EXPECT_NEAR(d.total, -gravity * reduced / 2, few_roundings);  // -G m1 m2 / (2 a)
  EXPECT_NEAR(d.potential, -gravity * reduced / apart, few_roundings);
  EXPECT_NEAR(d.virial_ratio, 2 * d.kinetic / -d.potential, few_roundings);
  EXPECT_NEAR(length(d.momentum), 0, few_roundings);
  EXPECT_NEAR(length(d.centre), 0, few_roundings);
  EXPECT_NEAR(d.angular_momentum[2], reduced * std::sqrt(gravity * 0.75), few_roundings);  // mu sqrt(G M a (1 - e^2))
  EXPECT_EQ(d.angular_momentum[0], 0);
}

TEST(Diagnostics, OfPlummersModelAreItsFormulas) {
  RecordProperty("seed", static_cast<int>(seed));
  HostArrays arrays = plummer(4000, seed).arrays();
  const Leapfrog leapfrog(arrays, exact(), {1e-3, 3});
  const Diagnostics d = diagnose(arrays.sums());
  // W = -3 pi G M^2 / (32 a), to the 1.5 % by which 4,000 bodies scatter and the cut at radius 10 takes away, thrice.
  const double expected = -3 * std::numbers::pi * 3 / 32;
  EXPECT_NEAR(d.potential / expected, 1, 0.05) << "seed " << seed;
}

TEST(Diagnostics, MomentumIsConservedToRounding) {
  RecordProperty("seed", static_cast<int>(seed));
  const Start start = plummer(200, seed);
  Options o = exact();
  o.softening = 0.05;
  const Diagnostics before = diagnose(start.arrays().sums());
  const Diagnostics after = diagnose(ride(start, o, {0.02, 1}, 200).arrays.sums());
  // 200 steps of sums whose parts are at most about 1, each rounded to 1e-16.
  constexpr double roundings = 200 * 1e-15;
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(after.momentum[c], before.momentum[c], roundings) << "seed " << seed;
    EXPECT_NEAR(after.angular_momentum[c], before.angular_momentum[c], roundings) << "seed " << seed;
    EXPECT_NEAR(after.centre[c], before.centre[c] + 4 * before.momentum[c], 4 * roundings) << "seed " << seed;
  }
}

TEST(Diagnostics, AChangeIsOfTheEnergyOrOfItsParts) {
  Diagnostics first, now;
  first.kinetic = 1, first.potential = -3, first.total = -2;
  now.total = -2.2;
  EXPECT_NEAR(energy_change(now, first), -0.1, 1e-15);
  first.potential = -1, first.total = 0, now.total = 0.02;  // bodies that can just escape
  EXPECT_NEAR(energy_change(now, first), 0.01, 1e-15);
  EXPECT_EQ(energy_change(Diagnostics{}, Diagnostics{}), 0);
}

TEST(Motion, RefusesWhatIsNoMotion) {
  for (const double dt : {0.0, -0.1, double(NAN), double(INFINITY)})
    expect_error(ErrorCode::usage, "time step", [&] { require_course({dt, 1}); });
  for (const double gravity : {0.0, -1.0, double(NAN)})
    expect_error(ErrorCode::usage, "gravitational constant", [&] { require_course({0.1, gravity}); });
  const Values two{0, 0, 0, 1, 0, 0}, rest(6, 0.0);
  expect_error(ErrorCode::input, "Body 1: its velocity along y is nan", [&] {
    HostArrays(two, {0, 0, 0, 0, NAN, 0}, {1, 1});
  });
  expect_error(ErrorCode::input, "Body 1: its mass is -2", [&] { HostArrays(two, rest, {1, -2}); });
  expect_error(ErrorCode::input, "no mass", [&] { HostArrays(two, rest, {0, 0}); });
  expect_error(ErrorCode::input, "no mass", [&] { HostArrays({}, {}, {}); });
  expect_error(ErrorCode::input, "3 components of velocities", [&] { HostArrays(two, {0, 0, 0}, {1, 1}); });
}

}  // namespace
}  // namespace farfield::motion::testing
