#include "backends/cpu/cells/cells.hpp"

#include <algorithm>
#include <utility>

#include "backends/cpu/boxes/keys.hpp"
#include "backends/cpu/transfer/copy_axis.hpp"
#include "backends/cpu/tuning.hpp"
#include "core/chunks.hpp"
#include "core/loops/widest_vectors.hpp"
#include "tree/grid/differing_axes.hpp"
#include "tree/grid/sort_keys.hpp"
#include "tree/reader.hpp"

namespace farfield::cpu {

namespace {

constexpr int sorted_bits = 30;  ///< of a key that sort_items sorts by

/// Sorts ranges of equal upper halves by the lower ones.
template <class KeyOf>
void sort_lower_halves(Cloud& cloud, const KeyOf& key_of, int threads) {
  const std::int64_t count = cloud.count();
  for (std::int64_t begin = 0, end = 0; begin < count; begin = end) {
    for (end = begin + 1; end < count && cloud.items[end] >> 32 == cloud.items[begin] >> 32;) ++end;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::uint32_t index = index_of(cloud.items[i]);
      cloud.items[i] = make_item(static_cast<std::uint32_t>(key_of(index) & ((1u << sorted_bits) - 1)), index);
    }
    sort_items(cloud.items.data() + begin, cloud.scratch.data() + begin, end - begin, threads);
  }
}

void find_cells(Cells& cells, const SortedPoints& sorted, const CellLattice& lattice, int threads) {
  std::vector<CellKey> keys(static_cast<std::size_t>(sorted.count));
  for_each_index(sorted.count, tuning::points_per_chunk, threads, [&](std::int64_t i) {
    const double x[3] = {sorted.axis[0][i], sorted.axis[1][i], sorted.axis[2][i]};
    keys[static_cast<std::size_t>(i)] = key_of_cell(lattice, x);
  });
  cells.key.clear(), cells.begin.clear();
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (i == 0 || keys[i] != keys[i - 1])
      cells.key.push_back(keys[i]), cells.begin.push_back(static_cast<std::int64_t>(i));
  cells.begin.push_back(sorted.count);
}

/// Where the points of each of `blocks` equal parts of the caller's order go: of every key, those of the first part
/// first. What comes out does not depend on the number of parts.
class Counts {
 public:
  Counts(std::int64_t count, std::int64_t blocks, std::size_t keys)
      : count_(count), keys_(keys), at_(static_cast<std::size_t>(blocks) * keys, 0) {}

  std::int64_t blocks() const { return static_cast<std::int64_t>(at_.size() / keys_); }
  std::int64_t begin(std::int64_t block) const { return count_ * block / blocks(); }
  std::uint32_t* of(std::int64_t block) { return at_.data() + static_cast<std::size_t>(block) * keys_; }

  /// Turns numbers of points into places; calls ended(key, place) behind each key's points.
  template <class Ended>
  void sum(const Ended& ended) {
    std::uint32_t place = 0;
    for (std::size_t key = 0; key < keys_; ++key) {
      for (std::int64_t b = 0; b < blocks(); ++b) place += std::exchange(of(b)[key], place);
      ended(key, place);
    }
  }

 private:
  std::int64_t count_;
  std::size_t keys_;
  std::vector<std::uint32_t> at_;
};

/// What one axis gives to the keys of points: CellSortKeys::of, in vectors, for keys that are counted.
struct KeyPart {
  double low, inverse;
  std::int32_t shift, at, finer, fine_mask, fine_at;
};

FARFIELD_WIDEST_VECTORS
void add_to_keys(const KeyPart& part, const double* x, std::int64_t count, std::int32_t* keys) {
  const KeyPart p = part;
  for (std::int64_t i = 0; i < count; ++i) {
    const double t = (x[i] - p.low) * p.inverse;
    const auto place = static_cast<std::int32_t>(t > 0 ? t : 0);
    keys[i] |= place >> p.shift << p.at | (place >> p.finer & p.fine_mask) << p.fine_at;
  }
}

class KeyChunk {
 public:
  static constexpr std::int64_t most = 512;
  KeyChunk(const CellLattice& lattice, const CellSortKeys& keys) : lattice_(lattice) {
    for (int a = 0; a < lattice.axes; ++a)
      part_[a] = {lattice.low[a],         lattice.inverse, lattice.shift, keys.at(a), lattice.shift - lattice.sub,
                  (1 << lattice.sub) - 1, a * lattice.sub};
  }
  /// Of the points from `begin` on.
  template <class Read>
  const std::int32_t* find(const Read& read, std::int64_t begin, std::int64_t count) {
    std::fill_n(key_, count, 0);
    for (int a = 0; a < lattice_.axes; ++a) {
      copy_axis(read, lattice_.axis[a], begin, count, x_);
      add_to_keys(part_[a], x_, count, key_);
    }
    return key_;
  }

