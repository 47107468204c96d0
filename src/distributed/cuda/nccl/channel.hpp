// NcclChannel: rows from the device of one process to that of another, by NCCL's sends and receives, without a detour
// through the hosts' memory.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "distributed/ranks.hpp"

namespace farfield::distributed {

class NcclChannel {
 public:
  virtual ~NcclChannel() = default;
  /// As Transport::exchange. The host waits for the other ranks' calls, not for the rows. A rank that leaves its rows
  /// out for half of the communicator's time-out is given up: then the work of the stream goes on with rows that are
  /// not those that were sent, and require_whole throws.
  virtual void exchange(Ranks& ranks, const char* sends, const Begins& sent, char* receives, const Begins& received,
                        std::int64_t row_bytes, cudaStream_t stream) = 0;
  /// To be called when the stream has been waited for: throws Error(device) if an exchange has failed.
  virtual void require_whole() = 0;
};

/// Of the NCCL that this process finds, as NCCL numbers them (23203: 2.32.3). 0: none, or Farfield was built without.
int nccl_version();

/// The channel of this communicator, which plans share since making one is slow. Null, on all ranks alike,
/// where NCCL does not serve: there is none, versions differ, or two ranks have the same device. All ranks call it,
/// each on its device.
std::shared_ptr<NcclChannel> nccl_channel(Ranks& ranks, int device);

}  // namespace farfield::distributed
