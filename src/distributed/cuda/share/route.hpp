// The way of rows in device memory from the ranks that were given points to those that own them (route/route.hpp).
#pragma once
#include "distributed/cuda/share/own_points.hpp"
#include "distributed/cuda/transport.hpp"

namespace farfield::distributed {

/// Of the first points of a set; `passed_to`: how many of these each rank owns.
DeviceRoute make_device_route(Ranks& ranks, DeviceOwnPoints& points, std::size_t set,
                              const std::vector<std::int64_t>& passed_to, const std::vector<CoarseBox>& boxes,
                              farfield::cuda::DeviceMemory& memory);

/// The points that this rank owns, in the order in which they arrive.
struct OwnedPoints {
  OnDevice<unsigned char> rows;  ///< none where the given points are the owned ones and serve as they are
  Points view;
};

/// `given` are in device memory. `behind`: points that follow the owned ones, or null. Rows are floats where `single`,
/// which is the same on all ranks, and all these points are.
OwnedPoints owned_points(Transport& transport, const DeviceRoute& route, const Points& given, const Points* behind,
                         bool single, farfield::cuda::DeviceMemory& memory);

}  // namespace farfield::distributed
