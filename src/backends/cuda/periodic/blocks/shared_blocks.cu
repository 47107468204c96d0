#include "backends/cuda/periodic/blocks/shared_blocks.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/range_search.hpp"

namespace farfield::cuda {
namespace {

struct DeviceRun {
  std::uint32_t first;
  bool received;
};

struct ExpandRuns {
  const std::uint32_t* offset;  ///< [run]
  const DeviceRun* runs;
  std::int64_t count, own;
  const std::uint32_t* order;
  std::uint32_t* to;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t run = range_between(offset, 0, count, i), at = runs[run].first + (i - offset[run]);
    to[i] = runs[run].received ? static_cast<std::uint32_t>(own + at) : order[at];
  }
};

struct TakeAxis {
  const double* from;
  double* to;
  __device__ void operator()(std::int64_t i) const { to[i] = from[3 * i]; }
};

struct TakeSent {
  const double* from;
  const std::uint32_t* index;
  double* to;
  __device__ void operator()(std::int64_t i) const { to[i] = from[index[i]]; }
};

}  // namespace

SharedBlocks::SharedBlocks(DeviceMemory& memory, const OtherPoints& others)
    : memory_(memory), others_(others), parts_(memory) {
  use_all(memory, sent_, order_, axis_[0], axis_[1], axis_[2], out_);
}

void SharedBlocks::place(const BlockedCloud& cloud, std::int64_t of_part) {
  const std::size_t blocks = cloud.begin().size() - 1;
  const AlignedBlocks aligned(cloud.counts_of_all(), blocks, others_.rank(), of_part);
  own_ = cloud.count(), own_order_ = cloud.order();
  sent_to_ = aligned.sent_to, received_from_ = aligned.received_from;
  received_ = 0;
  for (const std::int64_t count : received_from_) received_ += count;
  std::vector<std::uint32_t> begin{0};
  std::vector<AlignedBlocks::Run> summed;
  for (const std::vector<AlignedBlocks::Run>& runs : aligned.summed) {
    begin.push_back(begin.back());
    for (const AlignedBlocks::Run& run : runs) begin.back() += static_cast<std::uint32_t>(run.count);
    summed.insert(summed.end(), runs.begin(), runs.end());
  }
  expand(aligned.sent, sent_), expand(summed, order_);
  parts_.make(begin, of_part);
  for (int d = 0; d < 3; ++d) {
    axis_[d].resize(own_ + received_);
    for_each_index(own_, TakeAxis{cloud.at() + d, axis_[d].data()}, memory_.stream, "points of blocks");
    complete(axis_[d].data());
  }
}

/// The points of these runs, in their order: indices into arrays of own points and, behind them, those received.
void SharedBlocks::expand(const std::vector<AlignedBlocks::Run>& runs, DeviceArray<std::uint32_t>& to) const {
  std::vector<std::uint32_t> offsets;
  std::vector<DeviceRun> first;
  std::int64_t count = 0;
  for (const AlignedBlocks::Run& run : runs) {
    offsets.push_back(static_cast<std::uint32_t>(count));
    first.push_back({static_cast<std::uint32_t>(run.first), run.received});
    count += run.count;
  }
  to.resize(count);
  DeviceArray<std::uint32_t> offset(memory_);
  DeviceArray<DeviceRun> of_runs(memory_);
  upload(offset, offsets.data(), std::ssize(offsets), memory_.stream);
  upload(of_runs, first.data(), std::ssize(first), memory_.stream);
  for_each_index(count, ExpandRuns{offset.data(), of_runs.data(), std::ssize(runs), own_, own_order_, to.data()},
                 memory_.stream, "points of blocks");
}

OrderedPoints SharedBlocks::ordered() const {
  return {{axis_[0].data(), axis_[1].data(), axis_[2].data()},
          1,
          order_.data(),
          parts_.parts().data(),
          static_cast<int>(parts_.parts().size())};
}

void SharedBlocks::complete(double* numbers) {
  out_.resize(sent_.size());
  for_each_index(sent_.size(), TakeSent{numbers, sent_.data(), out_.data()}, memory_.stream, "points of blocks");
  std::vector<double> sent(static_cast<std::size_t>(sent_.size()));
  download(sent.data(), out_.data(), sent_.size(), memory_.stream);
  require(cudaStreamSynchronize(memory_.stream), "points of blocks");
  const std::vector<double> received = others_.exchanged(sent, sent_to_, received_from_);
  if (received_ > 0)
    require(cudaMemcpyAsync(numbers + own_, received.data(), static_cast<std::size_t>(received_) * sizeof(double),
                            cudaMemcpyHostToDevice, memory_.stream),
            "points of blocks");
}

}  // namespace farfield::cuda
