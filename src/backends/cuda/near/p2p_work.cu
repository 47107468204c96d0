#include <cub/device/device_scan.cuh>

#include "backends/cuda/near/families/p2p_families.hpp"
#include "backends/cuda/near/p2p_work.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/range_search.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {
namespace {

/// Whether a leaf may be in a family: its near sources are exactly those of its colleagues, or these and those of all
/// coarser leaves adjacent to its parent. A near row holds the leaf itself (where listed), then the other boxes in
/// ascending order, coarser boxes first. Sources of a colleague that is not in the near row are in finer near boxes or
/// in m2p; a coarser leaf is in the near row or in p2l.
struct FindCandidates {
  TreeView tree;
  ListsView lists;
  std::uint8_t* candidate;
  __device__ void operator()(std::int64_t i) const { candidate[i] = kind_of(static_cast<BoxId>(i)); }

 private:
  __device__ Candidate kind_of(BoxId b) const {
    const std::int64_t begin = lists.near.begin[b], end = lists.near.begin[b + 1];
    if (begin == end || is_heard(lists.m2p, b) || tree.parent[b] == no_box ||
        tree.target_count(b) > tuning::family_leaf || tree.level[lists.near.items[end - 1]] != tree.level[b])
      return no_candidate;
    const std::int64_t others = begin + (lists.near.items[begin] == b);
    if (!is_coarser(b, others, end)) return of_even;
    return is_heard(lists.p2l, b) || is_coarser(b, others + most_coarser, end) ? no_candidate : taker;
  }
  __device__ static bool is_heard(const ListView& list, BoxId b) { return list.begin[b] < list.begin[b + 1]; }
  __device__ bool is_coarser(BoxId b, std::int64_t item, std::int64_t end) const {
    return item < end && tree.level[lists.near.items[item]] < tree.level[b];
  }
};

/// Siblings are a family where three children or more are candidates and have few targets in the mean.
struct FamilyRule {
  TreeView tree;
  int mean;
  const std::uint8_t* candidate;
  SplitFamilies split;
  __device__ Family family(BoxId parent) const {
    if (parent == no_box || tree.is_leaf(parent)) return {};
    if (split.count > 0 && parent <= split.parent[split.count - 1])
      if (const int k = place_in_split(parent); split.parent[k] == parent) return split.family[k];
    unsigned found = 0, takers = 0;
    int count = 0;
    std::int64_t targets = 0;
    BoxId child = tree.first_child[parent];
    for (unsigned left = tree.child_mask[parent]; left; left &= left - 1, ++child) {
      if (candidate[child] == no_candidate) continue;
      found |= left & -left;
      if (candidate[child] == taker) takers |= left & -left;
      targets += tree.target_count(child);
      ++count;
    }
    if (count < 3 || targets > std::int64_t(mean) * count) return {};
    return {parent, static_cast<std::uint8_t>(found), static_cast<std::uint8_t>(takers), 0};
  }
  /// The first split parent not before this one; there is one.
  __device__ int place_in_split(BoxId parent) const {
    return static_cast<int>(count_below(split.parent, split.count - 1, parent));
  }
  __device__ bool is_family(BoxId parent) const { return family(parent).children != 0; }
};

/// Finer boxes in a leaf's row for which it has one tile more, as long as each has so many targets.
constexpr int finer_of_tile = 56, least_of_tile = 8;

constexpr int family_bits = 32;  // `place` counts families in its upper half, tiles in its lower

struct CountWork {
  FamilyRule rule;
  ListView near;
  int tile;
  std::uint64_t* place;
  __device__ void operator()(std::int64_t i) const {
    const TreeView& tree = rule.tree;
    const BoxId b = static_cast<BoxId>(i);
    std::uint64_t own = 0;
    if (i < tree.boxes) {
      if (rule.is_family(b)) own = std::uint64_t(1) << family_bits;
      const bool busy = near.begin[i] < near.begin[i + 1];
      if (busy && !(rule.candidate[i] != no_candidate && rule.is_family(tree.parent[b])))
        own += static_cast<std::uint64_t>(tiles_of(tree.target_count(b), finer_boxes(b)));
    }
    place[i] = own;
  }
  /// One tile more where tiles would be 1/2 to 5/8 full: else almost half of their threads are idle. And some where
  /// many finer boxes are near: with more sources than most, such tiles would be the last to end. Of 1e6 atoms in a
  /// drop a step of 2.53 ms waited 0.23 for the leaves about the drop, which have up to eight times as many pairs as
  /// others (told by rows of 81 boxes).
  __device__ std::int64_t tiles_of(std::int64_t targets, std::int64_t finer) const {
    const std::int64_t full = (targets + tile - 1) / tile;
    const std::int64_t tiles = 2 * targets > full * tile && 8 * targets <= 5 * full * tile ? full + 1 : full;
    return max(tiles, min(tiles + finer / finer_of_tile, targets / least_of_tile));
  }
  /// If there are enough of them to count. They are the last of the row.
  __device__ std::int64_t finer_boxes(BoxId b) const {
    const std::int64_t begin = near.begin[b], end = near.begin[b + 1];
    if (end - begin <= finer_of_tile) return 0;
    std::int64_t first = end;
    while (first > begin && is_finer(near.items[first - 1], b)) --first;
    return end - first;
  }
  __device__ bool is_finer(BoxId box, BoxId leaf) const { return rule.tree.level[box] > rule.tree.level[leaf]; }
};

struct FillWork {
  FamilyRule rule;
  ListView near;
  const std::uint64_t* place;
  PairTile* tiles;
  Family* families;
  std::int32_t* count;
  __device__ void operator()(std::int64_t i) const {
    const std::uint64_t own = place[i];
    const auto first_tile = static_cast<std::uint32_t>(own);
    const auto family = static_cast<std::uint32_t>(own >> family_bits);
    if (i == rule.tree.boxes) {
      count[0] = static_cast<std::int32_t>(first_tile);
      count[1] = static_cast<std::int32_t>(family);
      return;
    }
    const BoxId b = static_cast<BoxId>(i);
    const std::uint64_t next = place[i + 1];
    const std::int64_t parts = static_cast<std::uint32_t>(next) - first_tile, targets = rule.tree.target_count(b);
    const auto cut = [&](std::int64_t part) {
      return part < parts ? (targets / 4 * part + parts - 1) / parts * 4 : targets;
    };
    for (std::int64_t part = 0; part < parts; ++part)  // tiles about equal, in whole fours of targets
      tiles[first_tile + part] = tile_of(b, cut(part), cut(part + 1));
    if (static_cast<std::uint32_t>(next >> family_bits) > family) families[family] = rule.family(b);
  }
  __device__ PairTile tile_of(BoxId b, std::int64_t first, std::int64_t end) const {
    return {near.begin[b],
            rule.tree.target_begin[b] + first,
            b,
            static_cast<std::int32_t>(near.begin[b + 1] - near.begin[b]),
            static_cast<std::int32_t>(first),
            static_cast<std::int32_t>(end - first)};
  }
};

}  // namespace

