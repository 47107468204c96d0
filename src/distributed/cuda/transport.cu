#include <algorithm>

#include "backends/cuda/own_event.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/process.hpp"
#include "distributed/cuda/transport.hpp"

namespace farfield::distributed {

using farfield::cuda::OwnEvent;
using farfield::cuda::Part;
using farfield::cuda::require;

struct Transport::Events {
  OwnEvent ready, done;  ///< the rank's rows are there; it has read the others'
};

/// Page-locked memory that grows.
class Transport::Pinned {
 public:
  ~Pinned() { release(); }
  std::byte* of(std::int64_t bytes) {
    if (bytes > bytes_) {
      release();
      require(cudaMallocHost(&data_, static_cast<std::size_t>(bytes)), "cudaMallocHost");
      bytes_ = bytes;
    }
    return static_cast<std::byte*>(data_);
  }

 private:
  void release() {
    if (data_) cudaFreeHost(data_);
    data_ = nullptr, bytes_ = 0;
  }
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

namespace {

/// Does the environment of any rank say so?
bool hosts_wanted(Ranks& ranks) { return ranks.sum_of(asked_through_hosts()) > 0; }

constexpr int line_bytes = 128;

/// Reads another device's memory: so many loads of a thread are under way at a time. The first of the warps' words are
/// left out, `before` of them, so that each warp reads whole lines: from between lines 213 GB/s of 332 came.
template <class Word>
__global__ void __launch_bounds__(farfield::cuda::block_threads)
    fetch_kernel(const Word* from, Word* to, std::int64_t words, int before) {
  constexpr int loads = 8;
  const std::int64_t step = std::int64_t(gridDim.x) * farfield::cuda::block_threads;
  for (std::int64_t first = std::int64_t(blockIdx.x) * farfield::cuda::block_threads + threadIdx.x - before;
       first < words; first += loads * step) {
    const auto is_word = [&](std::int64_t i) { return i >= 0 && i < words; };
    Word word[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k)
      if (is_word(first + k * step)) word[k] = __ldcs(from + first + k * step);
#pragma unroll
    for (int k = 0; k < loads; ++k)
      if (is_word(first + k * step)) to[first + k * step] = word[k];
  }
}

/// Two for each multiprocessor: 2 to 8 MB under way, while 340 GB/s need less than 1, and most registers are left to
/// what runs beside.
int most_blocks() { return 2 * farfield::cuda::device_limits().multiprocessors; }

template <class Word>
void fetch_words(const char* from, char* to, std::int64_t bytes, cudaStream_t stream) {
  const std::int64_t words = bytes / static_cast<std::int64_t>(sizeof(Word));
  const int before = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % line_bytes / sizeof(Word));
  const auto blocks = std::min<std::int64_t>(farfield::cuda::blocks_for(words + before), most_blocks());
  fetch_kernel<<<static_cast<unsigned>(blocks), farfield::cuda::block_threads, 0, stream>>>(
      reinterpret_cast<const Word*>(from), reinterpret_cast<Word*>(to), words, before);
  farfield::cuda::require_launch("fetch_kernel");
}

/// The driver's copies between two H200 reach 190 GB/s in each direction at a time, these 340.
void fetch(const char* from, char* to, std::int64_t bytes, cudaStream_t stream) {
  const auto all = reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to) |
                   static_cast<std::uintptr_t>(bytes);
  if (all % sizeof(uint4) == 0)
    fetch_words<uint4>(from, to, bytes, stream);
  else if (all % sizeof(std::uint32_t) == 0)
    fetch_words<std::uint32_t>(from, to, bytes, stream);
  else
    fetch_words<char>(from, to, bytes, stream);
}

}  // namespace

/// What a rank shows to the others of its process, of one kind of rows.
struct Transport::Shown {
  const char* sends;
  int device;
  Begins begin;  ///< of the rows for each rank
};

/// Everything in one collective, as plain words; [ranks][kinds].
std::vector<Transport::Shown> Transport::show(std::initializer_list<Rows> kinds) {
  using Word = std::int64_t;
  std::vector<Word> own;
  for (const Rows& rows : kinds) {
    own.insert(own.end(), {reinterpret_cast<Word>(rows.sends), device_});
    own.insert(own.end(), rows.sent.begin(), rows.sent.end());
  }
  const std::vector<Word> all = ranks_.all_gather(own.data(), own.size());
  const std::ptrdiff_t width = std::ssize(own) / std::ssize(kinds);
  std::vector<Shown> shown;
  for (auto row = all.begin(); row != all.end(); row += width)
    shown.push_back({reinterpret_cast<const char*>(row[0]), static_cast<int>(row[1]), {row + 2, row + width}});
  return shown;
}

Transport::Transport(Ranks& ranks, farfield::cuda::DeviceMemory& memory, Way way)
    : ranks_(ranks),
      device_(memory.device),
      way_(hosts_wanted(ranks) ? Way::through_hosts : way),
      out_(std::make_unique<Pinned>()),
      in_(std::make_unique<Pinned>()) {
  if (way_ == Way::through_hosts) return;
  const std::vector<Process> processes = ranks.all_gather(this_process());
  within_process_ = std::count(processes.begin(), processes.end(), processes[0]) == std::ssize(processes);
  if (!within_process_) {
    channel_ = nccl_channel(ranks, device_);
    return;
  }
  for (const int device : ranks.all_gather(device_)) {
    int can = 0;
    if (device != device_) require(cudaDeviceCanAccessPeer(&can, device_, device), "cudaDeviceCanAccessPeer");
    readable_.push_back(can != 0);
    memory.let_read(device);
  }
  share_events();
}

