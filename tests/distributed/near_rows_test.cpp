// Ranks' near lists are those of one tree over all points, box for box: how p2p shares its pairs out on a device
// follows from how long they are, and with that the order of its sums.
#include <array>
#include <map>

#include "backends/cpu/boxes/tree.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "distributed/clouds.hpp"
#include "distributed/share/share.hpp"
#include "distributed/shares.hpp"

namespace farfield::testing {
namespace {

using Box = std::array<double, 4>;  ///< centre and level
/// Of each box with near sources: the boxes that hold them, with their numbers, in order.
using Rows = std::map<Box, std::vector<std::pair<Box, std::int64_t>>>;

Rows near_rows(const TreeView& tree, const ListView& near) {
  const auto box = [&](BoxId b) {
    return Box{tree.coordinate(b, 0), tree.coordinate(b, 1), tree.coordinate(b, 2), static_cast<double>(tree.level[b])};
  };
  Rows rows;
  for (BoxId b = 0; b < tree.boxes; ++b)
    for (std::int64_t k = near.begin[b]; k < near.begin[b + 1]; ++k)
      rows[box(b)].emplace_back(box(near.items[k]), tree.source_count(near.items[k]));
  return rows;
}

/// Those of each rank, one after the other.
std::vector<Rows> near_rows_of_ranks(const std::vector<double>& x, int ranks, std::uint64_t seed,
                                     const Geometry& geometry, const Decision& decision) {
  const Cuts cuts = make_cuts(x.size() / 3, ranks, Sharing::random, seed);
  std::vector<Rows> rows(static_cast<std::size_t>(ranks));
  rethrow_any(run_ranks(ranks, [&](distributed::Communicator& communicator) {
    distributed::Ranks all(communicator);
    all.together([&] {
      const auto r = static_cast<std::size_t>(all.rank());
      const Points own = points(x.data() + 3 * cuts[r], static_cast<std::int64_t>(cuts[r + 1] - cuts[r]));
      const distributed::Share share =
          make_share(all, {own, nullptr, distributed::Order::given, false}, geometry, decision, 1);
      if (share.essential.tree.boxes > 0)
        rows[r] = near_rows(share.essential.tree.view(), share.essential.lists.view().near);
    });
  }));
  return rows;
}

TEST(NearRows, OfRanksAreThoseOfOneTree) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (const Named& cloud : clouds)
    for (const std::int64_t leaf_size : {3, 20}) {
      SCOPED_TRACE(cloud.name + std::string(", leaf size ") + std::to_string(leaf_size));
      const std::vector<double> x = cloud.make(4'000);
      const Geometry geometry = cpu::survey(points(x), nullptr, 1);
      Decision decision;
      decision.leaf_size = leaf_size, decision.thresholds = {leaf_size / 3, leaf_size / 3};
      cpu::CpuTree whole;
      cpu::build(whole, points(x), nullptr, geometry, {decision.root, leaf_size, -1, decision.thresholds, {}, 1});
      const Rows expected = near_rows(whole.tree.view(), whole.lists.view().near);
      for (const int ranks : {2, 5}) {
        std::size_t found = 0;
        for (const Rows& rows : near_rows_of_ranks(x, ranks, seed, geometry, decision)) {
          found += rows.size();
          for (const auto& [box, row] : rows) ASSERT_TRUE(expected.contains(box) && expected.at(box) == row);
        }
        EXPECT_EQ(found, expected.size()) << ranks << " ranks";
      }
    }
}

}  // namespace
}  // namespace farfield::testing
