// Room: how many points a rank on a device takes where its caller does not say, from the memory that is free there.
#pragma once
#include <cstdint>
#include <farfield/distributed.hpp>
#include <vector>

#include "model/decision.hpp"
#include "tree/geometry.hpp"

namespace farfield::distributed {

/// Memory of a rank's device before its plan has taken any. Ranks of one device have one number of it, and share it.
struct DeviceRoom {
  std::int64_t free = 0;     ///< bytes; 0: not on a device
  std::uint64_t device = 0;  ///< hardly that of another
};

/// Bytes that a rank holds at one time of a phase: for each point that it owns, for each source of others and for each
/// box of its tree with those of others.
struct PhaseBytes {
  double point, ghost, box;
  double of(double points, double ghosts, double boxes) const { return point * points + ghost * ghosts + box * boxes; }
};
/// The phases that hold the most.
struct RankBytes {
  PhaseBytes building, summing;
  double of(double points, double ghosts, double boxes) const {
    const double built = building.of(points, ghosts, boxes), summed = summing.of(points, ghosts, boxes);
    return built > summed ? built : summed;
  }
};

/// Bytes for each point that a rank owns, those of its boxes and ghosts included.
double bytes_per_point(const RankBytes& bytes, const Decision& decision, const Geometry& of_all);

/// Bounds most_points of each rank whose caller left it open by its room. Where all that ranks then take is clearly
/// less than there is, the rank with the least room throws Error(memory).
void keep_to_rooms(std::vector<Capacity>& capacities, const std::vector<DeviceRoom>& rooms, double bytes_per_point,
                   std::int64_t points, int rank);

}  // namespace farfield::distributed
