// What the programs for a GPU share besides course.hpp: arrays in device memory, the term of one pair, the clock, and
// what to do where there is no GPU.
#pragma once
#include "course.hpp"

namespace course {

/// Leaves the program where a call of the CUDA runtime failed.
inline void require(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::printf("CUDA: %s\n", cudaGetErrorString(code));
  std::exit(1);
}

/// Leaves with 77, which ctest counts as skipped, where there is no GPU.
inline void require_device() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) return;
  std::printf("skipped: there is no CUDA device\n");
  std::exit(77);
}

/// A vector's copy in device memory.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : count_(values.size()) {
    require(cudaMalloc(&data_, (count_ + 1) * sizeof(T)));  // + 1: never of no length
    require(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  T* data() const { return data_; }
  std::vector<T> read() const {
    std::vector<T> values(count_);
    require(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t count_;
  T* data_ = nullptr;
};

/// Bodies in single precision, 16 bytes each, which a thread loads at once: x, y, z and in w the mass.
inline std::vector<float4> single(const Bodies& bodies) {
  std::vector<float4> f;
  for (const Body& b : bodies)
    f.push_back(
        {static_cast<float>(b.at.x), static_cast<float>(b.at.y), static_cast<float>(b.at.z), static_cast<float>(b.q)});
  return f;
}

/// What a source `s` adds to the potential at `t`; 0 for t itself. The threads of a warp run in step: a select costs
/// them less than a branch that some take.
__device__ inline float pair(float4 t, float4 s) {
  const float dx = t.x - s.x, dy = t.y - s.y, dz = t.z - s.z;
  const float r2 = dx * dx + dy * dy + dz * dz;
  return r2 > 0 ? s.w * rsqrtf(r2) : 0;
}

/// Seconds that the kernels launched by f take. A launch returns at once, so the clock stops only when they are done;
/// and the first run is not timed, for it loads the program onto the device.
template <class F>
double device_seconds(F launch) {
  launch();
  require(cudaGetLastError());
  require(cudaDeviceSynchronize());
  const double time = seconds([&] {
    launch();
    require(cudaDeviceSynchronize());
  });
  require(cudaGetLastError());
  return time;
}

}  // namespace course