 private:
  const CellLattice& lattice_;
  KeyPart part_[3];
  double x_[most];
  std::int32_t key_[most];
};

/// Points [begin, end) to the places that `own` has for their keys. With a reader of its own: of another's the loop
/// would read the pointers anew behind every number that it writes, which took twice as long.
template <int axes, class Read>
void write_at_places(SortedPoints& sorted, const Read read, const int* axis, const std::uint16_t* keys,
                     std::uint32_t* own, std::int64_t begin, std::int64_t end) {
  std::uint32_t* order = sorted.order.data();
  double* to[axes];
  int from[axes];
  for (int a = 0; a < axes; ++a) from[a] = axis[a], to[a] = sorted.axis[axis[a]].data();
  for (std::int64_t i = begin; i < end; ++i) {
    const std::uint32_t place = own[keys[i]]++;
    order[place] = static_cast<std::uint32_t>(i);
    for (int a = 0; a < axes; ++a) to[a][place] = read(i, from[a]);
  }
}

/// Few different keys: points are counted and written where they belong, with no sort of items and no second look for
/// the cells. 200,000 points of the plane take a third of the time.
template <class Read>
void count_into_cells(SortedPoints& sorted, Cells& cells, std::int64_t count, const Read& read,
                      const CellSortKeys& key_of, const CellLattice& lattice, const DifferingAxes& differing,
                      int threads) {
  Array<std::uint16_t> keys;
  keys.resize(count), sorted.resize(count);
  Counts counts(count, std::clamp<std::int64_t>(count / tuning::fewest_per_thread, 1, team_size(threads)),
                std::size_t(1) << key_of.all());
  const std::int32_t most = (1 << key_of.all()) - 1;
  for_each_index(counts.blocks(), 1, threads, [&](std::int64_t b) {
    std::uint32_t* own = counts.of(b);
    KeyChunk chunk(lattice, key_of);
    for (std::int64_t i = counts.begin(b); i < counts.begin(b + 1); i += chunk.most) {
      const std::int64_t few = std::min(chunk.most, counts.begin(b + 1) - i);
      const std::int32_t* found = chunk.find(read, i, few);
      for (std::int64_t k = 0; k < few; ++k) ++own[keys[i + k] = static_cast<std::uint16_t>(found[k] & most)];
    }
  });
  cells.key.clear(), cells.begin.assign(1, 0);
  counts.sum([&](std::uint64_t key, std::int64_t place) {
    const bool last = ((key + 1) & ((std::uint64_t(1) << key_of.fine_bits()) - 1)) == 0;  // of its cell
    if (last && place > cells.begin.back()) cells.key.push_back(key_of.cell(key)), cells.begin.push_back(place);
  });
  for_each_index(counts.blocks(), 1, threads, [&](std::int64_t b) {
    const std::int64_t begin = counts.begin(b), end = counts.begin(b + 1);
    const auto write = [&](auto axes) {
      write_at_places<axes()>(sorted, read, differing.axis, keys.data(), counts.of(b), begin, end);
    };
    if (differing.count == 1) return write(std::integral_constant<int, 1>{});
    if (differing.count == 2) return write(std::integral_constant<int, 2>{});
    write(std::integral_constant<int, 3>{});
  });
  for (int d = 0; d < 3; ++d)
    if (!differing.has(d)) std::fill_n(sorted.axis[d].data(), count, read(0, d));
  pad(sorted);
}

}  // namespace

void sort_by_cells(SortedPoints& sorted, Cells& cells, const Points& points, const Geometry& geometry,
                   const CellLattice& lattice, int threads) {
  const Scaling scale(geometry.exponent);
  const CellSortKeys keys(lattice, geometry);
  Cloud cloud{points, scale, {}, {}, {}};
  require_indices(cloud.count());
  if (keys.all() <= counted_bits && cloud.count() * 16 >= std::int64_t(1) << keys.all())
    return with_reader(points, scale, [&](const auto& read) {
      count_into_cells(sorted, cells, cloud.count(), read, keys, lattice, DifferingAxes(geometry), threads);
    });
  cloud.items.resize(cloud.count());
  cloud.scratch.resize(cloud.count());
  with_reader(points, scale, [&](const auto& read) {
    const auto key_of = [&](std::int64_t i) {
      double x[3];
      read.read(i, x);
      return keys(x);
    };
    const int lower = keys.all() > sorted_bits ? sorted_bits : 0;
    for_each_index(cloud.count(), tuning::points_per_chunk, threads, [&](std::int64_t i) {
      cloud.items[i] = make_item(static_cast<std::uint32_t>(key_of(i) >> lower), static_cast<std::uint32_t>(i));
    });
    sort_items(cloud.items.data(), cloud.scratch.data(), cloud.count(), threads);
    if (lower > 0) sort_lower_halves(cloud, key_of, threads);
  });
  gather(sorted, cloud, threads);
  find_cells(cells, sorted, lattice, threads);
}

}  // namespace farfield::cpu