/// Each rank keeps the events of all: one that is through with its last exchange, and gone, may still be waited for.
void Transport::share_events() {
  const auto own = std::make_shared<Events>();
  for (const std::shared_ptr<Events>* each : ranks_.all_gather(&own)) events_.push_back(*each);
  ranks_.all_gather(0);  // `own` may go when all have their copies
}

Transport::~Transport() = default;

void Transport::exchange(std::initializer_list<Rows> kinds, cudaStream_t stream, const Use& use, int parts) {
  if (within_process_) return copy_from_others(kinds, stream, use, parts);
  for (const Rows& rows : kinds) {
    if (channel_)
      channel_->exchange(ranks_, static_cast<const char*>(rows.sends), rows.sent, static_cast<char*>(rows.receives),
                         rows.received, rows.row_bytes, stream);
    else
      stage(rows, stream);
  }
  if (use) use({});
}

void Transport::require_whole() {
  if (channel_) channel_->require_whole();
}

Choice Transport::choice() const {
  const char* const name = "transport";
  if (within_process_) return {name, "device memory of one process", "the ranks are its threads"};
  if (channel_) return {name, "NCCL", "processes, each with a device of its own"};
  if (way_ == Way::through_hosts) return {name, "host memory", "asked for, as by FARFIELD_TRANSPORT=host"};
  if (nccl_version() == 0) return {name, "host memory", "processes, without NCCL"};
  return {name, "host memory", "NCCL wants a device of its own for each process, and one version of it in all"};
}

/// Of one kind. Rows for oneself may be there already.
void Transport::copy_from(std::size_t rank, const Rows& rows, const Shown& shown, const Part& part,
                          cudaStream_t stream) const {
  const auto own = static_cast<std::size_t>(ranks_.rank());
  const std::int64_t all = rows.received[rank + 1] - rows.received[rank], first = part.before().end(all);
  const auto bytes = static_cast<std::size_t>((part.end(all) - first) * rows.row_bytes);
  if (bytes == 0 || (rank == own && rows.sent[own + 1] == rows.sent[own])) return;
  if (rank != own) require(cudaStreamWaitEvent(stream, events_[rank]->ready, 0), "cudaStreamWaitEvent");
  const char* from = shown.sends + (shown.begin[own] + first) * rows.row_bytes;
  char* to = static_cast<char*>(rows.receives) + (rows.received[rank] + first) * rows.row_bytes;
  if (shown.device == device_)
    require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
  else if (readable_[rank])
    fetch(from, to, static_cast<std::int64_t>(bytes), stream);
  else
    require(cudaMemcpyPeerAsync(to, device_, from, shown.device, bytes, stream), "cudaMemcpyPeerAsync");
}

/// Every rank fetches. An event is recorded again only after all ranks have waited for it as it was: they do so before
/// the collective that the recording follows.
void Transport::copy_from_others(std::initializer_list<Rows> kinds, cudaStream_t stream, const Use& use, int parts) {
  const auto size = static_cast<std::size_t>(ranks_.size()), own = static_cast<std::size_t>(ranks_.rank());
  events_[own]->ready.record(stream);
  const std::vector<Shown> shown = show(kinds);
  for (int p = 0; p < parts; ++p) {
    const Part part{p, parts};
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t r = (own + k) % size;  // each begins with another one
      auto of_rank = shown.begin() + static_cast<std::ptrdiff_t>(r * kinds.size());
      for (const Rows& rows : kinds) copy_from(r, rows, *of_rank++, part, stream);
    }
    if (part.last()) events_[own]->done.record(stream);
    if (use) use(part);
  }
  ranks_.all_gather(0);
  const auto sends_to = [&](std::size_t r) {
    return std::any_of(kinds.begin(), kinds.end(), [r](const Rows& rows) { return rows.sent[r + 1] > rows.sent[r]; });
  };
  for (std::size_t r = 0; r < size; ++r)
    if (r != own && sends_to(r)) require(cudaStreamWaitEvent(stream, events_[r]->done, 0), "cudaStreamWaitEvent");
  for (const Rows& rows : kinds) ranks_.count_sent(rows.sent, rows.row_bytes);
}

void Transport::stage(const Rows& rows, cudaStream_t stream) {
  const auto& [sends, sent, receives, received, row_bytes] = rows;
  const std::int64_t out_bytes = sent.back() * row_bytes, in_bytes = received.back() * row_bytes;
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");  // the memory may still be read from the last time
  std::byte *const out = out_->of(out_bytes), *const in = in_->of(in_bytes);
  farfield::cuda::download(out, static_cast<const std::byte*>(sends), out_bytes, stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  ranks_.exchange(out, sent, in, received, row_bytes);
  const auto upload = [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t from = begin * rows.row_bytes, bytes = (end - begin) * rows.row_bytes;
    if (bytes > 0)
      require(cudaMemcpyAsync(static_cast<std::byte*>(rows.receives) + from, in + from, static_cast<std::size_t>(bytes),
                              cudaMemcpyHostToDevice, stream),
              "cudaMemcpyAsync to the device");
  };
  const auto own = static_cast<std::size_t>(ranks_.rank());
  upload(0, received[own]);
  if (sent[own + 1] > sent[own]) upload(received[own], received[own + 1]);
  upload(received[own + 1], received.back());
}

}  // namespace farfield::distributed
