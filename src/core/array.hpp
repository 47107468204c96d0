// OwnedArray: the one owner of memory, whichever it is. Array: its form in host memory.
#pragma once
#include <cstdint>
#include <farfield/error.hpp>
#include <new>
#include <string>
#include <utility>

namespace farfield {

/// `size` elements of a trivially copyable T, not initialised, counted by Memory. Memory::allocate(from, bytes) and
/// Memory::release(from, block, bytes) take a Memory* that may be null. Allocation failure throws Error(memory) with
/// the bytes that were wanted.
template <class T, class Memory>
class OwnedArray {
 public:
  OwnedArray() = default;
  explicit OwnedArray(Memory& memory) : memory_(&memory) {}
  OwnedArray(OwnedArray&& other) noexcept { swap(other); }
  OwnedArray& operator=(OwnedArray&& other) noexcept {
    swap(other);
    return *this;
  }
  OwnedArray(const OwnedArray&) = delete;
  ~OwnedArray() { release(); }

  /// Names where memory comes from; before the first resize.
  void use(Memory& memory) { memory_ = &memory; }

  /// Grows or shrinks to `size` elements of undefined value, keeping no contents. The memory is kept if it suffices and
  /// is at most twice what is needed.
  void resize(std::int64_t size) {
    if (size > capacity_ || size < capacity_ / 2) {
      release();
      if (size > 0) data_ = static_cast<T*>(Memory::allocate(memory_, size * element_bytes));
      capacity_ = size;
    }
    size_ = size;
  }
  void release() noexcept {
    if (data_) Memory::release(memory_, data_, capacity_ * element_bytes);
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  void swap(OwnedArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(memory_, other.memory_);
  }

 private:
  static constexpr std::int64_t element_bytes = sizeof(T);
  T* data_ = nullptr;
  std::int64_t size_ = 0, capacity_ = 0;
  Memory* memory_ = nullptr;
};

/// Names where the memory of several arrays comes from.
template <class Memory, class... Arrays>
void use_all(Memory& memory, Arrays&... arrays) {
  (arrays.use(memory), ...);
}

/// Bytes held now and at most by the arrays of one plan.
struct MemoryMeter {
  std::int64_t now = 0, peak = 0;
  void add(std::int64_t bytes) {
    now += bytes;
    if (now > peak) peak = now;
  }
};

/// Host memory, aligned for vector loads.
struct HostMemory {
  MemoryMeter meter;

  static void* allocate(HostMemory* from, std::int64_t bytes) {
    void* block = ::operator new(static_cast<std::size_t>(bytes), std::align_val_t(64), std::nothrow);
    if (!block)
      throw Error(ErrorCode::memory, "not enough memory: an array of " + std::to_string(bytes) +
                                         " bytes could not be allocated; use fewer points, a larger tolerance or "
                                         "precision single");
    if (from) from->meter.add(bytes);
    return block;
  }
  static void release(HostMemory* from, void* block, std::int64_t bytes) noexcept {
    ::operator delete(block, std::align_val_t(64));
    if (from) from->meter.add(-bytes);
  }
};

/// An array whose elements the host can read and write.
template <class T>
class Array : public OwnedArray<T, HostMemory> {
 public:
  using OwnedArray<T, HostMemory>::OwnedArray;

  T& operator[](std::int64_t i) { return this->data()[i]; }
  const T& operator[](std::int64_t i) const { return this->data()[i]; }
  T* begin() { return this->data(); }
  T* end() { return begin() + this->size(); }
  const T* begin() const { return this->data(); }
  const T* end() const { return begin() + this->size(); }
};

}  // namespace farfield
