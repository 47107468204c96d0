#include "distributed/cuda/nccl/channel.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <farfield/error.hpp>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>

#include "backends/cuda/runtime/check.hpp"
#include "distributed/cuda/event.hpp"
#include "distributed/cuda/nccl/library.hpp"

namespace farfield::distributed {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// NCCL's communicator never blocks the host: each call is asked for until it is done or late. What is late on the
/// device, where no time-out reaches, a thread looks after, which breaks the exchange off.
class Channel final : public NcclChannel {
 public:
  Channel(const NcclLibrary& nccl, Ranks& ranks, int device);
  ~Channel() override;
  bool serves(int device);
  void exchange(Ranks& ranks, const char* sends, const Begins& sent, char* receives, const Begins& received,
                std::int64_t row_bytes, cudaStream_t stream) override;
  void require_whole() override;

 private:
  void require(ncclResult_t result, const char* call);
  void wait(const char* call);
  bool post(const Ranks& ranks, const char* sends, const Begins& sent, char* receives, const Begins& received,
            std::int64_t row_bytes, cudaStream_t stream);
  void look_after(const std::stop_token& stop);
  void look();
  bool finalized();
  void give_up(const std::string& why);
  void throw_if_broken() const;

  const NcclLibrary& nccl_;
  int device_;
  /// Half of the communicator's, so that a rank that gives up is still heard by others, who wait for it since a little
  /// earlier or later.
  Seconds patience_;
  OwnEvent done_;  ///< the last exchange
  ncclComm_t comm_ = nullptr;
  std::string broken_;  ///< why; empty: it is not
  bool under_way_ = false;
  Clock::time_point late_;  ///< from when on the last exchange is
  std::mutex mutex_;        ///< of all above: NCCL's functions are called by one thread at a time
  std::condition_variable_any stopping_;
  std::jthread looking_;
};

Channel::Channel(const NcclLibrary& nccl, Ranks& ranks, int device)
    : nccl_(nccl),
      device_(device),
      patience_(ranks.timeout() / 2),
      looking_([this](const std::stop_token& stop) { look_after(stop); }) {
  ncclUniqueId id{};
  if (ranks.rank() == 0) require(nccl_.GetUniqueId(&id), "ncclGetUniqueId");
  id = ranks.all_gather(id).front();
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  require(nccl_.CommInitRankConfig(&comm_, ranks.size(), id, ranks.rank(), &config), "ncclCommInitRankConfig");
  wait("ncclCommInitRankConfig");
}

/// NCCL takes its leave of the other ranks where all is well. They may be gone: then it is cut off.
Channel::~Channel() {
  looking_.request_stop();
  looking_.join();
  if (!comm_) return;
  if (finalized())
    nccl_.CommDestroy(comm_);
  else
    nccl_.CommAbort(comm_);
}

bool Channel::finalized() {
  if (under_way_ && cudaEventQuery(done_) != cudaSuccess) return false;
  ncclResult_t state = nccl_.CommFinalize(comm_);
  const auto end = Clock::now() + std::min(patience_, Seconds(10));
  while (state == ncclInProgress && Clock::now() < end) {
    std::this_thread::yield();
    if (const ncclResult_t asked = nccl_.CommGetAsyncError(comm_, &state); asked != ncclSuccess) state = asked;
  }
  return state == ncclSuccess;
}

bool Channel::serves(int device) {
  const std::lock_guard lock(mutex_);
  return broken_.empty() && device_ == device;
}

void Channel::require_whole() {
  const std::lock_guard lock(mutex_);
  throw_if_broken();
}

void Channel::throw_if_broken() const {
  if (!broken_.empty())
    throw Error(ErrorCode::device,
                "NCCL failed: " + broken_ + "; NCCL_DEBUG=WARN says more, FARFIELD_TRANSPORT=host does without NCCL");
}

void Channel::give_up(const std::string& why) {
  broken_ = why;
  if (comm_) nccl_.CommAbort(comm_);
  comm_ = nullptr, under_way_ = false;
}

void Channel::require(ncclResult_t result, const char* call) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  give_up(std::string(call) + ": " + nccl_.GetErrorString(result));
  throw_if_broken();
}

