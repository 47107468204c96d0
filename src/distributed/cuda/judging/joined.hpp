// Joined: what ranks found each of its own points, as one number for all: added up rank by rank, so that all ranks
// have the same bits.
#pragma once
#include "backends/cuda/judge/judge.hpp"
#include "distributed/ranks.hpp"
#include "judge/check.hpp"
#include "model/decision.hpp"

namespace farfield::distributed {

farfield::cuda::Judge::Found joined(Ranks& ranks, const farfield::cuda::Judge::Found& own);
/// Of as many targets on every rank; `own` is empty where a rank has no sources.
std::vector<DirectSum> joined(Ranks& ranks, std::vector<DirectSum> own, std::size_t targets);
/// Over the rank's own sources, at targets of these numbers in the work. Waits for the stream.
std::vector<DirectSum> direct_sums_of(const farfield::cuda::NearWork<double>& work, const Decision& decision,
                                      const std::vector<std::int64_t>& at, farfield::cuda::DeviceMemory& memory);
/// The sums alone, not those of absolute values.
void join(Ranks& ranks, std::vector<DirectSum>& own);

}  // namespace farfield::distributed
