// Work: everything a CUDA stage reads and writes, as plain device pointers. Owned by the evaluator (evaluator.cu).
// Kernels take as arguments no more of it than they need: NearWork or all.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

#include "backends/cuda/m2l/mirror/view.hpp"
#include "backends/cuda/m2l/tensor/view.hpp"
#include "backends/cuda/planar/view.hpp"
#include "backends/cuda/tuning.hpp"
#include "core/least_square.hpp"
#include "core/results.hpp"
#include "core/units.hpp"
#include "expansions/fitted/source_degrees.hpp"
#include "expansions/offsets.hpp"
#include "kernels/parameters.hpp"
#include "tree/acceptance.hpp"
#include "tree/lists.hpp"
#include "tree/tree.hpp"

namespace farfield::cuda {

/// y = A x in compressed rows; derivative maps of expansions.
template <class Real>
struct SparseView {
  int rows, columns;
  const std::int32_t *begin, *column;
  const Real* value;
};

/// One source box of a product: how it is found from the row's box (product.hpp), and the matrix it is multiplied by.
struct Link {
  std::int16_t slot;    ///< colleague
  std::int16_t octant;  ///< of the child
  std::int32_t matrix;
};

/// Matrices of a product, [matrix][stride][pitch] with element (in, out) at [in * pitch + out], and the links of every
/// class of rows: links[begin[c]] ... links[begin[c + 1]].
template <class Real>
struct Operators {
  const Real* matrix = nullptr;
  const Link* link = nullptr;
  int begin[9] = {};
};

/// Translations by rotation (expansions/tables.hpp), one canonical operator after another.
template <class Real>
struct RotationView {
  const Real *cosine = nullptr, *sine = nullptr, *blocks = nullptr, *shift = nullptr;
  std::int64_t block_numbers = 0, shift_numbers = 0;  ///< numbers of one operator in `blocks`, in `shift`
  const std::int32_t* index = nullptr;                ///< [symmetry][coefficients]
  const Real* sign = nullptr;
};

template <class Real>
struct TablesView {
  int degree = 0, coefficients = 0;
  Fit fit = Fit::none;                     ///< of `far`
  int stride = 0;                          ///< of expansions: coefficients rounded up to whole 64-byte lines
  int pitch = 0;                           ///< of matrices: coefficients rounded up to whole tiles
  const Real* recurrence = nullptr;        ///< of the degree itself
  const Real* recurrence_next = nullptr;   ///< of degree + 1, for the gradient of multipoles
  const Real* recurrence_after = nullptr;  ///< of degree + 2, for their Hessian
  Operators<Real> m2m, l2l, far, parent;
  RotationView<Real> rotation;
  SparseView<Real> local_gradient[3] = {}, multipole_gradient[3] = {};
  SparseView<Real> gradient_of_gradient[3] = {};  ///< multipole_gradient for degree + 1
};

/// Which reflections change the sign of which coefficients (octants.hpp).
struct OctantView {
  const std::uint8_t* parity = nullptr;  ///< [coefficients], three bits
  const std::int16_t* index = nullptr;   ///< [coefficients], sorted by parity
  /// [degree + 2][8]: row n: where in `index` the coefficients of parity k and degree n or higher begin; last row:
  /// where those of parity k end
  const std::int16_t* begin = nullptr;
};

/// Boxes with targets on levels 2 and deeper, grouped by octant (the class), in ascending order within each class.
struct ClassRows {
  const BoxId* box = nullptr;
  /// [8][levels + 1]: row of the first box of class c at level l or deeper.
  const std::int32_t* begin = nullptr;
  int levels = 0;
};

/// A block's share of p2p: up to p2p_tile targets of a leaf, and the leaf's row of the near list.
struct PairTile {
  std::int64_t near_begin, target;
  BoxId box;
  std::int32_t near_count, first, targets;  ///< `first`: of the targets, counted from the leaf's own first
};

/// Sibling leaves of few points that p2p serves together: bits of their octants.
struct Family {
  BoxId parent;
  std::uint8_t children;
  /// Children whose near list holds every coarser leaf adjacent to the parent; the near lists of the others hold none.
  std::uint8_t takers;
  /// Of a part of a tree: members whose targets are elsewhere. The sources around them have places, too, so that those
  /// around the other members have the same ones as in the whole tree.
  std::uint8_t others;
};
/// Of a part of a tree: parents whose children are in several parts, and their families in the whole tree.
struct SplitFamilies {
  const BoxId* parent = nullptr;  ///< ascending
  const Family* family = nullptr;
  int count = 0;
};

/// The tiles and families that p2p sums (p2p_work.hpp); every leaf with near sources is in one of the two.
struct PairTiles {
  const PairTile* tile = nullptr;
  const Family* family = nullptr;
  const std::int32_t *tiles = nullptr, *families = nullptr;  ///< device memory: how many there are
  std::int64_t most_tiles = 0, most_families = 0;            ///< upper bounds of these counts
  bool wide = false;                                         ///< tiles of wide_tile threads
  bool fives = false;                                        ///< see tuning::has_fives
};

/// Boxes of images and boxes at home (boxes/images/image_boxes.hpp), in device memory. All null: every box has a
/// multipole of its own.
struct ImageBoxesView {
  const BoxId* home = nullptr;          ///< [boxes]: the box with the same multipole; no_box: it is its own
  const BoxId* first_source = nullptr;  ///< [boxes]: the first of those with the multipoles of a box's children
  const BoxId* apart = nullptr;         ///< [aparts]: images whose parents are none
  const BoxId* own = nullptr;           ///< [owns]: leaves that are no images, and the boxes of levels 0 and 1
  const BoxId* parent = nullptr;        ///< boxes with children that are no images, level by level
  const BoxId* parent_begin = nullptr;  ///< [levels + 1], host memory: where those of a level begin
  BoxId aparts = 0, owns = 0;
  bool operator==(const ImageBoxesView&) const = default;
};

/// What every stage reads: points and tree.
struct TreeWork {
  TreeView tree;
  ListsView lists;
  bool has_m2p = true, has_p2l = true;    ///< do these lists have entries?
  bool alike = true;                      ///< sources and targets are the same points
  std::int64_t sources = 0, targets = 0;  ///< how many points
  /// Points per leaf, from which the shapes of some kernels follow, and with them the order of their sums; negative:
  /// those of this tree. A part of a tree has those of the whole one.
  double sources_per_leaf = -1, targets_per_leaf = -1;
  const double* source[3] = {};  ///< scaled coordinates of sorted sources
  const double* target[3] = {};
  cudaStream_t stream = nullptr;
  // of a treecode
  Acceptance rule;
  std::int64_t m2p_sources = 0;  ///< see ListThresholds
  /// Not null: sources are the targets and images of them, in the ranges of SourcesAtHome; each place with its
  /// strength, from the centre of the box `about` it, which is the target's leaf.
  float4* in_leaf = nullptr;
  const BoxId* about = nullptr;  ///< [places]
  std::int64_t places = 0;
  const float4* centre =
      nullptr;  ///< header, place of every box, stretch of every group: what walks read (treecode/places.hpp)
};

/// What sums of pairs need beside it: strengths in, results out.
template <class Real>
struct NearWork : TreeWork {
  const Real* strength = nullptr;  ///< of sorted sources
  ResultArrays<Real> result;
  PairTiles near;
  /// Direct sum: order in which sources and targets are visited; null: that of the arrays.
  const std::uint32_t *source_curve = nullptr, *target_curve = nullptr;
  /// That of the expansions' degree; of most_careful without expansions or for small tolerances (evaluator.cu).
  Real close_square = tuning::close_square<Real>(tuning::most_careful);
  Softening softening;
  KernelParameters parameters;  ///< scaled
  /// The caller's indices of the sorted points. Target t >= self_from of the caller is source t - self_from, which in a
  /// softened sum contributes nothing to it.
  const std::uint32_t *source_order = nullptr, *target_order = nullptr;
  std::int64_t self_from = 0;
  /// Of sorted points, scaled: their own softening lengths, of a spline reaches. Null: `softening` for all.
  const double *source_length = nullptr, *target_length = nullptr;
  const Real* dipole[3] = {};  ///< of sorted sources, scaled like coordinates; null: sources carry none
  /// Vectors of strengths that are summed together, densities. Arrays of density v lie v pitches behind the first's.
  int densities = 1;
  std::int64_t strength_pitch = 0, result_pitch = 0;
  bool cleared = false;  ///< results are, and p2p need not

