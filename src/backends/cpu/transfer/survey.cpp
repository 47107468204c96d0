#include "backends/cpu/transfer/survey.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <farfield/error.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/tuning.hpp"
#include "core/chunks.hpp"
#include "core/loops/widest_vectors.hpp"
#include "tree/lattice.hpp"
#include "tree/reader.hpp"

namespace farfield::cpu {
namespace {

struct Bounds {
  double low[3], high[3], least = std::numeric_limits<double>::infinity();
  double poison = 0;  // sum of 0 x: 0 while all coordinates are finite, nan otherwise
  Bounds() {
    for (int d = 0; d < 3; ++d) {
      low[d] = std::numeric_limits<double>::infinity();
      high[d] = -low[d];
    }
  }
  void join(const Bounds& other) {
    for (int d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], other.low[d]);
      high[d] = std::max(high[d], other.high[d]);
    }
    least = std::min(least, other.least);
    poison += other.poison;
  }
};

/// Coordinates of some points along one axis, side by side for vectors.
constexpr std::int64_t side_by_side = 512;

FARFIELD_WIDEST_VECTORS
void join_axis(Bounds& all, int d, const double* x, std::int64_t count) {
  const double none = std::numeric_limits<double>::infinity();
  double low = none, high = -none, least = none, poison = 0;
#pragma omp simd reduction(min : low, least) reduction(max : high) reduction(+ : poison)
  for (std::int64_t i = 0; i < count; ++i) {
    const double v = x[i], size = std::fabs(v), above = size > 0 ? size : none;
    low = v < low ? v : low;
    high = v > high ? v : high;
    least = above < least ? above : least;
    poison += 0 * v;
  }
  all.low[d] = std::min(all.low[d], low), all.high[d] = std::max(all.high[d], high);
  all.least = std::min(all.least, least), all.poison += poison;
}

template <class T>
Bounds bounds_of_range(const Reader<T>& read, std::int64_t begin, std::int64_t end) {
  Bounds all;
  double x[side_by_side];
  for (; begin < end; begin += side_by_side)
    for (int d = 0; d < 3; ++d) {
      const std::int64_t count = std::min(side_by_side, end - begin);
      for (std::int64_t i = 0; i < count; ++i) x[i] = read.raw(begin + i, d);
      join_axis(all, d, x, count);
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
    for (const Bounds& part : parts) all.join(part);
    if (all.poison != 0) {
      require_all(Kept(0), read, points.count, what);
      throw Error(ErrorCode::input, std::string("the ") + what + "s changed while they were read");
    }
    return all;
  });
}

constexpr int finest = finest_grid;  // 128^3 cells
constexpr std::size_t bitmap_words = (std::size_t(1) << 3 * finest) / 64;
using Bitmap = std::vector<std::uint64_t>;

FARFIELD_WIDEST_VECTORS
void cells_along(const double* x, std::int64_t count, const GridCells& grid, int axis, std::int32_t* cell) {
  const double low = grid.low[axis], cells = grid.cells;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::int32_t>((x[i] - low) * cells);
    cell[i] = at < (1 << finest) ? at : (1 << finest) - 1;
  }
}

template <class Read>
void mark_some(Bitmap& map, const Read& read, const GridCells& grid, const std::uint32_t* spread, std::int64_t begin,
               std::int64_t count) {
  double x[side_by_side];
  std::int32_t cell[3][side_by_side];
  for (int d = 0; d < 3; ++d) {
    for (std::int64_t i = 0; i < count; ++i) x[i] = read(begin + i, d);
    cells_along(x, count, grid, d, cell[d]);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t bit = spread[cell[0][i]] | spread[cell[1][i]] << 1 | spread[cell[2][i]] << 2;
    map[bit / 64] |= std::uint64_t(1) << bit % 64;
  }
}

/// Marks the cells that hold a point, numbered in Morton order: eight neighbouring bits are one coarser cell.
/// Each thread has a block of points and a bitmap of its own, whose 256 KiB stay in the second-level cache.
void mark_cells(std::vector<Bitmap>& maps, const Points& points, const Geometry& g, int threads) {
  const Scaling scale(g.exponent);
  const GridCells grid(g);
  std::uint32_t spread[1 << finest];
  for (std::uint32_t i = 0; i < 1 << finest; ++i) spread[i] = spread_bits(i);
  with_reader(points, scale, [&](const auto& read) {
    const std::int64_t blocks = static_cast<std::int64_t>(maps.size());
    for_each_index(blocks, 1, threads, [&](std::int64_t b) {
      Bitmap& map = maps[static_cast<std::size_t>(b)];
      map.resize(bitmap_words, 0);
      const std::int64_t end = points.count * (b + 1) / blocks;
      for (std::int64_t i = points.count * b / blocks; i < end; i += side_by_side)
        mark_some(map, read, grid, spread, i, std::min(end - i, side_by_side));
    });
  });
}

/// The baseline has no instruction that counts bits.
FARFIELD_WIDEST_VECTORS
static std::int64_t count_bits_of(const Bitmap& map) {
  std::int64_t bits = 0;
  for (const std::uint64_t word : map) bits += std::popcount(word);
  return bits;
}

/// One bit for each byte of `word` that is not zero.
std::uint64_t occupied_bytes(std::uint64_t word) {
  word |= word >> 4, word |= word >> 2, word |= word >> 1;
  return (word & 0x0101010101010101) * 0x0102040810204080 >> 56;
}

/// The bitmap of half the resolution: a bit is set for every byte of `fine` that is not zero.
Bitmap coarsened(const Bitmap& fine) {
  Bitmap coarse((fine.size() + 7) / 8, 0);
  for (std::size_t word = 0; word < fine.size(); ++word) coarse[word / 8] |= occupied_bytes(fine[word]) << word % 8 * 8;
  return coarse;
}

void find_occupancy(Geometry& g, const Points& sources, const Points* targets, int threads) {
  if (!has_grid(g)) return;
  const std::int64_t points = g.sources + (targets ? g.targets : 0);
  std::vector<Bitmap> maps(static_cast<std::size_t>(team_size(threads)));
  mark_cells(maps, sources, g, threads);
  if (targets) mark_cells(maps, *targets, g, threads);
  Bitmap map = std::move(maps.front());
  for (std::size_t other = 1; other < maps.size(); ++other)
    for (std::size_t i = 0; i < map.size(); ++i) map[i] |= maps[other][i];
  int level = finest;
  for (; level > 0 && count_bits_of(map) * 8 > points; --level) map = coarsened(map);
  g.grid = 1 << level;
  g.occupied = count_bits_of(map);
  g.occupied_coarse = level > 0 ? count_bits_of(coarsened(map)) : 1;
}

}  // namespace

Geometry survey(const Points& sources, const Points* targets, int threads) {
  check_view(sources, "source");
  if (targets) check_view(*targets, "target");
  Bounds box = bounds_of(sources, "source", threads);
  if (targets) box.join(bounds_of(*targets, "target", threads));
  Geometry g;
  g.sources = sources.count;
  g.alike = targets == nullptr;
  g.targets = targets ? targets->count : sources.count;
  if (g.sources + g.targets == 0) return g;

  set_box(g, box.low, box.high, box.least);
  if (may_lose_digits(g)) {
    require_all(Kept(g.exponent), sources, "source");
    if (targets) require_all(Kept(g.exponent), *targets, "target");
  }
  find_occupancy(g, sources, targets, threads);
  return g;
}

}  // namespace farfield::cpu
