// CudaTree: a BuiltTree in device memory.
#pragma once
#include "backends/cuda/boxes/sort.hpp"
#include "backends/cuda/transfer/survey.hpp"

namespace farfield::cuda {

struct CudaTree : BuiltTree<DeviceArray> {
  DeviceArray<std::uint32_t> source_curve, target_curve;  ///< order along the Morton curve, if read_points made it
  struct {
    std::int64_t points = 0, leaf_size = 0;
  } made_for;  ///< the last build
  DeviceMemory* memory = nullptr;

  const std::uint32_t* target_order() const { return (alike ? source_curve : target_curve).data(); }
  /// A build or a direct sum of other points must not follow the last direct sum's order.
  void forget_curves() {
    source_curve.release();
    target_curve.release();
  }
  /// Makes all arrays, and the temporary ones of a build, come from `lent`; to be called before the first build.
  void use(DeviceMemory& lent) {
    memory = &lent;
    BuiltTree::use(lent);
    use_all(lent, source_curve, target_curve);
  }
};

/// Boxes of points in device memory that are keyed and sorted, but not in memory in that order: for who finds out by
/// the boxes where among other points they are to lie.
class KeyedTree {
 public:
  /// Makes the boxes of `built`, without colleagues and lists, and of its points only their numbers. The given points
  /// are read again when they are gathered.
  KeyedTree(CudaTree& built, const Points& sources, const Points* targets, const Geometry& geometry,
            const TreeOptions& options);
  const Cloud& sources() const { return sources_; }
  const Cloud& targets() const { return targets_; }

 private:
  Cloud sources_, targets_;
};

/// Sorted points and boxes without colleagues and lists, of points in device memory.
void build_boxes(CudaTree& built, const Points& sources, const Points* targets, const Geometry& geometry,
                 const TreeOptions& options);

/// Builds everything anew in the order of the memory's stream. `geometry` is the survey of the same points; `targets`
/// null: they are the sources. Points may be in host memory, which is copied for the call, or in device memory, e.g.
/// that of DevicePoints. Waits for the stream twice: for the sizes of levels and of lists (and for deep trees, see
/// boxes.hpp).
void build(CudaTree& built, const Points& sources, const Points* targets, const Geometry& geometry,
           const TreeOptions& options);

/// No tree: scaled points in the caller's order, for the direct sum. `along_curve`: the direct sum shall visit points
/// that follow one another in space (CudaTree::source_curve and target_curve, the same where alike).
void read_points(CudaTree& built, const Points& sources, const Points* targets, const Geometry& geometry,
                 bool along_curve);

}  // namespace farfield::cuda
