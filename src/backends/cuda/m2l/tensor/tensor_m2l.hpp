// TensorM2l: what m2l on tensor cores owns beside the plan's other arrays: row lists, and operators and multipoles in
// 16-bit floats.
#pragma once
#include <string>
#include <vector>

#include "backends/cuda/m2l/tensor/rows.hpp"
#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/work.hpp"
#include "model/cost_model.hpp"

namespace farfield::cuda {

/// Which engine m2l of this degree runs on in single precision; none: by FMA.
enum class TensorEngine { none, warp, warpgroup };
TensorEngine tensor_engine(int degree);

class TensorM2l {
 public:
  explicit TensorM2l(DeviceMemory& memory);

  /// Before build: how much potentials or gradients may err, rounding by 0.35 of it; 0: as little as suits the degree.
  void set_tolerance(double tolerance) { tolerance_ = tolerance; }
  /// Makes the operators (kept while the tables stay the same), the rows of this tree, room for its operands, which p2m
  /// and m2m have to write anew.
  /// `large`, for tests: the large tiles that big trees have, in waves of three.
  void build(const TablesView<float>& tables, const TreeView& tree, TensorEngine engine, cudaStream_t stream,
             bool large = false);
  /// Makes the operands' scale that of sources with dipoles, and waits for the stream; after build. false: it would
  /// leave the range of the scales, and m2l has to do without tensor cores.
  bool allow_dipoles(const Lattice& lattice, int levels, cudaStream_t stream);
  /// In two parts, of expansions whose operators depend on the level. Room for the operands of all levels:
  void build_operands(int degree, const TreeView& tree, TensorEngine engine, cudaStream_t stream);
  /// and, of another object, the operators and rows of one level; `operands` are those of the first.
  void build_level(const TablesView<float>& tables, const TreeView& tree, int level, const TensorView& operands,
                   cudaStream_t stream);
  void release();

  /// Of a part of a tree: the most sources of a box of each level, in this part, and what they are in the whole tree,
  /// from which the operands' scale follows. The first waits for the stream.
  std::vector<std::uint32_t> most_sources(cudaStream_t stream) const;
  void use_most_sources(const std::vector<std::uint32_t>& most, cudaStream_t stream);

  /// After build, which takes all boxes for them, and before make_room: about how many boxes of the whole tree have
  /// targets, from which follows into how many parts a box's sums are split.
  void split_for(double heard);

  /// Room for the operands of so many densities, which m2l may then sum side by side; `build` makes it for one.
  void make_room(int densities);

  const TensorView& view() const { return view_; }
  TensorView view_of(int density) const;

  /// For the report.
  std::string arithmetic() const;

  /// Upper bounds of the bytes per box and of the operators.
  static std::int64_t bytes_of_box(int degree);
  static std::int64_t bytes_of_operators(int degree);
  /// `heard`: the share of boxes that have targets.
  static std::int64_t bytes_of_parts(int degree, std::int64_t boxes, double heard);

 private:
  void use_operators(const TablesView<float>& tables, TensorEngine engine, cudaStream_t stream);
  void make_operators(const TablesView<float>& tables, cudaStream_t stream);
  void make_rows(const TreeView& tree, BoxId first, BoxId last, TensorEngine engine, bool large, cudaStream_t stream);
  void prepare_operands(const TreeView& tree, TensorEngine engine, cudaStream_t stream);
  void choose_passes(int degree, TensorEngine engine, Fit fit);
  void count_most_sources(const TreeView& tree, cudaStream_t stream);
  bool runs_beside() const;

  DeviceMemory& memory_;
  double tolerance_ = 0;
  int degree_ = -1;
  const float* matrix_ = nullptr;  ///< of the tables that the operators were made from
  int links_ = 0;                  ///< of the same tables; the reduced stencil has fewer
  TensorView view_;
  std::int64_t boxes_ = 0;  ///< that there is room for
  int stride_ = 0;          ///< of locals
  bool of_all_levels_ = false;
  TensorRowLists rows_, graded_rows_;
  DeviceArray<TensorInner> inner_, graded_inner_;
  DeviceArray<__half> operators_, graded_operators_[2], high_, graded_high_, graded_low_;
  DeviceArray<std::uint32_t> most_sources_;
  DeviceArray<float> parts_, graded_sums_;  ///< see TensorView
  OwnStream beside_{Urgency::urgent};
};

}  // namespace farfield::cuda
