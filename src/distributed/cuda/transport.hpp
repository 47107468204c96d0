// Transport: rows in device memory from each rank to each other, in the order of a stream. Where the ranks are threads
// of one process, their devices copy from one another. Processes that have a device each send by NCCL, where that is
// built and found; otherwise rows go through page-locked memory of the hosts and the communicator, which is any.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <farfield/report.hpp>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/part.hpp"
#include "distributed/cuda/nccl/channel.hpp"
#include "distributed/ranks.hpp"

namespace farfield::distributed {

class Transport {
 public:
  enum class Way { shortest, through_hosts };
  /// Called by all ranks, each on its device. `memory`: that the rows of this rank come from, which other devices may
  /// read from then on where the hardware lets them. `way`: through_hosts for tests; FARFIELD_TRANSPORT=host in the
  /// environment of any rank says the same.
  Transport(Ranks& ranks, farfield::cuda::DeviceMemory& memory, Way way = Way::shortest);
  ~Transport();
  Transport(const Transport&) = delete;

  /// Rows for rank r lie at sends + sent[r] rows, those from rank r come to receives + received[r]. Rows for oneself
  /// may be there already: where `sent` has none, those places of `receives` stay as they are; where `received` has
  /// none, they are not wanted.
  struct Rows {
    const void* sends;
    const Begins& sent;
    void* receives;
    const Begins& received;
    std::int64_t row_bytes;
  };
  /// All ranks call it, with as many kinds of rows. The arrays may be used again by work that follows on the stream.
  /// The host waits for the other ranks' calls and, only where rows go through its memory, for the stream. `use`
  /// launches what reads the rows that have come: before the stream waits until the others have read its own. Of
  /// `parts` it is told which has come of each rank's rows; perhaps they come in one.
  using Use = std::function<void(const farfield::cuda::Part&)>;
  void exchange(std::initializer_list<Rows> kinds, cudaStream_t stream, const Use& use = {}, int parts = 1);
  void exchange(const void* sends, const Begins& sent, void* receives, const Begins& received, std::int64_t row_bytes,
                cudaStream_t stream, const Use& use = {}, int parts = 1) {
    exchange({{sends, sent, receives, received, row_bytes}}, stream, use, parts);
  }

  /// To be called when the stream has been waited for: throws Error(device) if rows were lost on their way.
  void require_whole();
  /// How rows travel, and why so; for the report.
  Choice choice() const;

 private:
  struct Events;
  class Pinned;
  struct Shown;

  void share_events();
  std::vector<Shown> show(std::initializer_list<Rows> kinds);
  void copy_from_others(std::initializer_list<Rows> kinds, cudaStream_t stream, const Use& use, int parts);
  void copy_from(std::size_t rank, const Rows& rows, const Shown& shown, const farfield::cuda::Part& part,
                 cudaStream_t stream) const;
  void stage(const Rows& rows, cudaStream_t stream);

  Ranks& ranks_;
  int device_ = 0;
  Way way_;
  bool within_process_ = false;
  std::shared_ptr<NcclChannel> channel_;         ///< null: rows do not go by NCCL
  std::vector<std::shared_ptr<Events>> events_;  ///< of all ranks, where they are threads of one process
  std::vector<char> readable_;  ///< of their devices: kernels of this one may read memory from the pools of other ranks
  std::unique_ptr<Pinned> out_, in_;  ///< where rows go through the host's memory
};

}  // namespace farfield::distributed
