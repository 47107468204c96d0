// Backends: what differs between ranks on the CPU and ranks on devices. The one place of this layer that knows which
// backends were built.
#pragma once
#include "backends/evaluator.hpp"
#include "distributed/evaluation/placed.hpp"
#include "distributed/partition/room.hpp"

namespace farfield::distributed {

/// Makes a device the current one of this thread.
void select_device(int device);
/// Throws Error(device) where there is no device of that number.
void require_known_device(int device);

/// Points of a plan whose sums this backend forms; still without points.
std::shared_ptr<RankPlaced> make_placed(Ranks& ranks, Backend backend);
/// The steps of backends/sequence.hpp over the trees of all ranks, for sums by expansions.
std::unique_ptr<Evaluator> make_steps(std::shared_ptr<RankPlaced> placed, const Decision& decision, int threads);
/// The same evaluator, for callers whose arrays are in device memory.
std::unique_ptr<Evaluator> with_arrays_on_host(Backend backend, std::unique_ptr<Evaluator> evaluator);

/// Of the device that this thread uses; of the CPU none is known.
DeviceRoom room_of(Backend backend);
/// What a rank takes on its device, see on_device::bytes_of_rank.
RankBytes bytes_of_rank(const Decision& decision, Order order, Scalar given, bool on_host, std::int64_t points);

/// Coordinates of the points with these indices, scaled and interleaved; in either memory.
std::vector<double> coordinates_at(const Points& points, const std::vector<std::int64_t>& at, int exponent);

/// A survey of all ranks' points, in the memory of that backend. `kept`: what it keeps from one survey to the next.
Geometry survey_all(Ranks& ranks, Backend backend, const Points& sources, const Points* targets, int threads,
                    std::shared_ptr<void>& kept);

}  // namespace farfield::distributed
