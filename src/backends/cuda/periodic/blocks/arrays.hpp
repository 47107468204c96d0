// FieldArrays: the arrays of one cell's blocks in device memory, all of doubles.
#pragma once
#include <memory>
#include <vector>

#include "backends/cuda/runtime/array.hpp"

namespace farfield::cuda {

class FieldArrays {
 public:
  double* room(std::int64_t numbers) {
    arrays_.push_back(std::make_unique<DeviceArray<double>>());
    arrays_.back()->resize(numbers);
    return arrays_.back()->data();
  }
  const double* copy(const double* from, std::int64_t numbers) {
    double* const to = room(numbers);
    require(cudaMemcpy(to, from, static_cast<std::size_t>(numbers) * sizeof(double), cudaMemcpyHostToDevice),
            "tables of blocks");
    return to;
  }

 private:
  std::vector<std::unique_ptr<DeviceArray<double>>> arrays_;
};

}  // namespace farfield::cuda
