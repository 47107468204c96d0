// The sums behind the expected error (model/placement.hpp) over a tree in device memory, with one read-back.
//
// All sums that settle_degree usually asks for are made by one launch() of a handful of kernels, in three chains side
// by side: one after the other they took 0.4 ms for 60,000 bodies, of which the chain of far pairs half. Trees of many
// boxes are sampled. The choice is pseudo-random but fixed: it depends on nothing but counts, so that the same points
// give the same degree. In a small tree all boxes are summed, and the sums are the host's up to rounding. Summing all
// boxes of 2^24 points in leaves of 15 took 18 ms.
#pragma once
#include <algorithm>
#include <cstdint>

#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "model/degree.hpp"

namespace farfield::cuda {

inline constexpr int degrees_at_once = 4;  ///< settle_degree asks about two where the choice was right
inline constexpr int norm_samples = 32;    ///< sampled targets; as on the host, between 32 and 63 of them
inline constexpr int norm_shares = 4;      ///< blocks per sampled target
inline constexpr int plane_samples =
    64;  ///< stretches of consecutive boxes, as on the host; with the remainder fewer than twice as many

/// Sums over far pairs of boxes, divided by the square [0] or the fourth power [1] of their edge.
struct FarSums {
  double beside[2], beyond[2];        ///< n_source n_target of pairs with one box between them, with two
  double facing[degrees_at_once][2];  ///< B_source B_target
};

/// A word per chunk of 256 boxes: the lower bits count leaves with targets, the highest says whether a leaf has at
/// least 8 sources.
inline constexpr int chunk_boxes = 256;
inline constexpr std::uint32_t has_full_leaf = 1u << 31;

/// All sums, read back at once.
struct PlacementFindings {
  unsigned long long target_leaves, largest_leaf;  ///< leaves with targets; most sources or targets of a leaf
  /// At each sampled target: sum 1/r^2, sum 1/r^4 outside its leaf, the far leaves' part of the latter.
  double norm[2 * norm_samples][norm_shares][3];
  double own_leaf[2];                ///< sum of 1/r^4 over pairs within sampled leaves, and how many targets they hold
  int planes[2 * plane_samples][2];  ///< has the stretch a leaf of 8 sources; do that leaf's sources lie in planes?
  FarSums far;
};

class DeviceSums final : public PlacementSums {
 public:
  /// `degree`: the first that will be asked about. `softening`: scaled like the points. Streams beside that of `memory`
  /// serve until the sums are asked for.
  DeviceSums(const CudaTree& tree, int degree, double softening, DeviceMemory& memory, SideStream& near_stream,
             SideStream& far_stream);

  /// Returns at once; the first question waits. For trees of more than two levels. Of kernels that ask only whether
  /// points stand in planes nothing else is summed.
  void launch(bool planes_alone);
  /// Of a part of a tree, without lists, over points that the caller has: how its leaves are filled. Nothing else is
  /// offered.
  DeviceSums(const TreeView& part, const PlacedPoints& sources, double softening, DeviceMemory& memory,
             SideStream& near_stream, SideStream& far_stream);
  /// Returns at once.
  void look_at_part();
  /// Waits.
  const PlacementFindings& of_part() { return view_.boxes > 0 ? found() : found_; }

  int levels() const override { return view_.levels; }
  double targets() const override { return static_cast<double>(target_count_); }
  bool in_planes() override;
  double finest_edge() const override { return view_.lattice.edge(view_.levels - 1); }
  bool heaped(std::int64_t most) override;
  ResultNorms norms() override;
  Placement typical(const ResultNorms& norms, int degree) override;
  Placement facing(const ResultNorms& norms, int degree) override;

 private:
  const PlacementFindings& found();
  void look_at_leaves();
  void look_for_planes();
  void sum_norms();
  void sum_own_leaves();
  void sum_far_pairs();
  void read();

  DeviceMemory& memory_;
  SideStream &near_stream_, &far_stream_;
  TreeView view_;
  ListsView lists_;
  PlacedPoints sources_, targets_;
  std::int64_t target_count_;
  int first_degree_;
  double softening_;
  bool known_ = false;
  DeviceArray<std::uint32_t> chunk_;  ///< a word per chunk of boxes
  DeviceArray<float> occupation_;     ///< of corners of sampled boxes
  DeviceArray<double> own_part_, far_part_;
  DeviceArray<PlacementFindings> on_device_;
  PlacementFindings found_{};
};

/// Pairs within a leaf are summed in every so many-th box.
inline BoxId own_leaf_stride(std::int64_t targets, bool softened) {
  return static_cast<BoxId>(1 + targets / (softened ? 20'000 : 200'000));  // all 60,000 softened bodies took 0.1 ms
}
/// PlacementFindings::own_leaf of `count` boxes to `sums`; `parts`: room for 2 count numbers. All pointers are to
/// device memory.
struct SumsInLeaves {
  const BoxId* box;
  int count;
  double softening;
  double *parts, *sums;
};
void sum_in_leaves(const TreeView& tree, const PlacedPoints& sources, const PlacedPoints& targets,
                   const SumsInLeaves& leaves, cudaStream_t stream);

/// Of boxes whose children are not all in the tree, as those of other ranks, how many sources these hold, by octant;
/// all 0 for a leaf.
struct ChildrenElsewhere {
  const std::int32_t* row = nullptr;       ///< [boxes]: of a box, -1 for none; null: all children are in the tree
  const std::uint32_t* sources = nullptr;  ///< [rows][8]
};

/// At the target in the middle of each of these leaves: sum 1/r^2, sum 1/r^4 outside the leaf, the far leaves' part of
/// the latter. All pointers are to device memory.
struct NormsAtLeaves {
  const BoxId* leaf;
  int count;
  double softening;
  double (*norm)[norm_shares][3];  ///< [count]
  ChildrenElsewhere elsewhere;
};
void sum_norms_at(const TreeView& tree, const ListsView& lists, const PlacedPoints& sources,
                  const PlacedPoints& targets, const NormsAtLeaves& leaves, cudaStream_t stream);

/// A rank's boxes, ascending, and what numbers they have among those of all ranks.
struct NumberedBoxes {
  const BoxId* box;
  std::int64_t count;
  std::int64_t shift[max_levels + 1];  ///< of a level: the number of a box less its place in the rank's tree
  BoxId of_all;
  BoxId stride() const { return std::max<BoxId>(1, of_all / plane_samples); }
  int stretches() const { return (of_all + stride() - 1) / stride(); }
};
/// The first of a rank's leaves of at least 8 sources in one stretch of the boxes of all ranks.
struct FullLeaf {
  double number;     ///< among the boxes of all; negative: there is none
  double in_planes;  ///< 1: its sources lie in planes
};
/// found[stretch]; `first`: room for as many numbers. Pointers are to device memory.
void look_for_planes(const TreeView& tree, const PlacedPoints& sources, const NumberedBoxes& boxes, bool softened,
                     BoxId* first, FullLeaf* found, cudaStream_t stream);

}  // namespace farfield::cuda
