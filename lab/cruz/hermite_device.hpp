// Hermite series on the device.
#pragma once
#include "backends/cuda/runtime/array.hpp"
#include "hermite_series.hpp"

namespace farfield::lab {

class DeviceSeries {
 public:
  explicit DeviceSeries(const SeriesCase& from);
  /// Several points per thread share what they read of a series: 1, 2 or 4.
  void run(int points, cudaStream_t stream);
  std::vector<float> result() const;

 private:
  int p_;
  cuda::DeviceArray<float> coefficient_, x_, y_, sum_;
};

}  // namespace farfield::lab
