// DeviceField: BlockField's translations on a device: from the multipoles of a cell's blocks to their local expansions.
#pragma once
#include "backends/cuda/periodic/blocks/convolution.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "expansions/periodic/blocks/field.hpp"
#include "expansions/periodic/convolution_sums.hpp"

namespace farfield::cuda {

/// visit(i, n, m) for the coefficients m >= 0, by the threads of a block.
template <class Visit>
__device__ void for_each_order(int degree, const Visit& visit) {
  for (int i = static_cast<int>(threadIdx.x); i < convolution::orders(degree); i += static_cast<int>(blockDim.x)) {
    const convolution::Order at(i);
    visit(i, at.n, at.m);
  }
}

/// Plain pointers of a DeviceField. Complex numbers are pairs of doubles (convolution_sums.hpp).
struct FieldView {
  int degree, count, blocks;  ///< count: coefficients
  double unit, root_edge, root_centre[3], quadratic;
  bool even;
  const double *centre, *recurrence, *roots, *power;  ///< centre: [block][axis]
  const double *unit_charge, *lattice;
  double* multipole;           ///< [block][count], of the sources
  double* second;              ///< [block]: sum of q |u|^2 about the cell's centre
  double *scaled, *root_part;  ///< [block][count] complex: SolidConvolution::scaled, and what the cell's multipole gets
  double* root_local;          ///< [count] complex: the cell's local expansion, of_local
  double* charge;              ///< of |u|^2 in what the expansions give
  double *translated, *share;  ///< [block][coefficients m >= 0] complex: m2l; l2l of the cell's local expansion
  double* local;               ///< [block][count][potential, d/dx, d/dy, d/dz]
  float* potential;            ///< [block][count], without slopes: for boxes of a tree
};

class DeviceField {
 public:
  explicit DeviceField(const BlockMaps& maps);
  const FieldView& view() const { return view_; }
  /// When the last translate() leaves room on the device again.
  cudaEvent_t translated() const { return convolution_.translated(); }
  /// view().multipole and .second as numbers on the host, a block's `second` behind its multipole. Waits.
  std::vector<double> multipoles(cudaStream_t stream) const;
  void set_multipoles(const std::vector<double>& numbers, cudaStream_t stream) const;
  /// From view().multipole and .second to .charge and to .local or, where that is asked for, to .potential alone.
  void translate(cudaStream_t stream, bool potentials = false);
  /// Of the charges last translated. Takes the place of their local expansions. Waits.
  BlockMoments moments(cudaStream_t stream) const;

 private:
  void pull(std::size_t vector, cudaStream_t stream) const;

  FieldArrays arrays_;
  DeviceConvolution convolution_;
  std::size_t sets_;  ///< of the convolution
  FieldView view_{};
  SideStream of_cell_;         ///< the lattice operator runs beside the translations of blocks
  double* nothing_ = nullptr;  ///< a share of the cell: 0
  double* pull_ = nullptr;     ///< [vector][axis]
};

}  // namespace farfield::cuda
