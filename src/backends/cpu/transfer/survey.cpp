#include "backends/cpu/transfer/survey.hpp"

#include <bit>
#include <cmath>
#include <farfield/error.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/tuning.hpp"
#include "core/chunks.hpp"
#include "core/widest_vectors.hpp"
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

template <class T>
Bounds bounds_of_range(const Reader<T>& read, std::int64_t begin, std::int64_t end) {
  Bounds b;
  for (std::int64_t i = begin; i < end; ++i)
    for (int d = 0; d < 3; ++d) {
      const double x = read.raw(i, d);
      b.low[d] = x < b.low[d] ? x : b.low[d];
      b.high[d] = x > b.high[d] ? x : b.high[d];
      const double size = std::fabs(x);
      b.least = size > 0 && size < b.least ? size : b.least;
      b.poison += 0 * x;
    }
  return b;
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
      for (std::int64_t i = points.count * b / blocks; i < points.count * (b + 1) / blocks; ++i) {
        std::uint32_t cell = 0;
        for (int d = 0; d < 3; ++d) cell |= spread[grid.along(read(i, d), d)] << d;
        map[cell / 64] |= std::uint64_t(1) << cell % 64;
      }
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
