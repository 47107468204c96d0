// A motion whose arrays lie on the device is that of the host: its steps, sums, bits and reversal.
#include "bodies.hpp"
#include "motion/mover.hpp"
#include "support/gpu.hpp"

namespace farfield::motion::testing {
namespace {

constexpr std::uint64_t seed = 20261126;

class DeviceMotion : public farfield::testing::GpuTest {};

Options on_device(Options o) {
  o.backend = Backend::cuda;
  return o;
}

Options fast(SofteningKind kind) {
  Options o;
  o.method = Method::fmm, o.tolerance = 1e-4, o.backend = Backend::cuda;
  o.softening = 0.01, o.softening_kind = kind;
  return o;
}

Start moved(const Start& start, Options options, int steps) {
  HostArrays arrays = start.arrays();
  const auto mover = make_mover(arrays, options, {0.01, 1});
  for (int step = 0; step < steps; ++step) mover->step();
  mover->fetch();
  return {arrays.positions(), arrays.velocities(), arrays.masses(), start.lengths};
}

TEST_F(DeviceMotion, IsThatOfTheHost) {
  const Start start = plummer(500, seed);
  Options o = exact();
  o.softening = 0.1;
  const Start host = moved(start, o, 50), device = moved(start, on_device(o), 50);
  constexpr double grown_roundings = 1e-11;
  EXPECT_LT(farthest(host.positions, device.positions), grown_roundings);
  EXPECT_LT(farthest(host.velocities, device.velocities), grown_roundings);
  EXPECT_GT(farthest(host.positions, start.positions), 0.01) << "hardly moved";
}

TEST_F(DeviceMotion, WithLengthsOfTheBodiesToo) {
  Start start = plummer(500, seed);
  for (std::size_t i = 0; i < start.masses.size(); ++i) start.lengths.push_back(i % 3 ? 0.2 : 0.05);
  for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline}) {
    Options o = exact();
    o.softening_kind = kind;
    const Start host = moved(start, o, 50), device = moved(start, on_device(o), 50),
                half = moved(start, on_device(o), 25);
    const Start rest = moved(half, on_device(o), 25);
    EXPECT_LT(farthest(host.positions, device.positions), 1e-11);  // grown roundings
    EXPECT_EQ(rest.positions, device.positions);
    EXPECT_EQ(rest.velocities, device.velocities);
  }
}

TEST_F(DeviceMotion, SumsAreThoseOfTheHost) {
  for (const std::int64_t n : {1, 2, 255, 256, 257, 30'000, 300'007}) {
    Start start = plummer(n, seed);
    HostArrays arrays = start.arrays();
    Options o = fast(SofteningKind::spline);
    const auto mover = make_mover(arrays, o, {0.01, 1});
    const Sums device = mover->sums(), again = mover->sums();
    mover->fetch();  // the potential
    const Sums host = arrays.sums();
    const double bound = 1e-15 * std::sqrt(static_cast<double>(n)) * 10;  // two orders of n terms, all about 1/n
    EXPECT_NEAR(device.mass, host.mass, bound) << n;
    EXPECT_NEAR(device.kinetic, host.kinetic, bound) << n;
    EXPECT_NEAR(device.potential, host.potential, bound) << n;
    EXPECT_EQ(device.kinetic, again.kinetic);
    EXPECT_EQ(device.angular, again.angular);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(device.moment[c], host.moment[c], 10 * bound) << n;
      EXPECT_NEAR(device.momentum[c], host.momentum[c], bound) << n;
      EXPECT_NEAR(device.angular[c], host.angular[c], 10 * bound) << n;
    }
  }
}

TEST_F(DeviceMotion, TwoRunsInARowAreOne) {
  const Start start = plummer(30'000, seed);
  Options treecode = fast(SofteningKind::spline);
  treecode.method = Method::treecode;
  for (const Options& o : {fast(SofteningKind::plummer), fast(SofteningKind::spline), treecode, on_device(exact())}) {
    const Start whole = moved(start, o, 20), halves = moved(moved(start, o, 10), o, 10);
    EXPECT_EQ(whole.positions, halves.positions);
    EXPECT_EQ(whole.velocities, halves.velocities);
  }
}

TEST_F(DeviceMotion, ReversedVelocitiesLeadBackToTheStart) {
  const Start start = plummer(100, seed);
  Options o = on_device(exact());
  o.softening = 0.1;
  Start there = moved(start, o, 200);
  ASSERT_GT(farthest(there.positions, start.positions), 0.1) << "hardly moved";
  for (double& v : there.velocities) v = -v;
  const Start back = moved(there, o, 200);
  constexpr double grown_roundings = 1e-11;
  EXPECT_LT(farthest(back.positions, start.positions), grown_roundings);
}

/// With forces of 1e-9 by expansions in double: the error of the energy falls by 4 where the step is halved.
TEST_F(DeviceMotion, EnergyErrsByTheSquareOfTheStep) {
  const Start start = plummer(2'000, seed);
  Options o = fast(SofteningKind::spline);
  o.tolerance = 1e-9, o.softening = 0.1, o.precision = Precision::double_;
  double before = 0;
  for (const int steps : {50, 100, 200}) {
    HostArrays arrays = start.arrays();
    const auto mover = make_mover(arrays, o, {2.0 / steps, 1});
    const Diagnostics first = diagnose(mover->sums());
    double worst = 0;
    for (int step = 0; step < steps; ++step) {
      mover->step();
      worst = std::max(worst, std::fabs(energy_change(diagnose(mover->sums()), first)));
    }
    constexpr double second_order = 4, about = 0.4;  // what comes after, of dt^4
    if (before > 0) {
      EXPECT_NEAR(before / worst, second_order, about) << steps;
    }
    before = worst;
  }
}

TEST_F(DeviceMotion, AnOpenBackendIsChosenOnce) {
  for (const std::int64_t n : {100, 200'000}) {
    HostArrays arrays = plummer(n, seed).arrays();
    Options o;
    o.softening = 0.01, o.softening_kind = SofteningKind::spline, o.tolerance = 1e-3;
    const auto mover = make_mover(arrays, o, {0.01, 1});
    EXPECT_EQ(mover->report().backend, word_of(o.backend));
    EXPECT_EQ(o.backend, n < 1000 ? Backend::cpu : Backend::cuda);
  }
}

TEST_F(DeviceMotion, BodiesThatLeaveTheRangeAreRefused) {
  Start start{{0, 0, 0, 1, 0, 0}, {0, 0, 0, 1e308, 0, 0}, {1, 1}};
  HostArrays arrays = start.arrays();
  Options o = on_device(exact());
  const auto mover = make_mover(arrays, o, {100, 1});
  EXPECT_THROW(mover->step(), Error);
}

}  // namespace
}  // namespace farfield::motion::testing
