// DeviceArray: an array in device memory, stream-ordered, from the plan's own pool.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "backends/cuda/runtime/check.hpp"
#include "core/array.hpp"

namespace farfield::cuda {

class KeptBlocks;

/// Where arrays of one plan come from: a pool that keeps freed blocks for the plan's next arrays, the stream that
/// orders them, and the count of bytes. A DeviceArray without a DeviceMemory uses cudaMalloc and cudaFree.
class DeviceMemory {
 public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;

  /// As OwnedArray wants them. An Error(memory) names the bytes that are free, too.
  static void* allocate(DeviceMemory* from, std::int64_t bytes);
  static void release(DeviceMemory* from, void* block, std::int64_t bytes) noexcept;
  /// Gives freed blocks whose work has been waited for back to the device, until the pool holds at most `bytes`.
  void trim(std::int64_t bytes);
  /// To be called before the first array. What is free of blocks, up to half of the device's memory, then waits here for
  /// the next arrays, and the driver is not asked; of a quarter those of 2^28 points were asked for again, 10 ms of a
  /// step. Where memory has run out, an eighth less waits. For a plan each of whose calls works on one stream and waits
  /// for it.
  void keep_blocks();
  /// Lets another device copy from these blocks by itself, where the hardware can; otherwise copies take a longer way.
  void let_read(int other);

  int device = 0;
  cudaStream_t stream = nullptr;
  MemoryMeter meter;
  bool frozen = false;  ///< `allocate` throws: launches are being captured, and replays use the same arrays

 private:
  void give_back_blocks() noexcept;

  cudaMemPool_t pool_ = nullptr;
  std::unique_ptr<KeptBlocks> blocks_;  ///< null: none are kept
};

template <class T>
using DeviceArray = OwnedArray<T, DeviceMemory>;

/// Page-locked host memory of a fixed size: copies from the device to it are asynchronous.
template <class T>
class PinnedArray {
 public:
  explicit PinnedArray(std::int64_t size) {
    require(cudaMallocHost(&data_, static_cast<std::size_t>(size) * sizeof(T)), "cudaMallocHost");
  }
  ~PinnedArray() { cudaFreeHost(data_); }
  PinnedArray(const PinnedArray&) = delete;
  T* data() { return data_; }
  const T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

/// Copies in the order of the stream. From pageable host memory the call returns once the source has been read; to host
/// memory the caller synchronises before it reads.
template <class T>
void upload(DeviceArray<T>& to, const T* from, std::int64_t count, cudaStream_t stream) {
  to.resize(count);
  if (count == 0) return;
  require(cudaMemcpyAsync(to.data(), from, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync to the device");
}
template <class T>
void download(T* to, const T* from, std::int64_t count, cudaStream_t stream) {
  if (count == 0) return;
  require(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync to the host");
}

}  // namespace farfield::cuda
