// MirrorM2l: what m2l by mirror images owns beside the plan's other arrays: operators, the list of steps, rows, the
// multipoles sorted by parity.
#pragma once

#include "backends/cuda/m2l/mirror/view.hpp"
#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/work.hpp"
#include "model/cost_model.hpp"

namespace farfield::cuda {

class MirrorM2l {
 public:
  explicit MirrorM2l(DeviceMemory& memory);

  /// Does this device multiply in double on tensor cores, at this degree?
  static bool available(int degree);

  /// Makes the operators of these tables (kept while the degree stays the same), the rows of this tree, room for its
  /// multipoles.
  void build(const TablesView<double>& tables, const TreeView& tree, cudaStream_t stream, int threads = 0);
  void release() { view_.ready = false; }

  /// As TensorM2l's.
  void make_room(int densities);

  const MirrorView& view() const { return view_; }
  MirrorView view_of(int density) const;

  /// Upper bounds of the bytes per box and of the operators, temporary arrays of their making included.
  static std::int64_t bytes_of_box(int degree);
  static std::int64_t bytes_of_operators(int degree);

 private:
  void make_operators(const TablesView<double>& tables, cudaStream_t stream, int threads);
  void find_rows(const TreeView& tree, cudaStream_t stream);

  DeviceMemory& memory_;
  int degree_ = -1;
  MirrorView view_;
  std::int64_t numbers_ = 0;  ///< of the multipoles of one density
  DeviceArray<double> operators_, multipole_;
  DeviceArray<MirrorStep> step_;
  DeviceArray<std::int32_t> begin_, rows_;
  DeviceArray<std::int16_t> source_, column_;
  DeviceArray<BoxId> row_;
};

}  // namespace farfield::cuda
