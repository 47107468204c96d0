// The coarse tree that ranks settle together: every box against the points of all ranks that lie in it, box by box and
// not level by level; and how many levels are counted at once.
#include "distributed/partition/coarse.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "backends/cpu/transfer/survey.hpp"
#include "distributed/clouds.hpp"
#include "distributed/shares.hpp"
#include "tree/reader.hpp"

namespace farfield::testing {
namespace {

using distributed::CoarseBox;
using distributed::Partition;
using distributed::Pieces;

Partition partition_of(const std::vector<double>& x, int ranks, const Geometry& geometry, const Decision& decision) {
  const Cuts cuts = make_cuts(x.size() / 3, ranks, Sharing::random, fresh_seed());
  Partition made;
  rethrow_any(run_ranks(ranks, [&](distributed::Communicator& communicator) {
    distributed::Ranks own(communicator);
    own.together([&] {
      const auto r = static_cast<std::size_t>(own.rank());
      const Points part = points(x.data() + 3 * cuts[r], static_cast<std::int64_t>(cuts[r + 1] - cuts[r]));
      Partition of_rank = divide(own, {part, nullptr}, geometry, decision);
      if (r == 0) made = std::move(of_rank);
    });
  }));
  return made;
}

/// The points in a box, by their lattice indices.
std::vector<std::int64_t> inside(const CoarseBox& box, const AnyReader& read, std::int64_t count,
                                 const Lattice& lattice) {
  std::vector<std::int64_t> found;
  for (std::int64_t i = 0; i < count; ++i) {
    bool holds = true;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t from = lattice.index(read(i, axis), axis) - box.corner.at[axis];
      holds = holds && from >= 0 && from >> (lattice.depth - box.level) == 0;
    }
    if (holds) found.push_back(i);
  }
  return found;
}

bool coincide(const std::vector<std::int64_t>& at, const AnyReader& read) {
  return std::all_of(at.begin(), at.end(), [&](std::int64_t i) {
    return read(i, 0) == read(at[0], 0) && read(i, 1) == read(at[0], 1) && read(i, 2) == read(at[0], 2);
  });
}

bool holds_border(const CoarseBox& box, const Pieces& pieces) {
  return std::any_of(pieces.begin.begin(), pieces.begin.end(), [&](double border) {
    return border > static_cast<double>(box.sources.begin) &&
           border < static_cast<double>(box.sources.begin + box.sources.count);
  });
}

void expect_coarse_tree(const std::vector<double>& x, int ranks, int leaf_size) {
  Decision decision;
  decision.leaf_size = leaf_size, decision.thresholds = {8, 8};
  const Points all = points(x);
  const Geometry geometry = cpu::survey(all, nullptr, 1);
  const AnyReader read(all, Scaling(geometry.exponent));
  const Partition made = partition_of(x, ranks, geometry, decision);
  const Pieces pieces = distributed::pieces_of(all.count, {}, ranks);
  const std::int64_t least = std::max(leaf_size, 8), most = std::max(pieces.points_per_box(), least);
  int divided = 0;
  for (const CoarseBox& box : made.boxes) {
    const std::vector<std::int64_t> in_box = inside(box, read, all.count, made.lattice);
    ASSERT_EQ(box.sources.count, std::ssize(in_box)) << "level " << box.level;
    ASSERT_GT(box.sources.count, 0);
    const std::string told = "level " + std::to_string(box.level) + ", points: " + std::to_string(box.sources.count);
    const bool heap = coincide(in_box, read), must = box.sources.count > most && !heap,
               may = box.sources.count > least && !heap && holds_border(box, pieces);
    ASSERT_TRUE(box.is_leaf() ? !must : must || may) << told;
    if (box.is_leaf()) continue;
    ++divided;
    std::int64_t of_children = 0;
    for (int c = box.first_child; c < box.first_child + box.children; ++c) {
      const CoarseBox& child = made.boxes[static_cast<std::size_t>(c)];
      ASSERT_EQ(child.level, box.level + 1);
      of_children += child.sources.count;
    }
    ASSERT_EQ(of_children, box.sources.count);
  }
  EXPECT_GT(divided, 0);
}

TEST(CoarseTree, HoldsThePointsOfAllRanks) {
  for (const Named& cloud : clouds)
    for (const int ranks : {1, 2, 7}) {
      SCOPED_TRACE(std::string(cloud.name) + ", ranks: " + std::to_string(ranks));
      expect_coarse_tree(cloud.make(4000), ranks, 16);
    }
}

/// Two places deep in the tree, one of them a heap: chains of boxes with one child each, over several counts.
TEST(CoarseTree, DividesChainsOfBoxesAndNoHeaps) {
  std::vector<double> x = uniform(400);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i >= 300) x[i] = i < 750 ? 0.3 : 0.7 + 1e-5 * x[i];
  for (const int ranks : {1, 3}) expect_coarse_tree(x, ranks, 4);
}

/// Boxes have 310 points where none is too large, and 40 where a border is.
TEST(CoarseTree, PlacesBordersInSmallBoxes) {
  const std::int64_t count = 20'000;
  const std::vector<double> x = uniform(static_cast<std::size_t>(count));
  Decision decision;
  decision.leaf_size = 16, decision.thresholds = {8, 8};
  const Partition made = partition_of(x, 3, cpu::survey(points(x), nullptr, 1), decision);
  const distributed::Begins firsts = made.firsts(&CoarseBox::sources);
  for (int rank = 1; rank < 3; ++rank)
    EXPECT_NEAR(static_cast<double>(firsts[static_cast<std::size_t>(rank)]), rank * count / 3.0, 40) << rank;
}

TEST(CoarseTree, CountsSoManyLevelsAtOnce) {
  using distributed::levels_at_once;
  EXPECT_EQ(levels_at_once(1, 100), 3);
  EXPECT_EQ(levels_at_once(8, 100), 2);
  EXPECT_EQ(levels_at_once(100, 100), 1);
  EXPECT_EQ(levels_at_once(1, 1 << 26), 4);
  EXPECT_EQ(levels_at_once(16, 1 << 26), 3);
  EXPECT_EQ(levels_at_once(17, 1 << 26), 2);
  EXPECT_EQ(levels_at_once(1, 1 << 28), 5);
  EXPECT_EQ(levels_at_once(8, 1e10), 4);
  EXPECT_EQ(levels_at_once(1'000'000, 1e10), 1);
}

}  // namespace
}  // namespace farfield::testing
