// CudaTree: sorted points, boxes and lists in device memory, everything that stages need beside strengths.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <farfield/views.hpp>
#include <functional>
#include <memory>

#include "backends/cuda/boxes/sort.hpp"
#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/transfer/survey.hpp"
#include "tree/geometry.hpp"
#include "tree/lists.hpp"
#include "tree/tree.hpp"

namespace farfield::cuda {

struct TreeOptions {
  int m = 1, k = 0;             ///< the data's largest side spans m boxes of level k, see make_lattice
  std::int64_t leaf_size = 64;  ///< most sources or targets of a leaf
  int depth = -1;               ///< >= 0: uniform tree with all leaves at this level
  ListThresholds thresholds;
  /// Called before the first stage with "" and after the launches of every stage with its name (keys, sort, boxes,
  /// gather, lists): the place to record events.
  std::function<void(const char*)> mark;
};

struct CudaTree {
  std::unique_ptr<DeviceMemory> own_memory;  ///< the memory where `use` named none; outlives the arrays
  Lattice lattice;
  Tree<DeviceArray> tree;
  Lists<DeviceArray> lists;
  SortedPoints sources, targets;  ///< `targets` is empty where `alike`
  bool alike = true;
  DeviceArray<std::uint32_t> source_curve, target_curve;  ///< order along the Morton curve, if read_points made it
  struct {
    std::int64_t points = 0, leaf_size = 0;
  } made_for;  ///< the last build

  const SortedPoints& target_points() const { return alike ? sources : targets; }
  const std::uint32_t* target_order() const { return (alike ? source_curve : target_curve).data(); }
  /// A build or a direct sum of other points must not follow the last direct sum's order.
  void forget_curves();
  /// Makes all arrays, and the temporary ones of a build, come from `memory`; to be called before the first build.
  void use(DeviceMemory& memory);
  DeviceMemory* memory = nullptr;
};

/// Builds everything anew in the order of `stream`. `geometry` is the survey of the same points; `targets` null: they
/// are the sources. Points may be in host memory, which is copied for the call, or in device memory, e.g. that of
/// DevicePoints. Waits for the stream twice: for the sizes of levels and of lists (and for deep trees, see boxes.hpp).
/// Where `use` named a memory, `stream` is that memory's.
void build(CudaTree& built, const Points& sources, const Points* targets, const Geometry& geometry,
           const TreeOptions& options, cudaStream_t stream);

/// No tree: scaled points in the caller's order, for the direct sum. `along_curve`: the direct sum shall visit points
/// that follow one another in space (CudaTree::source_curve and target_curve, the same where alike).
void read_points(CudaTree& built, const Points& sources, const Points* targets, const Geometry& geometry,
                 bool along_curve, cudaStream_t stream);

}  // namespace farfield::cuda
