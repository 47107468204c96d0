// Ranks whose points are in device memory: what distributed/backends.cpp calls. The device of a rank is the current one
// of the thread that makes its plan.
#pragma once
#include "backends/evaluator.hpp"
#include "distributed/evaluation/placed.hpp"
#include "distributed/partition/room.hpp"

namespace farfield::distributed::on_device {

/// Throws Error(device) where there is no device of that number.
void require_known(int device);
/// Makes a device the current one of this thread; throws likewise.
void select(int device);

std::shared_ptr<RankPlaced> make_placed(Ranks& ranks);
/// `placed`: of make_placed.
std::unique_ptr<Evaluator> make_steps(std::shared_ptr<RankPlaced> placed, const Decision& decision, int threads);
/// Copies of the caller's arrays, where these are in device memory, for an evaluator that reads them on the host.
std::unique_ptr<Evaluator> with_arrays_on_host(std::unique_ptr<Evaluator> evaluator);

/// Of the calling thread's device.
DeviceRoom room();
/// For one vector of strengths; `given`: the caller's numbers, on the host or the device; `points`: about so many are
/// this rank's.
RankBytes bytes_of_rank(const Decision& decision, Order order, Scalar given, bool on_host, std::int64_t points);

/// Of points in device memory: see distributed/backends.hpp. Waits for their stream.
std::vector<double> coordinates_at(const Points& points, const std::vector<std::int64_t>& at, int exponent);

/// Of all ranks' points, which may be in either memory.
Geometry survey(Ranks& ranks, const Points& sources, const Points* targets, std::shared_ptr<void>& kept);

}  // namespace farfield::distributed::on_device