P2pWork::P2pWork(DeviceMemory& memory) {
  for (DeviceArray<std::uint8_t>* a : {&candidate_, &scratch_}) a->use(memory);
  place_.use(memory);
  count_.use(memory);
  tile_.use(memory);
  family_.use(memory);
}

PairTiles P2pWork::view() const {
  return {tile_.data(), family_.data(), count_.data(), count_.data() + 1, most_tiles_, most_families_, wide_, fives_};
}

const std::uint8_t* P2pWork::find_candidates(const TreeView& tree, const ListsView& lists, cudaStream_t stream) {
  candidate_.resize(tree.boxes);
  for_each_index(tree.boxes, FindCandidates{tree, lists, candidate_.data()}, stream, "candidates of families");
  return candidate_.data();
}

void P2pWork::build(const TreeView& tree, const ListsView& lists, std::int64_t targets, int family_mean, int tile,
                    cudaStream_t stream) {
  most_tiles_ = most_families_ = 0;
  if (tree.boxes == 0) return;
  const std::int64_t boxes = tree.boxes;
  find_candidates(tree, lists, stream);
  place_.resize(boxes + 1);
  count_.resize(2);
  const FamilyRule rule{tree, family_mean, candidate_.data(), split_};
  for_each_index(boxes + 1, CountWork{rule, lists.near, tile, place_.data()}, stream, "tiles and families");
  with_temporary(scratch_, "places of tiles and families", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, place_.data(), place_.data(), boxes + 1, stream);
  });
  // tiles_of is at most 1 + 2 targets / tile and what finer boxes add. These are in rows of leaves about their parents,
  // of 26 at most, and add less than half of the boxes together; of all boxes 7/8 and one are leaves.
  most_tiles_ = std::min(boxes + 3 * boxes / 8 + 2, targets) + 2 * targets / tile;
  most_families_ = family_mean > 0 ? boxes / 4 : 0;  // a family: at least three children and their parent
  tile_.resize(most_tiles_);
  family_.resize(most_families_);
  for_each_index(boxes + 1, FillWork{rule, lists.near, place_.data(), tile_.data(), family_.data(), count_.data()},
                 stream, "places of work");
}

}  // namespace farfield::cuda
