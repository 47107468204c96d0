#include "backends/cpu/cells/cells.hpp"

#include <algorithm>
#include <bit>

#include "backends/cpu/boxes/keys.hpp"
#include "backends/cpu/tuning.hpp"
#include "core/chunks.hpp"
#include "tree/reader.hpp"

namespace farfield::cpu {

namespace {

constexpr int sorted_bits = 30;  ///< of a key that sort_items sorts by

template <class ReadPoint>
CellSortKeys sort_keys(const CellLattice& lattice, std::int64_t count, int threads, const ReadPoint& read) {
  struct Largest {
    std::uint64_t index[3] = {};
  };
  std::vector<Largest> parts(static_cast<std::size_t>(chunk_count(count, tuning::points_per_chunk)));
  for_chunks(count, tuning::points_per_chunk, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t chunk) {
    Largest largest;
    for (std::int64_t i = begin; i < end; ++i) {
      double x[3];
      read(i, x);
      for (int a = 0; a < lattice.axes; ++a)
        largest.index[a] |= static_cast<std::uint64_t>(lattice.place(x[lattice.axis[a]], a)) >> lattice.shift;
    }
    parts[static_cast<std::size_t>(chunk)] = largest;
  });
  CellSortKeys keys{lattice};
  for (const Largest& part : parts)
    for (int a = 0; a < 3; ++a) keys.bits[a] = std::max(keys.bits[a], static_cast<int>(std::bit_width(part.index[a])));
  return keys;
}

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

}  // namespace

void sort_by_cells(SortedPoints& sorted, Cells& cells, const Points& points, const Scaling& scale,
                   const CellLattice& lattice, int threads) {
  Cloud cloud{points, scale, {}, {}, {}};
  require_indices(cloud.count());
  cloud.items.resize(cloud.count());
  cloud.scratch.resize(cloud.count());
  with_reader(points, scale, [&](const auto& read) {
    const CellSortKeys keys = sort_keys(lattice, cloud.count(), threads, [&](auto i, double* x) { read.read(i, x); });
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
