// Work: everything a CPU stage reads and writes, as plain pointers. Owned by the evaluator (evaluator.hpp).
#pragma once
#include <cstdint>

#include "backends/cpu/grid/view.hpp"
#include "core/results.hpp"
#include "core/units.hpp"
#include "expansions/offsets.hpp"
#include "kernels/parameters.hpp"
#include "tree/lists.hpp"
#include "tree/tree.hpp"

namespace farfield::cpu {

/// (P x)[i] = sign[i] * x[index[i]]; see LaplaceBasis::symmetry.
template <class Real>
struct SymmetryView {
  const std::int32_t* index;  ///< [coefficients]
  const Real* sign;           ///< [coefficients]
};

/// y = A x, A in compressed rows: maps from an expansion to that of a derivative.
template <class Real>
struct SparseView {
  int rows, columns;
  const std::int32_t *begin, *column;
  const Real* value;
};

/// L = Z^T Y^T C Y Z M; see LaplaceBasis::m2l_rotation.
template <class Real>
struct RotationView {
  const Real *cosine, *sine, *blocks, *shift;
};

/// L = conj(D P C M); see planar::FactoredM2l. P is TablesView::shared_factor.
template <class Real>
struct FactorsView {
  const Real *column_re, *column_im, *row_re, *row_im;  ///< C and D, [degree + 1] each
  Real minus_log;                                       ///< -log of the offset's length
};

/// Translation tables in the precision of the coefficients, made from double-precision generators.
template <class Real>
struct TablesView {
  int degree = 0, coefficients = 0;
  std::int64_t stride = 0;                 ///< of expansions: coefficients rounded up to whole 64-byte lines
  const Real* recurrence = nullptr;        ///< factors of Basis::columns for `degree`
  const Real* recurrence_next = nullptr;   ///< the same for degree + 1: gradients of multipoles
  const Real* recurrence_after = nullptr;  ///< and degree + 2: their Hessians; null where none is offered
  const Real* m2m = nullptr;               ///< column-major; for a child in octant 7; null: parents' expansions are 0
  Real l2l_scale = 1;                      ///< l2l is this times the transpose of m2m
  SymmetryView<Real> symmetry[symmetry_count] = {};
  const Real* dense[operator_count] = {};  ///< column-major; null where the scheme does not need it
  RotationView<Real> rotation[operator_count] = {};
  const Real* shared_factor = nullptr;  ///< column-major, [degree + 1]^2; null where the basis has none
  FactorsView<Real> factors[operator_count] = {};
  SparseView<Real> local_gradient[3] = {}, multipole_gradient[3] = {};
  SparseView<Real> gradient_of_gradient[3] = {};  ///< multipole_gradient for degree + 1; where recurrence_after is

  /// Has it the operators of m2l? Without them all expansions of the level are 0.
  bool translates() const { return dense[0] || rotation[0].shift || shared_factor; }
};

/// Densities that stages are compiled for, beside one; others are summed one by one.
inline constexpr int densities_together = 3;

template <class Real>
struct Work {
  TreeView tree;
  ListsView lists;
  TablesView<Real> tables;
  const TablesView<Real>* level_tables = nullptr;  ///< [levels], of a basis that is not ScaleInvariant; else null
  const double* source[3] = {};  ///< scaled coordinates of sorted sources, 16 readable elements beyond the end
  const double* target[3] = {};
  const Real* strength = nullptr;  ///< of sorted sources, likewise padded
  const Real* dipole[3] = {};      ///< likewise, scaled like coordinates; null: sources carry none
  int moments() const { return dipole[0] ? with_dipole : 1; }
  Real* multipole = nullptr;  ///< [boxes][stride]
  Real* local = nullptr;      ///< [boxes][stride]
  ResultArrays<Real> result;  ///< padded
  /// Vectors of strengths that are summed together, densities. Arrays of density v lie v pitches behind the first's.
  int densities = 1;
  std::int64_t strength_pitch = 0, result_pitch = 0, expansion_pitch = 0;
  Softening softening;
  /// Of sorted points, scaled, likewise padded: their own softening lengths, of a spline reaches. Null: `softening`.
  const double *source_length = nullptr, *target_length = nullptr;
  bool wide_leaves = false;     ///< boxes have a least edge: a leaf may hold most of all points
  KernelParameters parameters;  ///< scaled
  NearView near;                ///< of method cutoff
  GridView<Real> grid;          ///< of method grid
  /// The caller's indices of sorted points. Target t >= self_from of the caller is source t - self_from, which in a
  /// softened sum contributes nothing to it.
  const std::uint32_t *source_order = nullptr, *target_order = nullptr;
  std::int64_t self_from = 0;
  bool rotation = false;   ///< m2l by rotation, else dense
  bool reduced = false;    ///< reduced stencil
  int pair_terms = 8;      ///< of p2p's reciprocal square roots (pair_terms.hpp); 8: all
  double decay_error = 0;  ///< largest relative error of p2p's exponentials; 0: that of the precision
  int threads = 1;

  /// What one of the densities works with.
  Work of(int density) const {
    Work one = *this;
    one.densities = 1;
    one.strength += density * strength_pitch;
    one.multipole += density * expansion_pitch;
    one.local += density * expansion_pitch;
    for (int part = 0; part < most_parts; ++part)
      if (result.part[part]) one.result.part[part] += density * result_pitch;
    for (int axis = 0; axis < 3 && dipole[axis]; ++axis) one.dipole[axis] += density * strength_pitch;
    return one;
  }

  /// Tables of the boxes of a level, with m2m to their parents, l2l from them, and m2l from boxes of this level.
  const TablesView<Real>& tables_of(int level) const { return level_tables ? level_tables[level] : tables; }

  /// Is the target the very point that the source is?
  bool is_self(std::int64_t source_index, std::int64_t target_index) const {
    return target_order[target_index] == self_from + source_order[source_index];
  }
};

}  // namespace farfield::cpu
