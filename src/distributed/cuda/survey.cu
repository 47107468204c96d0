// The device of a rank, and the survey of all ranks' points, each in the memory of its device.
#include <algorithm>
#include <string>

#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/transfer/survey.hpp"
#include "distributed/agree.hpp"
#include "distributed/cuda/evaluator.hpp"
#include "distributed/cuda/process.hpp"
#include "distributed/cuda/share.hpp"
#include "tree/reader.hpp"

namespace farfield::distributed {

using farfield::cuda::require;

namespace {

/// What a plan keeps from one survey to the next, on one device.
struct Kept {
  farfield::cuda::DeviceMemory memory;
  OnDevice<unsigned> bits[2]{OnDevice<unsigned>(memory), OnDevice<unsigned>(memory)};  ///< of the surveys, in turn
  int turn = 0;
  std::unique_ptr<farfield::cuda::PinnedArray<std::uint64_t>> on_host;  ///< bits that go through the host's memory
  std::int64_t words = 0;
  Process process = this_process();
  std::uint64_t readers = 0;  ///< devices that may read the memory, a bit each
  Kept() { memory.keep_blocks(); }
};

/// Where the bits of a rank are, and who can read them there.
struct ShownBits {
  Process process;
  const unsigned* bits;
  std::int64_t device, through_host;
  std::uint64_t readers;
  std::uint64_t device_bit() const { return std::uint64_t(1) << device % 64; }
};

/// The same answer on all ranks.
bool all_read_all(const std::vector<ShownBits>& shown) {
  std::uint64_t devices = 0;
  for (const ShownBits& one : shown) devices |= one.device_bit();
  return std::all_of(shown.begin(), shown.end(), [&](const ShownBits& one) {
    return one.process == shown[0].process && !one.through_host && one.device < 64 &&
           ((one.readers | one.device_bit()) & devices) == devices;
  });
}

struct AddBits {
  static constexpr int most = 8;
  const unsigned* others[most];
  int count;
  unsigned* own;
  __device__ void operator()(std::int64_t i) const {
    unsigned bits = own[i];
    for (int k = 0; k < count; ++k) bits |= __ldcv(others[k] + i);
    own[i] = bits;
  }
};

class SurveyOfRanks final : public farfield::cuda::SurveyOfOthers {
 public:
  SurveyOfRanks(Ranks& ranks, Kept& kept) : ranks_(ranks), others_(ranks), kept_(kept) {}
  void join(Box& own) override {
    farfield::cpu::Found found{own.sources, own.targets, own.all, own.of_targets, own.least};
    others_.join(found);
    own = {found.sources, found.targets, found.all, found.of_targets, found.least};
  }
  unsigned* bits(std::int64_t words) override {
    OnDevice<unsigned>& bits = kept_.bits[kept_.turn = 1 - kept_.turn];
    bits.resize(words);
    return bits.data();
  }
  void join_bits(unsigned* own, std::int64_t words, cudaStream_t stream) override;

 private:
  void let_read(const std::vector<ShownBits>& shown);
  void add(unsigned* own, std::int64_t words, const std::vector<ShownBits>& shown, cudaStream_t stream) const;
  void join_on_host(unsigned* own, std::int64_t words, cudaStream_t stream);

  Ranks& ranks_;
  OtherRanks others_;
  Kept& kept_;
};

/// Threads of one process read each other's bits where they are. 256 KB took 50 us by way of the host, and 33 to get
/// there and back, on two H200.
void SurveyOfRanks::join_bits(unsigned* own, std::int64_t words, cudaStream_t stream) {
  require(cudaStreamSynchronize(stream), "cells");
  const std::vector<ShownBits> shown =
      ranks_.all_gather(ShownBits{kept_.process, own, kept_.memory.device, asked_through_hosts(), kept_.readers});
  if (all_read_all(shown)) return add(own, words, shown, stream);
  let_read(shown);
  join_on_host(own, words, stream);
}

/// From the next survey on.
void SurveyOfRanks::let_read(const std::vector<ShownBits>& shown) {
  for (const ShownBits& other : shown) {
    if (!(other.process == kept_.process) || (kept_.readers & other.device_bit())) continue;
    const int device = static_cast<int>(other.device), own = kept_.memory.device;
    int can = 0;
    if (device != own) require(cudaDeviceCanAccessPeer(&can, device, own), "cudaDeviceCanAccessPeer");
    if (!can) continue;
    kept_.memory.let_read(device);
    kept_.readers |= other.device_bit();
  }
}

/// Bits that others add to theirs meanwhile do no harm: all get the same.
void SurveyOfRanks::add(unsigned* own, std::int64_t words, const std::vector<ShownBits>& shown,
                        cudaStream_t stream) const {
  AddBits some{{}, 0, own};
  const auto launch = [&] {
    farfield::cuda::for_each_index(some.count > 0 ? words : 0, some, stream, "cells of others");
    some.count = 0;
  };
  for (const ShownBits& other : shown) {
    if (other.bits == own) continue;
    some.others[some.count++] = other.bits;
    if (some.count == AddBits::most) launch();
  }
  launch();
}

void SurveyOfRanks::join_on_host(unsigned* own, std::int64_t words, cudaStream_t stream) {
  const std::int64_t wide = (words + 1) / 2;
  if (kept_.words != wide) kept_.on_host = std::make_unique<farfield::cuda::PinnedArray<std::uint64_t>>(wide);
  kept_.words = wide, kept_.on_host->data()[wide - 1] = 0;
  auto* const bits = reinterpret_cast<unsigned*>(kept_.on_host->data());
  farfield::cuda::download(bits, own, words, stream);
  require(cudaStreamSynchronize(stream), "cells");
  ranks_.unite(kept_.on_host->data(), static_cast<std::size_t>(wide));
  require(cudaMemcpyAsync(own, bits, static_cast<std::size_t>(words) * sizeof *own, cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync to the device");
}

struct ReadAt {
  AnyReader read;
  const std::int64_t* at;
  double* to;
  __device__ void operator()(std::int64_t k) const { read.read(at[k], to + 3 * k); }
};

Kept& on_this_device(std::shared_ptr<void>& kept) {
  int device = 0;
  require(cudaGetDevice(&device), "cudaGetDevice");
  if (!kept || static_cast<Kept*>(kept.get())->memory.device != device) kept = std::make_shared<Kept>();
  return *static_cast<Kept*>(kept.get());
}

}  // namespace

void on_device::require_known(int device) {
  farfield::cuda::require_device();
  int count = 0;
  require(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (device < 0 || device >= count)
    throw Error(ErrorCode::device, "there is no device " + std::to_string(device) + ": this machine has " +
                                       std::to_string(count) + ", numbered from 0");
}

void on_device::select(int device) {
  require_known(device);
  require(cudaSetDevice(device), "cudaSetDevice");
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
  require(cudaStreamSynchronize(stream), "drawn points");
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
  // The copies of host points. Without them there is little, which the next survey would ask the driver for again.
  if (sources.space == MemorySpace::host || (targets && targets->space == MemorySpace::host))
    memory.trim(std::int64_t(1) << 24);
  return geometry;
}

}  // namespace farfield::distributed