  __host__ __device__ int moments() const { return dipole[0] ? with_dipole : 1; }
  /// Is the sum one of charges' potential and gradient, as most are? Other sums have kernels of their own.
  __host__ __device__ bool plain() const { return densities == 1 && moments() == 1 && !result.part[with_gradient]; }

  /// What `count` of the densities from `first` on work with.
  NearWork of(int first, int count = 1) const {
    NearWork some = *this;
    some.begin_at(first, count);
    return some;
  }
  void begin_at(int first, int count) {
    densities = count;
    strength += first * strength_pitch;
    for (const Real*& axis : dipole)
      if (axis) axis += first * strength_pitch;
    for (Real*& part : result.part)
      if (part) part += first * result_pitch;
  }

  /// Are these one particle? By their places among the sorted points.
  __device__ bool is_self(std::int64_t source, std::int64_t target) const {
    return this->alike ? source == target : source_order[source] + self_from == target_order[target];
  }
};

/// And what expansions need.
template <class Real>
struct Work : NearWork<Real> {
  TablesView<Real> tables;
  OctantView octants;
  ClassRows classes;
  Real* multipole = nullptr;         ///< [boxes][stride]
  Real* local = nullptr;             ///< [boxes][stride]
  bool rotation = false;             ///< m2l by rotation, else dense
  bool reduced = false;              ///< reduced stencil
  TensorView tensor;                 ///< dense m2l on tensor cores, in single
  MirrorView mirror;                 ///< the same in double; tables are those of the rotation then
  PlanarView<Real> planar;           ///< expansions of the plane, which have no other tables
  std::int64_t expansion_pitch = 0;  ///< from one density's expansions to the next's
  ImageBoxesView images;

  /// Number i of what p2m and l2p look at; no_box behind the last.
  __device__ BoxId box_to_look_at(std::int64_t i) const {
    if (images.own) return i < images.owns ? images.own[i] : no_box;
    return i < this->tree.boxes ? static_cast<BoxId>(i) : no_box;
  }
  BoxId boxes_to_look_at() const { return images.own ? images.owns : this->tree.boxes; }
  /// m2m and l2l look for parents at places from first_place(level) on, up to that of the next level.
  BoxId first_place(int level) const {
    return images.parent ? images.parent_begin[level] : this->tree.level_begin[level];
  }
  __device__ BoxId box_at(BoxId place) const { return images.parent ? images.parent[place] : place; }

  __device__ bool is_image(BoxId box) const { return images.home && images.home[box] != no_box; }
  /// The box that has this one's multipole.
  __device__ BoxId expanded(BoxId box) const { return is_image(box) ? images.home[box] : box; }

  /// What one of the densities works with.
  Work of(int density) const {
    Work one = *this;
    one.begin_at(density, 1);
    one.multipole += density * expansion_pitch;
    one.local += density * expansion_pitch;
    return one;
  }
};

}  // namespace farfield::cuda