/// For the host's part of a call.
void Channel::wait(const char* call) {
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
void Channel::exchange(Ranks& ranks, const char* sends, const Begins& sent, char* receives, const Begins& received,
                       std::int64_t row_bytes, cudaStream_t stream) {
  require_whole();
  ranks.all_gather(0);
  const std::lock_guard lock(mutex_);
  throw_if_broken();
  const auto own = static_cast<std::size_t>(ranks.rank());
  if (const std::int64_t rows = sent[own + 1] - sent[own]; rows > 0)
    farfield::cuda::require(
        cudaMemcpyAsync(receives + received[own] * row_bytes, sends + sent[own] * row_bytes,
                        static_cast<std::size_t>(rows * row_bytes), cudaMemcpyDeviceToDevice, stream),
        "cudaMemcpyAsync");
  if (!post(ranks, sends, sent, receives, received, row_bytes, stream)) return;
  wait("ncclGroupEnd");
  done_.record(stream);
  under_way_ = true, late_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(patience_);
  ranks.count_sent((sent.back() - (sent[own + 1] - sent[own])) * row_bytes);
}

/// Is there anything to send or to receive? A group that was begun is ended whatever happens within: what this thread
/// asked of NCCL later would belong to it.
bool Channel::post(const Ranks& ranks, const char* sends, const Begins& sent, char* receives, const Begins& received,
                   std::int64_t row_bytes, cudaStream_t stream) {
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

void Channel::look_after(const std::stop_token& stop) {
  cudaSetDevice(device_);
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    look();
    stopping_.wait_for(lock, stop, std::chrono::milliseconds(100), [] { return false; });
  }
}

/// Errors of CUDA are told to whoever waits for the stream.
void Channel::look() {
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

/// What NCCL asks of a rank. Of one host and bus no two may be.
struct Place {
  std::array<char, 128> host{};
  std::array<char, 32> bus{};
  bool operator<(const Place& other) const { return std::tie(host, bus) < std::tie(other.host, other.bus); }
  bool operator==(const Place&) const = default;
};
struct Seat {
  Place place;
  int version = 0;
  bool has_channel = false;  ///< from an earlier plan
};

Seat seat_of(int device, bool has_channel) {
  Seat seat;
  gethostname(seat.place.host.data(), seat.place.host.size() - 1);
  farfield::cuda::require(cudaDeviceGetPCIBusId(seat.place.bus.data(), static_cast<int>(seat.place.bus.size()), device),
                          "cudaDeviceGetPCIBusId");
  seat.version = nccl_version();
  seat.has_channel = has_channel;
  return seat;
}

bool can_meet(const std::vector<Seat>& seats) {
  std::vector<Place> places;
  for (const Seat& seat : seats) {
    if (seat.version == 0 || seat.version != seats.front().version) return false;
    places.push_back(seat.place);
  }
  std::sort(places.begin(), places.end());
  return std::adjacent_find(places.begin(), places.end()) == places.end();
}

}  // namespace

int nccl_version() {
  int version = 0;
  const NcclLibrary* const nccl = nccl_library();
  return nccl && nccl->GetVersion(&version) == ncclSuccess ? version : 0;
}

std::shared_ptr<NcclChannel> nccl_channel(Ranks& ranks, int device) {
  auto channel = std::static_pointer_cast<Channel>(ranks.kept());
  const std::vector<Seat> seats = ranks.all_gather(seat_of(device, channel && channel->serves(device)));
  if (!can_meet(seats)) return nullptr;
  if (std::all_of(seats.begin(), seats.end(), [](const Seat& seat) { return seat.has_channel; })) return channel;
  channel.reset(), ranks.kept().reset();
  channel = std::make_shared<Channel>(*nccl_library(), ranks, device);
  ranks.kept() = channel;
  return channel;
}

}  // namespace farfield::distributed
