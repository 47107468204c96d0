#include "distributed/partition/room.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/error.hpp>
#include <limits>
#include <string>

#include "model/cost_model.hpp"

namespace farfield::distributed {
namespace {

/// Sources of others over own points, of shares that fill a device: 2^28 uniform points each on four have 3 % (6 % at
/// 2^26).
constexpr double ghosts_of_points = 0.03;
/// Of the free bytes a 64th is left to what counts nowhere: the survey, buffers of NCCL, blocks that do not fit.
constexpr double share_of_free = 63.0 / 64;
/// The account may say so much too much: short of that a plan is tried.
constexpr double doubt = 1.15;
constexpr std::int64_t open = std::numeric_limits<std::int64_t>::max();

/// Boxes for as many points as a leaf holds at the most: 1.7 to 2 of uniform points, 3.8 to 3.9 of a Plummer model
/// (leaf sizes 32 and 53, 5e5 points).
double boxes_of_leaf(double dimension) { return dimension > 2.7 ? 2 : 4; }

double boxes_per_point(const Decision& d, const Geometry& g) {
  const auto points = static_cast<double>(g.sources + (g.alike ? 0 : g.targets));
  if (d.depth >= 0) return std::min(1.0, std::exp2(3.0 * d.depth) * 8 / 7 / std::max(1.0, points));
  return boxes_of_leaf(dimension_of(g)) / static_cast<double>(std::max<std::int64_t>(1, d.leaf_size));
}

std::int64_t own_share(const std::vector<DeviceRoom>& rooms, std::size_t rank) {
  const auto sharers = std::count_if(rooms.begin(), rooms.end(),
                                     [&](const DeviceRoom& room) { return room.device == rooms[rank].device; });
  return rooms[rank].free / std::max<std::ptrdiff_t>(1, sharers);
}

}  // namespace

double bytes_per_point(const RankBytes& bytes, const Decision& d, const Geometry& of_all) {
  return bytes.of(1, ghosts_of_points, (1 + ghosts_of_points) * boxes_per_point(d, of_all));
}

void keep_to_rooms(std::vector<Capacity>& capacities, const std::vector<DeviceRoom>& rooms, double bytes_per_point,
                   std::int64_t points, int rank) {
  std::vector<Capacity> kept = capacities;
  double taken = 0;
  std::size_t least = rooms.size();
  for (std::size_t r = 0; r < rooms.size(); ++r) {
    if (kept[r].most_points == open && rooms[r].free > 0) {
      kept[r].most_points =
          static_cast<std::int64_t>(share_of_free * static_cast<double>(own_share(rooms, r)) / bytes_per_point);
      if (least == rooms.size() || kept[r].most_points < kept[least].most_points) least = r;
    }
    taken += static_cast<double>(std::min(kept[r].most_points, points));
  }
  if (taken >= static_cast<double>(points)) return capacities.swap(kept);
  if (least != static_cast<std::size_t>(rank) || doubt * taken >= static_cast<double>(points)) return;
  const std::int64_t share = points / std::ssize(rooms);
  throw Error(ErrorCode::memory,
              "about " + std::to_string(std::llround(static_cast<double>(share) * bytes_per_point)) +
                  " bytes of device memory are needed for " + std::to_string(share) + " points, " +
                  std::to_string(std::llround(bytes_per_point)) + " for each, and " +
                  std::to_string(own_share(rooms, least)) +
                  " are free, and other ranks cannot take the rest; use more devices, fewer points, larger leaves, a "
                  "larger tolerance or precision single");
}

}  // namespace farfield::distributed
