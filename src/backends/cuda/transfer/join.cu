// Operations on points that the plan layer needs before there is an evaluator: the survey, a sample, and the union of
// two sets.
#include <algorithm>

#include "backends/cuda/evaluator.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/transfer/strengths.hpp"
#include "backends/cuda/transfer/survey.hpp"
#include "tree/crowding.hpp"
#include "tree/reader.hpp"

namespace farfield::cuda {

/// The memory of a plan's surveys on the current device.
static DeviceMemory& survey_memory(std::shared_ptr<void>& kept) {
  int device = 0;
  require(cudaGetDevice(&device), "cudaGetDevice");
  if (!kept || static_cast<DeviceMemory*>(kept.get())->device != device) kept = std::make_shared<DeviceMemory>();
  return *static_cast<DeviceMemory*>(kept.get());
}

Geometry survey(const Points& sources, const Points* targets, std::shared_ptr<void>& kept) {
  require_device();
  cudaStream_t stream = nullptr;
  if (sources.space == MemorySpace::device)
    stream = static_cast<cudaStream_t>(sources.stream);
  else if (targets && targets->space == MemorySpace::device)
    stream = static_cast<cudaStream_t>(targets->stream);
  if (targets && targets->space == MemorySpace::device) order(static_cast<cudaStream_t>(targets->stream), stream);
  DeviceMemory& memory = survey_memory(kept);
  memory.stream = stream;
  const Geometry geometry = survey(sources, targets, memory);
  if (sources.space == MemorySpace::host || (targets && targets->space == MemorySpace::host))
    memory.trim(std::int64_t(1) << 24);  // frees the copies of host points
  return geometry;
}

namespace {

struct Draw {
  AnyReader read;
  std::int64_t drawn, points;
  double* to;
  __device__ void operator()(std::int64_t k) const { read.read(drawn_point(k, drawn, points), to + 3 * k); }
};

}  // namespace

std::vector<double> draw_points(const Points& points, const Geometry& g, std::int64_t most,
                                std::shared_ptr<void>& kept) {
  const std::int64_t drawn = std::min(points.count, most);
  std::vector<double> host(static_cast<std::size_t>(3 * drawn));
  if (drawn == 0) return host;
  DeviceMemory& memory = survey_memory(kept);
  memory.stream = static_cast<cudaStream_t>(points.stream);
  DeviceArray<double> all(memory);
  all.resize(3 * drawn);
  for_each_index(drawn, Draw{AnyReader(points, Scaling(g.exponent)), drawn, points.count, all.data()}, memory.stream,
                 "drawn points");
  download(host.data(), all.data(), 3 * drawn, memory.stream);
  require(cudaStreamSynchronize(memory.stream), "drawn points");
  return host;
}

JoinedPoints join(const Points& a, const Points& b) {
  require_device();
  const cudaStream_t stream = static_cast<cudaStream_t>(a.space == MemorySpace::device ? a.stream : b.stream);
  if (b.space == MemorySpace::device) order(static_cast<cudaStream_t>(b.stream), stream);
  auto all = std::make_shared<DeviceArray<double>>();
  all->resize(3 * (a.count + b.count));
  interleave(a, all->data(), stream);
  interleave(b, all->data() + 3 * a.count, stream);
  Points joined = farfield::points(static_cast<const double*>(all->data()), a.count + b.count);
  joined.space = MemorySpace::device;
  joined.stream = stream;
  return {joined, all};
}

}  // namespace farfield::cuda
