// How many points ranks on devices take where their callers do not say.
#include "distributed/partition/room.hpp"

#include <gtest/gtest.h>

#include <farfield/error.hpp>

#include "distributed/partition/pieces.hpp"

namespace farfield::testing {
namespace {

using distributed::Capacity;
using distributed::DeviceRoom;

constexpr std::int64_t open = Capacity().most_points;
constexpr double bytes = 100;  // for each point

std::vector<std::int64_t> kept(std::vector<Capacity> capacities, const std::vector<DeviceRoom>& rooms,
                               std::int64_t points, int rank = 0) {
  keep_to_rooms(capacities, rooms, bytes, points, rank);
  std::vector<std::int64_t> most;
  for (const Capacity& one : capacities) most.push_back(one.most_points);
  return most;
}
using Most = std::vector<std::int64_t>;

TEST(Rooms, BoundRanksWhoseCallersDoNot) {
  const std::vector<DeviceRoom> rooms{{64'000, 1}, {128'000, 2}, {0, 0}};
  EXPECT_EQ(kept({{}, {}, {}}, rooms, 1'000), (Most{630, 1'260, open})) << "63 of 64 bytes, 100 for a point";
  EXPECT_EQ(kept({{}, {1, 77}, {}}, rooms, 1'000), (Most{630, 77, open})) << "what a caller says counts";
}

TEST(Rooms, AreSharedByRanksOfOneDevice) {
  EXPECT_EQ(kept({{}, {}, {}}, {{64'000, 1}, {64'000, 2}, {64'000, 1}}, 1'000), (Most{315, 630, 315}));
}

TEST(Rooms, MoveBordersBetweenRanks) {
  std::vector<Capacity> capacities(2);
  keep_to_rooms(capacities, {{64'000, 1}, {640'000, 2}}, bytes, 2'000, 0);
  const distributed::Pieces pieces = distributed::pieces_of(2'000, capacities, 2);
  EXPECT_EQ(pieces.begin, (std::vector<double>{0, 630, 2'000}));
}

TEST(Rooms, AreNotBelievedToTheLastByte) {
  EXPECT_EQ(kept({{}, {}}, {{64'000, 1}, {64'000, 2}}, 1'400), (Most{open, open})) << "a tenth too many: worth trying";
}

TEST(Rooms, RefuseWhatDoesNotFitInOneSentence) {
  const std::vector<DeviceRoom> rooms{{64'000, 1}, {32'000, 2}};
  EXPECT_EQ(kept({{}, {}}, rooms, 2'000, 0), (Most{open, open})) << "the other rank says it";
  try {
    kept({{}, {}}, rooms, 2'000, 1);
    FAIL() << "2000 points were taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::memory);
    EXPECT_STREQ(
        error.what(),
        "about 100000 bytes of device memory are needed for 1000 points, 100 for each, and 32000 are free, and "
        "other ranks cannot take the rest; use more devices, fewer points, larger leaves, a larger tolerance or "
        "precision single");
  }
}

}  // namespace
}  // namespace farfield::testing
