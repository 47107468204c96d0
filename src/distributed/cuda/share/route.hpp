// The way of rows in device memory from the ranks that were given points to those that own them (route/route.hpp).
#pragma once
#include "distributed/cuda/share.hpp"
#include "distributed/cuda/transport.hpp"

namespace farfield::distributed {

/// `owner`: of each point of this rank; its memory may be used up.
DeviceRoute make_device_route(Ranks& ranks, OnDevice<std::uint32_t> owner, farfield::cuda::DeviceMemory& memory);

/// The points that this rank owns, [points][3] as the caller has them; `given` are in device memory. `room`: so many
/// more points behind them.
OnDevice<double> owned_points(Transport& transport, const DeviceRoute& route, const Points& given, std::int64_t room,
                              farfield::cuda::DeviceMemory& memory);

}  // namespace farfield::distributed
