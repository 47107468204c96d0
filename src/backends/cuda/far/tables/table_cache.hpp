// Translation tables that all plans of a process share on a device. The host makes them: on an H100 with 16 cores
// those of degree 10 in single took 12 ms, six times as long as all else of a plan of 100,000 points and its sum, and
// those of 1e-9 in double 130 ms.
#pragma once
#include <farfield/options.hpp>
#include <memory>

#include "backends/cuda/far/tables/tables.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/shared_cache.hpp"

namespace farfield::cuda {

/// Most bytes that caches keep for plans to come, for each type of tables: 0.6 GB of 80. Operators of mirror images
/// have more than 130 MB at 1e-9, 0.5 GB at the highest degree.
inline std::int64_t most_kept_table_bytes() { return device_memory() / 128; }

/// The tables of this kernel, degree and scheme on the current device. When it returns they are there for all streams.
template <class Real>
std::shared_ptr<const Tables<Real>> shared_tables(Kernel kernel, int degree, const M2lScheme& m2l, cudaStream_t stream,
                                                  int threads);

}  // namespace farfield::cuda
