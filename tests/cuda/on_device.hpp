// What tests keep in device memory as a caller would: by the CUDA runtime alone.
#pragma once
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace farfield::testing {

inline void require(cudaError_t code) { ASSERT_EQ(code, cudaSuccess) << cudaGetErrorString(code); }

/// A copy of a vector in device memory.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : count_(values.size()) {
    require(cudaMalloc(&data_, std::max<std::size_t>(1, count_) * sizeof(T)));
    write(values);
  }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  T* data() const { return data_; }
  /// For any stream: a copy from memory that is not page-locked returns before it has arrived.
  void write(const std::vector<T>& values) const {
    require(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    require(cudaStreamSynchronize(nullptr));
  }
  std::vector<T> read() const {
    std::vector<T> values(count_);
    require(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t count_;
  T* data_ = nullptr;
};

}  // namespace farfield::testing
