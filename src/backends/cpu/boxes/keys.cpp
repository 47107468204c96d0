#include "backends/cpu/boxes/keys.hpp"

#include <farfield/error.hpp>
#include <string>

#include "backends/cpu/tuning.hpp"
#include "core/chunks.hpp"
#include "tree/reader.hpp"

namespace farfield::cpu {
namespace {

template <class T>
Item item_of(const Reader<T>& read, const Lattice& lattice, std::uint32_t index, int level) {
  double x[3];
  read.read(index, x);
  return make_item(morton_key(lattice, x, level), index);
}

}  // namespace

void require_indices(std::int64_t count) {
  if (count > most_points)
    throw Error(ErrorCode::usage, std::to_string(count) +
                                      " points are more than the 4294967294 that one plan on the CPU can hold; "
                                      "use fewer sources or targets per plan");
}

void make_items(Cloud& cloud, int threads) {
  require_indices(cloud.count());
  cloud.items.resize(cloud.count());
  cloud.scratch.resize(cloud.count());
  with_reader(cloud.points, cloud.scale, [&](const auto& read) {
    for_each_index(cloud.count(), tuning::points_per_chunk, threads, [&](std::int64_t i) {
      cloud.items[i] = item_of(read, cloud.lattice, static_cast<std::uint32_t>(i), 0);
    });
  });
}

void rekey(Cloud& cloud, std::int64_t begin, std::int64_t end, int level, int threads) {
  with_reader(cloud.points, cloud.scale, [&](const auto& read) {
    for_each_index(end - begin, tuning::points_per_chunk, threads, [&](std::int64_t i) {
      Item& item = cloud.items[begin + i];
      item = item_of(read, cloud.lattice, index_of(item), level);
    });
  });
}

bool coincide(const Cloud& cloud, std::int64_t begin, std::int64_t end, const double with[3]) {
  return with_reader(cloud.points, cloud.scale, [&](const auto& read) {
    for (std::int64_t i = begin; i < end; ++i)
      for (int d = 0; d < 3; ++d)
        if (read(index_of(cloud.items[i]), d) != with[d]) return false;
    return true;
  });
}

void coordinates(const Cloud& cloud, Item item, double x[3]) {
  with_reader(cloud.points, cloud.scale, [&](const auto& read) { read.read(index_of(item), x); });
}

}  // namespace farfield::cpu
