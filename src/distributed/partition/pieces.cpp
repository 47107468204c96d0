#include "distributed/partition/pieces.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/error.hpp>
#include <string>

namespace farfield::distributed {
namespace {

constexpr int boxes_per_piece = 20;  ///< a cut misses its aim by half a box: 2.5 % of a rank's piece

void require_room(std::int64_t points, std::span<const Capacity> capacities) {
  std::int64_t room = 0;
  for (const Capacity& one : capacities) room += std::min(points, one.most_points);
  if (room < points)
    throw Error(ErrorCode::memory, "all ranks together take " + std::to_string(room) + " points, but there are " +
                                       std::to_string(points) + "; raise most_points, or use more ranks");
}

/// Points of each rank. Whoever would get too many gets what it takes; then the rest is shared out anew.
std::vector<double> shared_out(std::int64_t points, std::span<const Capacity> capacities) {
  std::vector<double> pieces(capacities.size(), -1);  // not yet known
  for (bool all_fit = false; !all_fit;) {
    auto rest = static_cast<double>(points);
    double speeds = 0;
    for (std::size_t r = 0; r < pieces.size(); ++r) pieces[r] >= 0 ? rest -= pieces[r] : speeds += capacities[r].speed;
    all_fit = true;
    for (std::size_t r = 0; r < pieces.size(); ++r) {
      const auto most = static_cast<double>(capacities[r].most_points);
      if (pieces[r] >= 0 || rest * capacities[r].speed <= most * speeds) continue;
      pieces[r] = most, all_fit = false;
    }
    for (std::size_t r = 0; r < pieces.size() && all_fit; ++r)
      if (pieces[r] < 0) pieces[r] = rest * (capacities[r].speed / speeds);
  }
  return pieces;
}

}  // namespace

void require_sound(const Capacity& capacity) {
  if (!(capacity.speed > 0) || !std::isfinite(capacity.speed))
    throw Error(ErrorCode::usage, "a speed of " + std::to_string(capacity.speed) +
                                      "; give a positive number, in any unit that all ranks use");
  if (capacity.most_points < 0)
    throw Error(ErrorCode::usage, "most_points is " + std::to_string(capacity.most_points) + "; give 0 or more");
}

Pieces pieces_of(std::int64_t points, std::span<const Capacity> capacities, int ranks) {
  const std::vector<Capacity> alike(capacities.empty() ? static_cast<std::size_t>(ranks) : 0);
  if (capacities.empty()) capacities = alike;
  require_room(points, capacities);
  Pieces pieces{{0}, {}};
  for (const double piece : shared_out(points, capacities)) pieces.begin.push_back(pieces.begin.back() + piece);
  for (const Capacity& one : capacities) pieces.most.push_back(std::min(points, one.most_points));
  return pieces;
}

std::int64_t Pieces::points_per_box() const {
  const double mean = begin.back() / ranks();
  double least = mean;
  for (std::size_t r = 0; r < most.size(); ++r)
    if (of(r) > 0) least = std::min(least, of(r));
  return static_cast<std::int64_t>(std::max(least, mean / boxes_per_piece) / boxes_per_piece);
}

}  // namespace farfield::distributed
