// A communicator of NCCL that never blocks the host: each call is asked for until it is done or late. What is late on
// the device, where no time-out reaches, a thread looks after, which breaks the exchange off.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "backends/cuda/own_event.hpp"
#include "distributed/cuda/nccl/channel.hpp"
#include "distributed/cuda/nccl/library.hpp"

namespace farfield::distributed {

class NonblockingChannel final : public NcclChannel {
 public:
  NonblockingChannel(const NcclLibrary& nccl, Ranks& ranks, int device);
  ~NonblockingChannel() override;
  bool serves(int device);
  void exchange(Ranks& ranks, const char* sends, const Begins& sent, char* receives, const Begins& received,
                std::int64_t row_bytes, cudaStream_t stream) override;
  void require_whole() override;

 private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

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
  farfield::cuda::OwnEvent done_;  ///< the last exchange
  ncclComm_t comm_ = nullptr;
  std::string broken_;  ///< why; empty: it is not
  bool under_way_ = false;
  Clock::time_point late_;  ///< from when on the last exchange is
  std::mutex mutex_;        ///< of all above: NCCL's functions are called by one thread at a time
  std::condition_variable_any stopping_;
  std::jthread looking_;
};

}  // namespace farfield::distributed
