// Array: the one owner of host memory. Aligned for vector loads, not initialised, counted.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstring>
#include <farfield/error.hpp>
#include <memory>
#include <new>
#include <string>

namespace farfield {

/// Bytes held now and at most by the arrays of one plan.
struct MemoryMeter {
  std::int64_t now = 0, peak = 0;
  void add(std::int64_t bytes) {
    now += bytes;
    if (now > peak) peak = now;
  }
};

/// `size` elements of a trivially copyable T, 64-byte aligned. `resize` keeps no contents.
/// Allocation failure throws Error(memory) with the bytes that were wanted.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(MemoryMeter& meter) : meter_(&meter) {}
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  Array(const Array&) = delete;
  ~Array() { release(); }

  /// Grows or shrinks to `size` elements of undefined value. The memory is kept if it suffices and is at most twice
  /// what is needed.
  void resize(std::int64_t size) {
    if (size > capacity_ || size < capacity_ / 2) allocate(size);
    size_ = size;
  }
  void assign(std::int64_t size, T value) {
    resize(size);
    std::fill(data_, data_ + size, value);
  }
  void release() {
    if (data_) ::operator delete(data_, std::align_val_t(64));
    if (meter_) meter_->add(-capacity_ * static_cast<std::int64_t>(sizeof(T)));
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::int64_t i) { return data_[i]; }
  const T& operator[](std::int64_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  void meter(MemoryMeter& meter) { meter_ = &meter; }

  void swap(Array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(meter_, other.meter_);
  }

 private:
  void allocate(std::int64_t size) {
    release();
    const std::int64_t bytes = size * static_cast<std::int64_t>(sizeof(T));
    data_ = static_cast<T*>(::operator new(static_cast<std::size_t>(bytes), std::align_val_t(64), std::nothrow));
    if (!data_ && size > 0)
      throw Error(ErrorCode::memory, "not enough memory: an array of " + std::to_string(bytes) +
                                         " bytes could not be allocated; use fewer points, a larger tolerance or "
                                         "precision single");
    capacity_ = size;
    if (meter_) meter_->add(bytes);
  }

  T* data_ = nullptr;
  std::int64_t size_ = 0, capacity_ = 0;
  MemoryMeter* meter_ = nullptr;
};

}  // namespace farfield
