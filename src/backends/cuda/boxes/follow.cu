#include <type_traits>

#include "backends/cuda/boxes/follow.hpp"
#include "backends/cuda/runtime/parallel.hpp"
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
    look(i, now);
  }
  __device__ void look(std::int64_t i, double now[3]) const {
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

/// The new places go into the tree's arrays wherever they are: a replay cannot be stopped.
template <class Read>
struct ReplaceAndWatch {
  FindBeyond<Read> find;
  double* axis[3];
  __device__ void operator()(std::int64_t i) const {
    double now[3];
    find.look(i, now);
    for (int d = 0; d < 3; ++d) axis[d][i] = now[d];
  }
};

/// Where they were when the tree was built.
const double* then(const SortedPoints& sorted, int d) {
  return (sorted.origin[0].empty() ? sorted.axis : sorted.origin)[d].data();
}

void keep_origin(SortedPoints& sorted, cudaStream_t stream) {
  if (sorted.count == 0) return;
  for (int d = 0; d < 3 && sorted.origin[2].empty(); ++d) {
    sorted.origin[d].resize(sorted.axis[d].size());
    require(cudaMemcpyAsync(sorted.origin[d].data(), sorted.axis[d].data(),
                            static_cast<std::size_t>(sorted.axis[d].size()) * sizeof(double), cudaMemcpyDeviceToDevice,
                            stream),
            "places of points");
  }
}

}  // namespace

void keep_origins(CudaTree& built) {
  keep_origin(built.sources, built.memory->stream);
  if (!built.alike) keep_origin(built.targets, built.memory->stream);
}

FollowPoints::FollowPoints(CudaTree& built, const Points& sources, const Points* targets, const Scaling& scale,
                           const Drift& drift)
    : built_(built),
      own_(sources, *built.memory),
      other_(targets ? DevicePoints(*targets, *built.memory) : DevicePoints()),
      scale_(scale),
      drift_(drift) {}

/// body(read, points in the order of the tree) for sources and, where they are apart, targets.
template <class Body>
void FollowPoints::for_each_set(const Body& body) const {
  with_reader(own_.view(), scale_, [&](const auto& read) { body(read, built_.sources); });
  if (!built_.alike) with_reader(other_.view(), scale_, [&](const auto& read) { body(read, built_.targets); });
}

bool FollowPoints::any_beyond() const {
  DeviceMemory& memory = *built_.memory;
  DeviceArray<int> beyond(memory);
  beyond.resize(1);
  require(cudaMemsetAsync(beyond.data(), 0, sizeof(int), memory.stream), "cudaMemsetAsync");
  for_each_set([&](const auto& read, const SortedPoints& sorted) {
    using Read = std::remove_cvref_t<decltype(read)>;
    const FindBeyond<Read> find{
        read, sorted.order.data(), {then(sorted, 0), then(sorted, 1), then(sorted, 2)}, drift_, beyond.data()};
    for_each_index(sorted.count, find, memory.stream, "how far points went");
  });
  int found = 0;
  download(&found, beyond.data(), 1, memory.stream);
  require(cudaStreamSynchronize(memory.stream), "how far points went");
  return found != 0;
}

void FollowPoints::replace() const {
  keep_origins(built_);
  for_each_set([&](const auto& read, SortedPoints& sorted) {
    using Read = std::remove_cvref_t<decltype(read)>;
    const Replace<Read> replace{
        read, sorted.order.data(), {sorted.axis[0].data(), sorted.axis[1].data(), sorted.axis[2].data()}};
    if (sorted.count > 0)
      for_each_index(sorted.count + padding, replace, built_.memory->stream, "new places of points");
  });
}

void FollowPoints::launch(int* beyond) const {
  for_each_set([&](const auto& read, SortedPoints& sorted) {
    using Read = std::remove_cvref_t<decltype(read)>;
    const ReplaceAndWatch<Read> follow{
        {read, sorted.order.data(), {then(sorted, 0), then(sorted, 1), then(sorted, 2)}, drift_, beyond},
        {sorted.axis[0].data(), sorted.axis[1].data(), sorted.axis[2].data()}};
    if (sorted.count > 0) for_each_index(sorted.count + padding, follow, built_.memory->stream, "moved points");
  });
}

}  // namespace farfield::cuda
