// MirrorM2l: what m2l by mirror images owns beside the plan's other arrays: rows, the multipoles sorted by parity. It
// shares the operators with other plans.
#pragma once

#include "backends/cuda/m2l/mirror/operators.hpp"
#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/work.hpp"
#include "model/cost_model.hpp"

namespace farfield::cuda {

class MirrorM2l {
 public:
  explicit MirrorM2l(DeviceMemory& memory);

  /// Does this device multiply in double on tensor cores, at this degree?
  static bool available(int degree);

  /// Takes the operators of the tables' degree, and makes the rows of this tree and room for its multipoles.
  void build(const TablesView<double>& tables, const TreeView& tree, cudaStream_t stream, int threads = 0);
  void release() { view_.ready = false; }

  /// As TensorM2l's: shares the steps out, so that the order of sums follows.
  void split_for(double heard);
  void make_room(int densities);

  const MirrorView& view() const { return view_; }
  std::int64_t shared_bytes() const { return operators_ ? operators_->held_bytes() : 0; }
  MirrorView view_of(int density) const;

  /// Upper bounds of the bytes per box and of the operators, temporary arrays of their making included.
  static std::int64_t bytes_of_box(int degree);
  static std::int64_t bytes_of_operators(int degree);
  /// Upper bound of the bytes of parts, in trees of up to so many boxes of which a share has targets.
  static std::int64_t bytes_of_parts(int degree, std::int64_t boxes, double heard);

 private:
  void find_rows(const TreeView& tree, cudaStream_t stream);

  DeviceMemory& memory_;
  std::shared_ptr<const MirrorOperators> operators_;
  MirrorView view_;
  std::int64_t numbers_ = 0, sums_ = 0;  ///< of the multipoles and of the parts of one density
  DeviceArray<double> multipole_, part_;
  DeviceArray<BoxId> row_;
};

}  // namespace farfield::cuda
