#include <type_traits>

#include "backends/cuda/boxes/follow.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "tree/reader.hpp"

namespace farfield::cuda {
namespace {

template <class Read>
struct FindBeyond {
  Read read;
  const std::uint32_t* order;
  const double* then[3];
  Drift drift;
  int* beyond;
  __device__ void operator()(std::int64_t i) const {
    double now[3];
    read.read(order[i], now);
    const double before[3] = {then[0][i], then[1][i], then[2][i]};
    if (drift.beyond(now, before)) *beyond = 1;
  }
};

/// The padding repeats the last point, as its order does.
template <class Read>
struct Replace {
  Read read;
  const std::uint32_t* order;
  double* axis[3];
  __device__ void operator()(std::int64_t i) const {
    for (int d = 0; d < 3; ++d) axis[d][i] = read(order[i], d);
  }
};

void find_beyond(const SortedPoints& sorted, const Points& points, const Scaling& scale, const Drift& drift,
                 int* beyond, cudaStream_t stream) {
  const auto& then = sorted.origin[0].empty() ? sorted.axis : sorted.origin;
  with_reader(points, scale, [&](const auto& read) {
    using Read = std::remove_cvref_t<decltype(read)>;
    for_each_index(
        sorted.count,
        FindBeyond<Read>{read, sorted.order.data(), {then[0].data(), then[1].data(), then[2].data()}, drift, beyond},
        stream, "how far points went");
  });
}

/// From the first time on where they were is kept.
void replace(SortedPoints& sorted, const Points& points, const Scaling& scale, cudaStream_t stream) {
  if (sorted.count == 0) return;
  for (int d = 0; d < 3 && sorted.origin[2].empty(); ++d) {
    sorted.origin[d].resize(sorted.axis[d].size());
    require(cudaMemcpyAsync(sorted.origin[d].data(), sorted.axis[d].data(),
                            static_cast<std::size_t>(sorted.axis[d].size()) * sizeof(double), cudaMemcpyDeviceToDevice,
                            stream),
            "places of points");
  }
  with_reader(points, scale, [&](const auto& read) {
    using Read = std::remove_cvref_t<decltype(read)>;
    for_each_index(
        sorted.count + padding,
        Replace<Read>{read, sorted.order.data(), {sorted.axis[0].data(), sorted.axis[1].data(), sorted.axis[2].data()}},
        stream, "new places of points");
  });
}

}  // namespace

bool follow(CudaTree& built, const Points& sources, const Points* targets, const Scaling& scale, const Drift& drift) {
  DeviceMemory& memory = *built.memory;
  const DevicePoints own(sources, memory), other = targets ? DevicePoints(*targets, memory) : DevicePoints();
  DeviceArray<int> beyond(memory);
  beyond.resize(1);
  require(cudaMemsetAsync(beyond.data(), 0, sizeof(int), memory.stream), "cudaMemsetAsync");
  find_beyond(built.sources, own.view(), scale, drift, beyond.data(), memory.stream);
  if (targets) find_beyond(built.targets, other.view(), scale, drift, beyond.data(), memory.stream);
  int found = 0;
  download(&found, beyond.data(), 1, memory.stream);
  require(cudaStreamSynchronize(memory.stream), "how far points went");
  if (found) return false;
  replace(built.sources, own.view(), scale, memory.stream);
  if (targets) replace(built.targets, other.view(), scale, memory.stream);
  return true;
}

}  // namespace farfield::cuda
