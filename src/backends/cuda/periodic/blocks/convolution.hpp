// DeviceConvolution: BlockConvolution on a device, by transforms over the grid of blocks: from the scaled multipoles of
// blocks to what m2l gives them.
#pragma once
#include "backends/cuda/own_event.hpp"
#include "backends/cuda/periodic/blocks/arrays.hpp"
#include "backends/cuda/periodic/blocks/transforms.hpp"
#include "expansions/periodic/blocks/convolution.hpp"

namespace farfield::cuda {

class DeviceConvolution {
 public:
  /// Its work on the device is the default stream's.
  DeviceConvolution(const BlockConvolution& tables, int degree);
  /// By one of the sets of tables. `scaled`: [block][coefficient] complex; `to`: [block][order m >= 0] complex.
  void apply(std::size_t set, const double* scaled, double* to, cudaStream_t stream) const;
  /// When the last apply() has translated, which takes most of the device.
  cudaEvent_t translated() const { return translated_; }

 private:
  convolution::Complex* transformed(const SolidConvolution::Numbers& numbers, convolution::GridTransform grid,
                                    bool turns);

  FieldArrays arrays_;
  int degree_, orders_, blocks_[3];
  const convolution::Complex* circle_;  ///< GridTransform::waves
  convolution::GridTransform of_blocks_, of_points_;
  convolution::Wave* scratch_ = nullptr;
  std::vector<const convolution::Complex*> images_;  ///< [set]
  const convolution::Complex* alone_;
  std::vector<const double*> weights_;  ///< [set]
  convolution::Wave *multipole_[2], *sum_;
  OwnEvent translated_;
};

}  // namespace farfield::cuda
