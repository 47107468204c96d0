// A motion is the same, bit for bit, however it is cut into runs and on however many threads; and it can be reversed.
#include "bodies.hpp"

namespace farfield::motion::testing {
namespace {

constexpr std::uint64_t seed = 20261125;

Options fast() {
  Options o;
  o.method = Method::fmm, o.tolerance = 1e-4, o.backend = Backend::cpu, o.threads = 1;
  return o;
}

Start moved(const Start& start, const Options& options, int steps) {
  HostArrays arrays = start.arrays();
  Leapfrog leapfrog(arrays, options, {0.01, 1});
  for (int step = 0; step < steps; ++step) leapfrog.step();
  return {arrays.positions(), arrays.velocities(), arrays.masses(), start.lengths};
}

TEST(Repeat, TwoRunsInARowAreOne) {
  RecordProperty("seed", static_cast<int>(seed));
  const Start start = plummer(3000, seed);
  for (const Options& o : {fast(), exact()}) {
    const Start whole = moved(start, o, 20), halves = moved(moved(start, o, 10), o, 10);
    EXPECT_EQ(whole.positions, halves.positions) << "seed " << seed;
    EXPECT_EQ(whole.velocities, halves.velocities) << "seed " << seed;
  }
}

/// Light and heavy bodies with softening lengths of their own.
Start two_kinds(std::int64_t n) {
  Start start = plummer(n, seed);
  for (std::size_t i = 0; i < start.masses.size(); ++i) start.lengths.push_back(i % 3 ? 0.1 : 0.04);
  return start;
}

TEST(Repeat, WithLengthsOfTheBodiesToo) {
  const Start start = two_kinds(3000);
  for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline})
    for (Options o : {fast(), exact()}) {
      o.softening_kind = kind, o.tolerance = 1e-3;
      Options one = o;
      one.softening = 0.1;
      Start same = start;
      same.lengths.clear();
      const Start whole = moved(start, o, 10), halves = moved(moved(start, o, 5), o, 5), other = moved(same, one, 10);
      o.threads = 3;
      const Start more = moved(start, o, 10);
      EXPECT_EQ(whole.positions, halves.positions) << "seed " << seed;
      EXPECT_EQ(whole.velocities, halves.velocities) << "seed " << seed;
      EXPECT_EQ(whole.velocities, more.velocities) << "seed " << seed;
      EXPECT_NE(whole.velocities, other.velocities) << "the lengths change nothing, seed " << seed;
    }
}

TEST(Repeat, LengthsOfTheBodiesAreReversible) {
  const Start start = two_kinds(100);
  for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline}) {
    Options o = exact();
    o.softening_kind = kind;
    Start there = moved(start, o, 100);
    ASSERT_GT(farthest(there.positions, start.positions), 0.1) << "hardly moved, seed " << seed;
    for (double& v : there.velocities) v = -v;
    EXPECT_LT(farthest(moved(there, o, 100).positions, start.positions), 1e-11) << "seed " << seed;  // grown roundings
  }
}

TEST(Repeat, AsManyLengthsAsBodies) {
  Start start = two_kinds(10);
  start.lengths.pop_back();
  EXPECT_THROW(start.arrays(), Error);
}

TEST(Repeat, OnMoreThreadsIsTheSame) {
  RecordProperty("seed", static_cast<int>(seed));
  const Start start = plummer(20'000, seed);  // more than the loops of one thread take
  Sums sums[2];
  Values positions[2];
  for (const int threads : {1, 2}) {
    Options o = fast();
    o.threads = threads;
    HostArrays arrays = start.arrays();
    Leapfrog leapfrog(arrays, o, {0.01, 1});
    for (int step = 0; step < 3; ++step) leapfrog.step();
    sums[threads - 1] = arrays.sums(), positions[threads - 1] = arrays.positions();
  }
  EXPECT_EQ(positions[0], positions[1]) << "seed " << seed;
  EXPECT_EQ(sums[0].kinetic, sums[1].kinetic);
  EXPECT_EQ(sums[0].potential, sums[1].potential);
  EXPECT_EQ(sums[0].angular, sums[1].angular);
}

TEST(Repeat, ReversedVelocitiesLeadBackToTheStart) {
  RecordProperty("seed", static_cast<int>(seed));
  const Start start = plummer(100, seed);
  Options o = exact();
  o.softening = 0.1;
  Start there = moved(start, o, 200);
  ASSERT_GT(farthest(there.positions, start.positions), 0.1) << "hardly moved, seed " << seed;
  for (double& v : there.velocities) v = -v;
  const Start back = moved(there, o, 200);
  // Rounding of 400 steps, which neighbours that come close make grow; the error of the integrator itself is 1e-4.
  constexpr double grown_roundings = 1e-11;
  EXPECT_LT(farthest(back.positions, start.positions), grown_roundings) << "seed " << seed;
  Values reversed = back.velocities;
  for (double& v : reversed) v = -v;
  EXPECT_LT(farthest(reversed, start.velocities), grown_roundings) << "seed " << seed;
}

}  // namespace
}  // namespace farfield::motion::testing
