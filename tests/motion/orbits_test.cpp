// Orbits that close, and errors that fall with the square of the step.
#include "bodies.hpp"

namespace farfield::motion::testing {
namespace {

// An error of dt^2 falls by 4 where the step is halved; what comes after, of dt^4, may change that by so much here.
constexpr double second_order = 4, about = 0.4;

TEST(Orbit, OfTwoBodiesClosesAfterItsPeriod) {
  constexpr double gravity = 2;
  const Start start = ellipse(gravity);
  const double period = 2 * std::numbers::pi * std::sqrt(1 / (gravity * 1.0));  // a = 1, M = 1
  double before = 0, energy_before = 0;
  for (const int steps : {500, 1000, 2000}) {
    const Ride r = ride(start, exact(), {period / steps, gravity}, steps);
    const double gap = farthest(r.arrays.positions(), start.positions);
    if (before > 0) {
      EXPECT_NEAR(before / gap, second_order, about) << steps;
      EXPECT_NEAR(energy_before / r.worst, second_order, about) << steps;
    }
    before = gap, energy_before = r.worst;
  }
  EXPECT_LT(before, 1e-3);  // another period than Kepler's by 1e-4 would show
}

TEST(Orbit, AttractsAndDoesNotRepel) {
  Start start{{0, 0, 0, 1, 0, 0}, Values(6, 0.0), {1, 1e-9}};
  HostArrays arrays = start.arrays();
  Leapfrog leapfrog(arrays, exact(), {0.01, 3});
  for (int step = 0; step < 10; ++step) leapfrog.step();
  // Falls for a tenth of the unit of time: x = 1 - 3 t^2 / 2 to first order, and faster the nearer it comes.
  EXPECT_NEAR(arrays.positions()[3], 1 - 1.5 * 0.01, 2e-4);
  EXPECT_LT(arrays.velocities()[3], 0);
}

// Chenciner and Montgomery's orbit of three equal masses on one curve.
TEST(Orbit, FigureEightCloses) {
  constexpr double x = 0.97000435669734, y = 0.24308753153583, vx = 0.93240737144104, vy = 0.86473146092102;
  constexpr double period = 6.32591398292621;
  const Start start{{x, -y, 0, -x, y, 0, 0, 0, 0}, {vx / 2, vy / 2, 0, vx / 2, vy / 2, 0, -vx, -vy, 0}, {1, 1, 1}};
  double before = 0;
  for (const int steps : {2000, 4000, 8000}) {
    const Ride r = ride(start, exact(), {period / steps, 1}, steps);
    const double gap = farthest(r.arrays.positions(), start.positions);
    if (before > 0) {
      EXPECT_NEAR(before / gap, second_order, about) << steps;
    }
    before = gap;
  }
  EXPECT_LT(before, 1e-4);
}

TEST(Orbit, EnergyOfAClusterErrsByTheSquareOfTheStep) {
  constexpr std::uint64_t seed = 20261123;
  RecordProperty("seed", static_cast<int>(seed));
  const Start start = plummer(64, seed);
  Options o = exact();
  o.softening = 0.2;  // no pair comes so close that a step would not resolve it
  double before = 0;
  for (const int steps : {100, 200, 400}) {
    const Ride r = ride(start, o, {4.0 / steps, 1}, steps);
    if (before > 0) {
      EXPECT_NEAR(before / r.worst, second_order, about) << steps << ", seed " << seed;
    }
    before = r.worst;
  }
  EXPECT_LT(before, 1e-4);
}

}  // namespace
}  // namespace farfield::motion::testing
