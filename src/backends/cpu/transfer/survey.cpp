#include "backends/cpu/transfer/survey.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <farfield/error.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/transfer/copy_axis.hpp"
#include "backends/cpu/transfer/number_range.hpp"
#include "backends/cpu/tuning.hpp"
#include "core/chunks.hpp"
#include "core/loops/widest_vectors.hpp"
#include "tree/grid/differing_axes.hpp"
#include "tree/lattice.hpp"
#include "tree/reader.hpp"

namespace farfield::cpu {
namespace {

using Bounds = std::array<NumberRange, 3>;

void join(Bounds& bounds, const Bounds& other) {
  for (std::size_t d = 0; d < 3; ++d) bounds[d].join(other[d]);
}

template <class T>
Bounds bounds_of_range(const Reader<T>& read, std::int64_t begin, std::int64_t end) {
  Bounds all;
  double x[side_by_side];
  for (; begin < end; begin += side_by_side)
    for (int d = 0; d < 3; ++d) {
      const std::int64_t few = std::min(side_by_side, end - begin);
      copy_axis(read, d, begin, few, x);
      extend(all[static_cast<std::size_t>(d)], x, few);
    }
  return all;
}

template <class T>
void require_all(const Kept& kept, const Reader<T>& read, std::int64_t count, const char* what) {
  for (std::int64_t i = 0; i < count; ++i)
    for (int d = 0; d < 3; ++d)
      if (const double x = read.raw(i, d); !kept(x)) refuse_coordinate(what, i, d, x);
}
void require_all(const Kept& kept, const Points& points, const char* what) {
  with_reader(points, Scaling(), [&](const auto& read) { require_all(kept, read, points.count, what); });
}

Bounds bounds_of(const Points& points, const char* what, int threads) {
  std::vector<Bounds> parts(static_cast<std::size_t>(chunk_count(points.count, tuning::surveyed_per_chunk)));
  return with_reader(points, Scaling(), [&](const auto& read) {
    for_chunks(points.count, tuning::surveyed_per_chunk, threads,
               [&](std::int64_t begin, std::int64_t end, std::int64_t chunk) {
                 parts[static_cast<std::size_t>(chunk)] = bounds_of_range(read, begin, end);
               });
    Bounds all;
    for (const Bounds& part : parts) join(all, part);
    if (!(all[0].finite() && all[1].finite() && all[2].finite())) {
      require_all(Kept(0), read, points.count, what);
      throw Error(ErrorCode::input, std::string("the ") + what + "s changed while they were read");
    }
    return all;
  });
}

constexpr int finest = finest_grid;  // 128 cells a side
using Bitmap = std::vector<std::uint64_t>;

/// The bits of a cell's number along one axis, `axes` places apart from each other.
template <int axes>
inline __attribute__((always_inline)) std::int32_t bits_apart(std::int32_t v) {
  static_assert(finest <= 8);
  if constexpr (axes == 2) {
    v = (v | v << 4) & 0x0f0f, v = (v | v << 2) & 0x3333, v = (v | v << 1) & 0x5555;
  } else if constexpr (axes == 3) {
    v = (v | v << 8) & 0x00f00f, v = (v | v << 4) & 0x0c30c3, v = (v | v << 2) & 0x249249;
  }
  return v;
}
template <int axes>
inline __attribute__((always_inline)) void add_bits_in(const double* x, std::int64_t count, double low, double cells,
                                                       int axis, std::int32_t* bit) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::int32_t>((x[i] - low) * cells);
    bit[i] |= bits_apart<axes>(at < (1 << finest) ? at : (1 << finest) - 1) << axis;
  }
}

/// Adds what the coordinates along one of `axes` axes give to the Morton numbers of points' cells.
FARFIELD_WIDEST_VECTORS
void add_bits(const double* x, std::int64_t count, double low, double cells, int axis, int axes, std::int32_t* bit) {
  if (axes == 3) return add_bits_in<3>(x, count, low, cells, axis, bit);
  if (axes == 2) return add_bits_in<2>(x, count, low, cells, axis, bit);
  add_bits_in<1>(x, count, low, cells, axis, bit);
}

/// Cells of the finest grid that hold a point, one bit each in Morton order: 2^axes neighbouring bits are one coarser
/// cell. Only axes along which points differ count: the cells of a plane are 2 KiB, those of space 256.
class Occupancy {
 public:
  Occupancy(const Geometry& g, const Points& sources, const Points* targets, int threads)
      : scale_(g.exponent), grid_(g), differing_(g) {
    std::vector<Bitmap> maps(static_cast<std::size_t>(team_size(threads)));
    mark(maps, sources, threads);
    if (targets) mark(maps, *targets, threads);
    map_ = std::move(maps.front());
    for (std::size_t other = 1; other < maps.size(); ++other)
      for (std::size_t i = 0; i < map_.size(); ++i) map_[i] |= maps[other][i];
  }

