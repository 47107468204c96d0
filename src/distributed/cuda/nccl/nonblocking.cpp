#include "distributed/cuda/nccl/nonblocking.hpp"

#include <algorithm>
#include <farfield/error.hpp>

#include "backends/cuda/runtime/check.hpp"

namespace farfield::distributed {

NonblockingChannel::NonblockingChannel(const NcclLibrary& nccl, Ranks& ranks, int device)
    : nccl_(nccl),
      device_(device),
      patience_(ranks.timeout() / 2),
      looking_([this](const std::stop_token& stop) { look_after(stop); }) {
  const std::lock_guard lock(mutex_);
  ncclUniqueId id{};
  if (ranks.rank() == 0) require(nccl_.GetUniqueId(&id), "ncclGetUniqueId");
  id = ranks.all_gather(id).front();
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  require(nccl_.CommInitRankConfig(&comm_, ranks.size(), id, ranks.rank(), &config), "ncclCommInitRankConfig");
  wait("ncclCommInitRankConfig");
}

/// NCCL takes its leave of the other ranks where all is well. They may be gone: then it is cut off.
NonblockingChannel::~NonblockingChannel() {
  looking_.request_stop();
  looking_.join();
  if (!comm_) return;
  if (finalized())
    nccl_.CommDestroy(comm_);
  else
    nccl_.CommAbort(comm_);
}

bool NonblockingChannel::finalized() {
  if (under_way_ && cudaEventQuery(done_) != cudaSuccess) return false;
  ncclResult_t state = nccl_.CommFinalize(comm_);
  const auto end = Clock::now() + std::min(patience_, Seconds(10));
  while (state == ncclInProgress && Clock::now() < end) {
    std::this_thread::yield();
    if (const ncclResult_t asked = nccl_.CommGetAsyncError(comm_, &state); asked != ncclSuccess) state = asked;
  }
  return state == ncclSuccess;
}

bool NonblockingChannel::serves(int device) {
  const std::lock_guard lock(mutex_);
  return broken_.empty() && device_ == device;
}

void NonblockingChannel::require_whole() {
  const std::lock_guard lock(mutex_);
  throw_if_broken();
}

void NonblockingChannel::throw_if_broken() const {
  if (!broken_.empty())
    throw Error(ErrorCode::device,
                "NCCL failed: " + broken_ + "; NCCL_DEBUG=WARN says more, FARFIELD_TRANSPORT=host does without NCCL");
}

void NonblockingChannel::give_up(const std::string& why) {
  broken_ = why;
  if (comm_) nccl_.CommAbort(comm_);
  comm_ = nullptr, under_way_ = false;
}

void NonblockingChannel::require(ncclResult_t result, const char* call) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  give_up(std::string(call) + ": " + nccl_.GetErrorString(result));
  throw_if_broken();
}

/// For the host's part of a call.
void NonblockingChannel::wait(const char* call) {
  const auto end = Clock::now() + patience_;
  for (;;) {
    ncclResult_t state = ncclInProgress;
    require(nccl_.CommGetAsyncError(comm_, &state), "ncclCommGetAsyncError");
    require(state, call);
    if (state == ncclSuccess) return;
    if (Clock::now() > end) give_up(std::string(call) + ": a rank did not arrive in time");
    throw_if_broken();
    std::this_thread::yield();
  }
}

/// A rank that has thrown says so in the collective: nobody's device waits for its rows.
void NonblockingChannel::exchange(Ranks& ranks, const char* sends, const Begins& sent, char* receives,
                                  const Begins& received, std::int64_t row_bytes, cudaStream_t stream) {
  require_whole();
  ranks.all_gather(0);
  const std::lock_guard lock(mutex_);
  throw_if_broken();
  const auto own = static_cast<std::size_t>(ranks.rank());
  if (const std::int64_t rows = std::min(sent[own + 1] - sent[own], received[own + 1] - received[own]); rows > 0)
    farfield::cuda::require(
        cudaMemcpyAsync(receives + received[own] * row_bytes, sends + sent[own] * row_bytes,
                        static_cast<std::size_t>(rows * row_bytes), cudaMemcpyDeviceToDevice, stream),
        "cudaMemcpyAsync");
  if (!post(ranks, sends, sent, receives, received, row_bytes, stream)) return;
  wait("ncclGroupEnd");
  done_.record(stream);
  under_way_ = true, late_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(patience_);
  ranks.count_sent(sent, row_bytes);
}

/// Is there anything to send or to receive? A group that was begun is ended whatever happens within: what this thread
/// asked of NCCL later would belong to it.
bool NonblockingChannel::post(const Ranks& ranks, const char* sends, const Begins& sent, char* receives,
                              const Begins& received, std::int64_t row_bytes, cudaStream_t stream) {
  bool any = false;
  ncclResult_t worst = ncclSuccess;
  const auto note = [&](ncclResult_t result) {
    any = true;
    if (worst == ncclSuccess && result != ncclInProgress) worst = result;
  };
  require(nccl_.GroupStart(), "ncclGroupStart");
  for (int r = 0; r < ranks.size(); ++r) {
    const auto k = static_cast<std::size_t>(r);
    const auto bytes = [&](const Begins& begin) {
      return static_cast<std::size_t>((begin[k + 1] - begin[k]) * row_bytes);
    };
    if (r == ranks.rank()) continue;
    if (bytes(sent) > 0) note(nccl_.Send(sends + sent[k] * row_bytes, bytes(sent), ncclChar, r, comm_, stream));
    if (bytes(received) > 0)
      note(nccl_.Recv(receives + received[k] * row_bytes, bytes(received), ncclChar, r, comm_, stream));
  }
  const ncclResult_t ended = nccl_.GroupEnd();
  require(worst, "ncclSend or ncclRecv");
  require(ended, "ncclGroupEnd");
  return any;
}

void NonblockingChannel::look_after(const std::stop_token& stop) {
  cudaSetDevice(device_);
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    look();
    stopping_.wait_for(lock, stop, std::chrono::milliseconds(100), [] { return false; });
  }
}

/// Errors of CUDA are told to whoever waits for the stream.
void NonblockingChannel::look() {
  if (!under_way_) return;
  under_way_ = cudaEventQuery(done_) == cudaErrorNotReady;
  cudaGetLastError();
  if (!under_way_) return;
  ncclResult_t state = ncclSuccess;
  const ncclResult_t asked = nccl_.CommGetAsyncError(comm_, &state);
  const ncclResult_t worst = asked != ncclSuccess ? asked : state;
  if (worst != ncclSuccess && worst != ncclInProgress)
    give_up(std::string("an exchange: ") + nccl_.GetErrorString(worst));
  else if (Clock::now() > late_)
    give_up("ncclSend or ncclRecv: a rank did not send or take its rows in time");
}

}  // namespace farfield::distributed
