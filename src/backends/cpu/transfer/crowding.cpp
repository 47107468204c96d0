#include "backends/cpu/transfer/crowding.hpp"

#include <algorithm>

#include "tree/crowding.hpp"
#include "tree/reader.hpp"

namespace farfield::cpu {

std::vector<double> draw_points(const Points& points, const Geometry& g, std::int64_t most) {
  const std::int64_t count = std::min(points.count, most);
  std::vector<double> drawn(static_cast<std::size_t>(3 * count));
  with_reader(points, Scaling(g.exponent), [&](const auto& read) {
    for (std::int64_t k = 0; k < count; ++k)
      read.read(drawn_point(k, count, points.count), &drawn[3 * static_cast<std::size_t>(k)]);
  });
  return drawn;
}

}  // namespace farfield::cpu
