// CudaTree: sorted points, boxes and lists in device memory, everything that stages need beside strengths.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <functional>

#include <farfield/views.hpp>

#include "backends/cuda/array.hpp"
#include "tree/geometry.hpp"
#include "tree/lists.hpp"
#include "tree/tree.hpp"

namespace farfield::cuda {

/// Points in the order of the tree.
struct SortedPoints {
  std::int64_t count = 0;
  DeviceArray<double> axis[3];       ///< the caller's coordinates times 2^Geometry::exponent, exactly
  DeviceArray<std::uint32_t> order;  ///< the caller's index of each point
};

struct TreeOptions {
  int m = 1, k = 0;             ///< the data's largest side spans m boxes of level k, see make_lattice
  std::int64_t leaf_size = 64;  ///< most sources or targets of a leaf
  int depth = -1;               ///< >= 0: uniform tree with all leaves at this level
  ListThresholds thresholds;
  /// Called before the first stage with "" and after the launches of every stage with its name.
  std::function<void(const char*)> mark;
};

struct CudaTree {
  Lattice lattice;
  Tree<DeviceArray> tree;
  Lists<DeviceArray> lists;
  SortedPoints sources, targets;  ///< `targets` is empty where `alike`
  bool alike = true;

  const SortedPoints& target_points() const { return alike ? sources : targets; }
  /// Has every array come from `memory`; before the first build.
  void use(DeviceMemory& memory);
};

/// Builds everything anew in the order of `stream`. `geometry` is the survey of the same points; `targets` null: they
/// are the sources. Points may be in host or device memory.
void build(CudaTree& built, const Points& sources, const Points* targets, const Geometry& geometry,
           const TreeOptions& options, cudaStream_t stream);

/// No tree: scaled points in the caller's order, for the direct sum.
void read_points(CudaTree& built, const Points& sources, const Points* targets, const Geometry& geometry,
                 cudaStream_t stream);

/// Bounding box, power-of-two scale and how the points fill space, as cpu::survey. Waits for the stream.
Geometry survey(const Points& sources, const Points* targets, cudaStream_t stream);

}  // namespace farfield::cuda
