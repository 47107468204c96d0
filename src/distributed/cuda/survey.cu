// The device of a rank, and the survey of all ranks' points, each in the memory of its device.
#include <string>

#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/transfer/survey.hpp"
#include "distributed/agree.hpp"
#include "distributed/cuda/evaluator.hpp"
#include "tree/reader.hpp"

namespace farfield::distributed {
namespace {

/// What a plan keeps from one survey to the next, on one device.
struct Kept {
  farfield::cuda::DeviceMemory memory;
  std::unique_ptr<farfield::cuda::PinnedArray<std::uint64_t>> cells;
  std::int64_t words = 0;
};

class SurveyOfRanks final : public farfield::cuda::SurveyOfOthers {
 public:
  SurveyOfRanks(Ranks& ranks, Kept& kept) : ranks_(ranks), others_(ranks), kept_(kept) {}
  void join(Box& own) override {
    farfield::cpu::Found found{own.sources, own.targets, {}, {}, own.least};
    std::copy_n(own.low, 3, found.low), std::copy_n(own.high, 3, found.high);
    others_.join(found);
    own = {found.sources, found.targets, {}, {}, found.least};
    std::copy_n(found.low, 3, own.low), std::copy_n(found.high, 3, own.high);
  }
  unsigned* cells(std::int64_t words) override {
    const std::int64_t wide = (words + 1) / 2;
    if (kept_.words != wide) kept_.cells = std::make_unique<farfield::cuda::PinnedArray<std::uint64_t>>(wide);
    kept_.words = wide, kept_.cells->data()[wide - 1] = 0;
    return reinterpret_cast<unsigned*>(kept_.cells->data());
  }
  void join_cells() override { ranks_.unite(kept_.cells->data(), static_cast<std::size_t>(kept_.words)); }

 private:
  Ranks& ranks_;
  OtherRanks others_;
  Kept& kept_;
};

struct ReadAt {
  AnyReader read;
  const std::int64_t* at;
  double* to;
  __device__ void operator()(std::int64_t k) const { read.read(at[k], to + 3 * k); }
};

Kept& on_this_device(std::shared_ptr<void>& kept) {
  int device = 0;
  farfield::cuda::require(cudaGetDevice(&device), "cudaGetDevice");
  if (!kept || static_cast<Kept*>(kept.get())->memory.device != device) kept = std::make_shared<Kept>();
  return *static_cast<Kept*>(kept.get());
}

}  // namespace

void on_device::require_known(int device) {
  farfield::cuda::require_device();
  int count = 0;
  farfield::cuda::require(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (device < 0 || device >= count)
    throw Error(ErrorCode::device, "there is no device " + std::to_string(device) + ": this machine has " +
                                       std::to_string(count) + ", numbered from 0");
}

void on_device::select(int device) {
  require_known(device);
  farfield::cuda::require(cudaSetDevice(device), "cudaSetDevice");
}

std::vector<double> on_device::coordinates_at(const Points& points, const std::vector<std::int64_t>& at, int exponent) {
  const auto stream = static_cast<cudaStream_t>(points.stream);
  const std::int64_t count = std::ssize(at);
  farfield::cuda::DeviceArray<std::int64_t> place;
  farfield::cuda::DeviceArray<double> x;
  farfield::cuda::upload(place, at.data(), count, stream);
  x.resize(3 * count);
  farfield::cuda::for_each_index(count, ReadAt{AnyReader(points, Scaling(exponent)), place.data(), x.data()}, stream,
                                 "drawn points");
  std::vector<double> host(static_cast<std::size_t>(x.size()));
  farfield::cuda::download(host.data(), x.data(), x.size(), stream);
  farfield::cuda::require(cudaStreamSynchronize(stream), "drawn points");
  return host;
}

Geometry on_device::survey(Ranks& ranks, const Points& sources, const Points* targets, std::shared_ptr<void>& kept) {
  farfield::cuda::require_device();
  Kept& own = on_this_device(kept);
  farfield::cuda::DeviceMemory& memory = own.memory;
  memory.stream = nullptr;
  for (const Points* points : {&sources, targets})
    if (points && points->space == MemorySpace::device)
      farfield::cuda::order(static_cast<cudaStream_t>(points->stream), memory.stream);
  SurveyOfRanks others(ranks, own);
  const Geometry geometry = farfield::cuda::survey_with(others, sources, targets, memory);
  memory.trim(std::int64_t(1) << 24);  // frees the copies of host points
  return geometry;
}

}  // namespace farfield::distributed