  std::int64_t count() const { return bits_of(map_); }
  void join(OtherParts& others) { others.join(map_); }
  void coarsen() { axes() == 3 ? coarsen_in<3>() : axes() == 2 ? coarsen_in<2>() : coarsen_in<1>(); }

 private:
  int axes() const { return differing_.count; }

  /// Marks the points' cells. Each thread has a block of points and a bitmap of its own, which stays in its caches.
  void mark(std::vector<Bitmap>& maps, const Points& points, int threads) const {
    const std::size_t words = (std::size_t(63) + (std::size_t(1) << finest * axes())) / 64;
    const std::int64_t blocks = std::ssize(maps);
    with_reader(points, scale_, [&](const auto& read) {
      for_each_index(blocks, 1, threads, [&](std::int64_t b) {
        Bitmap& map = maps[static_cast<std::size_t>(b)];
        map.resize(words, 0);
        const std::int64_t end = points.count * (b + 1) / blocks;
        for (std::int64_t i = points.count * b / blocks; i < end; i += side_by_side)
          mark_some(map, read, i, std::min(end - i, side_by_side));
      });
    });
  }
  template <class Read>
  void mark_some(Bitmap& map, const Read& read, std::int64_t begin, std::int64_t count) const {
    double x[side_by_side];
    std::int32_t bit[side_by_side] = {};
    for (int a = 0; a < axes(); ++a) {
      const int axis = differing_.axis[a];
      copy_axis(read, axis, begin, count, x);
      add_bits(x, count, grid_.low[axis], grid_.cells, a, axes(), bit);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::uint32_t>(bit[i]);
      map[at / 64] |= std::uint64_t(1) << at % 64;
    }
  }
  /// The baseline has no instruction that counts bits.
  FARFIELD_WIDEST_VECTORS
  static std::int64_t bits_of(const Bitmap& map) {
    std::int64_t bits = 0;
    for (const std::uint64_t word : map) bits += std::popcount(word);
    return bits;
  }
  /// A template: with a number of axes that is not known 5,000 points in space would wait 20 microseconds longer.
  template <int axes>
  void coarsen_in() {
    constexpr std::size_t within = (std::size_t(1) << axes) - 1;
    Bitmap coarse((map_.size() + within) >> axes, 0);
    for (std::size_t word = 0; word < map_.size(); ++word)
      coarse[word >> axes] |= occupied_groups<axes>(map_[word]) << (word & within) * (64 >> axes);
    map_ = std::move(coarse);
  }
  /// One bit for each group of 2^axes bits of `word` that is not zero.
  template <int axes>
  static std::uint64_t occupied_groups(std::uint64_t word) {
    for (int a = axes; a-- > 0;) word |= word >> (1 << a);
    if constexpr (axes == 3) return (word & 0x0101010101010101) * 0x0102040810204080 >> 56;
    std::uint64_t groups = 0;
    for (int group = 0; group < 64 >> axes; ++group) groups |= (word >> (group << axes) & 1) << group;
    return groups;
  }

  Scaling scale_;
  GridCells grid_;
  DifferingAxes differing_;
  Bitmap map_;
};

void find_occupancy(Geometry& g, const Points& sources, const Points* targets, int threads, OtherParts* others) {
  if (!has_grid(g)) return;
  const std::int64_t points = g.sources + (targets ? g.targets : 0);
  Occupancy occupied(g, sources, targets, threads);
  if (others) occupied.join(*others);
  int level = finest;
  for (; level > 0 && occupied.count() * 8 > points; --level) occupied.coarsen();
  g.grid = 1 << level;
  g.occupied = occupied.count();
  if (level > 0) occupied.coarsen();
  g.occupied_coarse = occupied.count();
}

PointBox corners_of(const Bounds& b) { return {{b[0].low, b[1].low, b[2].low}, {b[0].high, b[1].high, b[2].high}}; }

}  // namespace

Geometry survey(const Points& sources, const Points* targets, int threads, OtherParts* others) {
  check_view(sources, "source");
  if (targets) check_view(*targets, "target");
  Bounds box = bounds_of(sources, "source", threads);
  const Bounds of_targets = targets ? bounds_of(*targets, "target", threads) : Bounds();
  join(box, of_targets);
  Found found{sources.count, targets ? targets->count : sources.count, corners_of(box), corners_of(of_targets),
              std::min({box[0].least, box[1].least, box[2].least})};
  if (others) others->join(found);
  Geometry g;
  g.sources = found.sources;
  g.alike = targets == nullptr;
  g.targets = found.targets;
  if (g.sources + g.targets == 0) return g;

  set_box(g, found.all.low, found.all.high, found.least);
  if (targets) g.of_targets = found.of_targets;
  if (may_lose_digits(g)) {
    require_all(Kept(g.exponent), sources, "source");
    if (targets) require_all(Kept(g.exponent), *targets, "target");
  }
  find_occupancy(g, sources, targets, threads, others);
  return g;
}

}  // namespace farfield::cpu
