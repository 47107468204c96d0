// DeviceArray: the one owner of device memory. Stream-ordered, from the plan's own pool, not initialised, counted.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <utility>

#include "backends/cuda/runtime/check.hpp"
#include "core/array.hpp"

namespace farfield::cuda {

/// Where arrays of one plan come from: a pool that keeps freed blocks for the plan's next arrays, the stream that
/// orders them, and the count of bytes. A DeviceArray without a DeviceMemory uses cudaMalloc and cudaFree.
class DeviceMemory {
 public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;

  void* allocate(std::int64_t bytes);
  void release(void* block, std::int64_t bytes) noexcept;
  /// Gives freed blocks whose work has been waited for back to the device, until the pool holds at most `bytes`.
  void trim(std::int64_t bytes);

  int device = 0;
  cudaStream_t stream = nullptr;
  MemoryMeter meter;
  bool frozen = false;  ///< `allocate` throws: launches are being captured, and replays use the same arrays

 private:
  cudaMemPool_t pool_ = nullptr;
};

void* allocate_unpooled(std::int64_t bytes);
void release_unpooled(void* block) noexcept;

/// `size` elements of a trivially copyable T in device memory. `resize` keeps no contents.
/// Allocation failure throws Error(memory) with the bytes that were wanted and those that are free.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(DeviceMemory& memory) : memory_(&memory) {}
  DeviceArray(DeviceArray&& other) noexcept { swap(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    swap(other);
    return *this;
  }
  DeviceArray(const DeviceArray&) = delete;
  ~DeviceArray() { release(); }

  /// Names where memory comes from; before the first resize.
  void use(DeviceMemory& memory) { memory_ = &memory; }

  /// Grows or shrinks to `size` elements of undefined value; memory is kept when it suffices and is not more than twice
  /// too much.
  void resize(std::int64_t size) {
    if (size > capacity_ || size < capacity_ / 2) {
      release();
      if (size > 0) {
        const std::int64_t bytes = size * static_cast<std::int64_t>(sizeof(T));
        data_ = static_cast<T*>(memory_ ? memory_->allocate(bytes) : allocate_unpooled(bytes));
      }
      capacity_ = size;
    }
    size_ = size;
  }
  void release() noexcept {
    if (data_ && memory_) memory_->release(data_, capacity_ * static_cast<std::int64_t>(sizeof(T)));
    if (data_ && !memory_) release_unpooled(data_);
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  void swap(DeviceArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(memory_, other.memory_);
  }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0, capacity_ = 0;
  DeviceMemory* memory_ = nullptr;
};

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
