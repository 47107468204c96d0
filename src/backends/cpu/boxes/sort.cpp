#include "backends/cpu/boxes/sort.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "backends/cpu/tuning.hpp"
#include "core/chunks.hpp"
#include "tree/reader.hpp"

namespace farfield::cpu {
namespace {

constexpr int buckets = 1 << tuning::digit_bits;

int digit(Item item, int shift) { return static_cast<int>(item >> shift) & (buckets - 1); }

/// The blocks that one pass is cut into: one per thread. The result does not depend on them, since passes are stable.
struct Blocks {
  std::int64_t items, blocks;
  std::int64_t begin(std::int64_t b) const { return items * b / blocks; }
};

/// Bits in which the items differ: a digit that is the same in all needs no pass.
Item varying_bits(const Item* items, Blocks cut, int threads) {
  std::vector<Item> parts(static_cast<std::size_t>(cut.blocks), 0);
  for_each_index(cut.blocks, 1, threads, [&](std::int64_t b) {
    Item varying = 0;
    for (std::int64_t i = cut.begin(b); i < cut.begin(b + 1); ++i) varying |= items[i] ^ items[0];
    parts[static_cast<std::size_t>(b)] = varying;
  });
  Item all = 0;
  for (const Item part : parts) all |= part;
  return all;
}

/// One stable counting pass: each block counts its digits, offsets run over digits first and blocks second.
void pass(const Item* from, Item* to, int shift, Blocks cut, std::vector<std::int64_t>& offsets, int threads) {
  std::fill(offsets.begin(), offsets.end(), 0);
  for_each_index(cut.blocks, 1, threads, [&](std::int64_t b) {
    std::int64_t* count = offsets.data() + b * buckets;
    for (std::int64_t i = cut.begin(b); i < cut.begin(b + 1); ++i) ++count[digit(from[i], shift)];
  });
  std::int64_t sum = 0;
  for (std::int64_t d = 0; d < buckets; ++d)
    for (std::int64_t b = 0; b < cut.blocks; ++b) {
      std::int64_t& offset = offsets[static_cast<std::size_t>(b * buckets + d)];
      sum += std::exchange(offset, sum);
    }
  for_each_index(cut.blocks, 1, threads, [&](std::int64_t b) {
    std::int64_t* next = offsets.data() + b * buckets;
    for (std::int64_t i = cut.begin(b); i < cut.begin(b + 1); ++i) to[next[digit(from[i], shift)]++] = from[i];
  });
}

}  // namespace

void sort_items(Item* items, Item* scratch, std::int64_t count, int threads) {
  if (count <= tuning::sorted_by_std) {
    std::sort(items, items + count);
    return;
  }
  const Blocks cut{count, std::clamp<std::int64_t>(count / tuning::fewest_per_thread, 1, team_size(threads))};
  const Item varying = varying_bits(items, cut, threads);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(cut.blocks * buckets));
  Item *from = items, *to = scratch;
  constexpr KeyLayout layout;
  constexpr int lowest = layout.index_bits(), highest = lowest + layout.levels(0).bits();
  for (int shift = lowest; shift < highest; shift += tuning::digit_bits) {
    if (digit(varying, shift) == 0) continue;
    pass(from, to, shift, cut, offsets, threads);
    std::swap(from, to);
  }
  if (from == items) return;
  for_chunks(count, tuning::items_per_chunk, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    std::memcpy(items + begin, scratch + begin, static_cast<std::size_t>(end - begin) * sizeof(Item));
  });
}

void pad(SortedPoints& sorted) {
  const std::int64_t count = sorted.count;
  for (std::int64_t i = count; i < count + padding; ++i) {
    sorted.order[i] = count > 0 ? sorted.order[count - 1] : 0;
    for (Array<double>& axis : sorted.axis) axis[i] = count > 0 ? axis[count - 1] : 0;
  }
}

void gather(SortedPoints& sorted, const Cloud& cloud, int threads) {
  const std::int64_t count = cloud.count();
  sorted.resize(count);
  with_reader(cloud.points, cloud.scale, [&](const auto& read) {
    for_each_index(count, tuning::points_per_chunk, threads, [&](std::int64_t i) {
      const std::uint32_t index = index_of(cloud.items[i]);
      sorted.order[i] = index;
      for (int d = 0; d < 3; ++d) sorted.axis[d][i] = read(index, d);
    });
  });
  pad(sorted);
}

}  // namespace farfield::cpu
