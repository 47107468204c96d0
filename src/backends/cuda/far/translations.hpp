// Translations: the operators of m2m, m2l and l2l for one degree and scheme, and the rows of boxes that they go by.
#pragma once
#include <functional>

#include "backends/cuda/far/octants.hpp"
#include "backends/cuda/far/tables/table_cache.hpp"
#include "backends/cuda/levels/tables.hpp"
#include "backends/cuda/levels/tensor.hpp"
#include "backends/cuda/m2l/mirror/mirror_m2l.hpp"
#include "backends/cuda/m2l/rows.hpp"
#include "backends/cuda/m2l/tensor/tensor_m2l.hpp"
#include "backends/cuda/planar/tables.hpp"
#include "model/decision.hpp"

namespace farfield::cuda {

/// Where a tree is part of one that several ranks hold: what follows from the whole.
struct WholeTree {
  int levels;
  std::function<void(std::vector<std::uint32_t>&)> most;  ///< of each number the largest of all parts
};

template <class Real>
class Translations {
 public:
  explicit Translations(DeviceMemory& memory);

  /// Makes what the decision needs for this tree; keeps what is the same as before. Replaces a dense scheme that nobody
  /// asked for by rotation where the device has no tensor cores for it, and says in the report which arithmetic m2l
  /// has. `whole`: null where the tree is the whole.
  void build(Decision& decision, const TreeView& tree, int threads, cudaStream_t stream, Report& report,
             const WholeTree* whole = nullptr);

  void bind(Work<Real>& work) const;
  /// Of a family that is not ScaleInvariant.
  LevelsView<Real> levels() const {
    LevelsView<Real> view = levels_.view();
    view.tensor = level_tensor_.by_level();
    return view;
  }
  /// Room for m2l of so many densities side by side, each with the operands that bind_operands gives it.
  void make_room(int densities);
  void bind_operands(Work<Real>& work, int density) const;
  /// After build: the whole tree's boxes, and how many points it has. In a cell two thirds of the boxes may have images
  /// alone, which are no targets.
  void split_for(std::int64_t boxes, std::int64_t sources, std::int64_t targets) {
    const double heard = static_cast<double>(boxes) * heard_share(sources, targets);
    if (tensor_.view().ready) tensor_.split_for(heard);
    if (mirror_.view().ready) mirror_.split_for(heard);
  }
  /// Of a tree's boxes about how many have targets.
  static double heard_share(std::int64_t sources, std::int64_t targets) {
    return sources > targets && targets > 0 ? static_cast<double>(targets) / static_cast<double>(sources) : 1;
  }
  int degree() const { return view().degree; }
  int stride() const { return view().stride; }  ///< of expansions

 private:
  /// Of a treecode.
  void build_for_walks(const Decision& decision, const TreeView& tree, int threads, cudaStream_t stream);
  void build_for_all_levels(Decision& decision, const TreeView& tree, int threads, cudaStream_t stream, Report& report,
                            const WholeTree* whole);
  void build_levels(const Decision& decision, const TreeView& tree, int threads, cudaStream_t stream, Report& report,
                    const WholeTree* whole);
  TensorEngine build_tensor(TensorEngine engine, const Decision& decision, const TreeView& tree, cudaStream_t stream,
                            const WholeTree* whole);

  /// Shared tables count in the memory of every plan that has them.
  void count_shared();
  TablesView<Real> view() const { return tables_ ? tables_->view() : TablesView<Real>{}; }

  DeviceMemory& memory_;
  std::int64_t counted_ = 0;  ///< bytes of what is shared
  std::shared_ptr<const Tables<Real>> tables_;
  LevelTables<Real> levels_;
  LevelTensor level_tensor_;
  Octants octants_;
  Rows rows_;
  TensorM2l tensor_;
  MirrorM2l mirror_;
  PlanarTables<Real> planar_;
};

}  // namespace farfield::cuda
