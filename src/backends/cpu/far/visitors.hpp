// Shared by p2m, p2l, l2p and m2p: points in lanes, and the two visitors of basis functions, Accumulate (p2m, p2l) and
// Evaluate (l2p, m2p). Basis::columns calls a visitor with R_{n,+-m} = Q_{n,m} (C_m, S_m) column by column
// (begin m, terms n, end m).
#pragma once
#include "backends/cpu/runtime/simd.hpp"
#include "backends/cpu/work.hpp"
#include "expansions/basis.hpp"
#include "kernels/concept.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// Up to one vector of points in box units; lanes beyond `valid` are at the box's centre.
template <class Real>
struct PointVector {
  Vec<Real> x, y, z;
};

template <class Real>
FARFIELD_INLINE Vec<Real> relative_tail(const double* p, int valid, double centre, double factor) {
  double padded[lanes<Real>];
  for (int i = 0; i < lanes<Real>; ++i) padded[i] = i < valid ? p[i] : centre;
  return relative(padded, centre, factor, Real{});
}

template <class Real>
FARFIELD_INLINE PointVector<Real> points_in_box(const double* const axis[3], std::int64_t first, int valid,
                                                const BoxFrame& frame) {
  Vec<Real> u[3];
  for (int a = 0; a < 3; ++a)
    u[a] = valid == lanes<Real> ? relative(axis[a] + first, frame.centre[a], frame.factor, Real{})
                                : relative_tail<Real>(axis[a] + first, valid, frame.centre[a], frame.factor);
  return {u[0], u[1], u[2]};
}

/// Strengths of the same lanes, zero beyond `valid`.
template <class Real>
FARFIELD_INLINE Vec<Real> strengths_of(const Real* q, std::int64_t first, int valid) {
  Vec<Real> v{};
  if (valid == lanes<Real>) return load(q + first);
  for (int i = 0; i < valid; ++i) v[i] = q[first + i];
  return v;
}

/// What sources carry, in columns of one number each: the charges of the densities, or a charge and the dipole.
template <class Real>
struct Columns {
  const Work<Real>& work;
  int density;  ///< the first

  template <int columns>
  const Real* at(int column) const {
    if (columns == with_dipole && column > 0) return work.dipole[column - 1] + density * work.strength_pitch;
    return work.strength + (density + column) * work.strength_pitch;
  }
};

/// Calls f(std::integral_constant<int, columns>, density) until all densities of `work` are accumulated. Those of
/// kernels that are differentiated share their recurrences.
template <class Kernel, class Real, class F>
void with_columns(const Work<Real>& work, F&& f) {
  if constexpr (Differentiates<Kernel>) {
    if (work.moments() == with_dipole) {
      for (int v = 0; v < work.densities; ++v) f(std::integral_constant<int, with_dipole>{}, v);
      return;
    }
    if (work.densities == densities_together) return f(std::integral_constant<int, densities_together>{}, 0);
  }
  for (int v = 0; v < work.densities; ++v) f(std::integral_constant<int, 1>{}, v);
}

/// with_parts_of, and the Hessian of kernels that are differentiated.
template <class Kernel, class F>
decltype(auto) with_derivatives_of(int parts, F&& f) {
  if constexpr (Differentiates<Kernel>)
    if (parts == with_hessian) return f(std::integral_constant<int, with_hessian>{});
  return with_parts_of<Kernel>(parts, f);
}

/// sum[i * columns + c] += q[c] R_i, lane by lane.
template <class Kernel, class Real, int columns>
struct Accumulate {
  Vec<Real> q[columns];
  Vec<Real>* sum;
  int azimuth = 0;
  Vec<Real> cosine[columns] = {}, sine[columns] = {};

  FARFIELD_INLINE Accumulate(const Columns<Real>& carried, std::int64_t first, int valid, Vec<Real>* sums) : sum(sums) {
    for (int c = 0; c < columns; ++c) q[c] = strengths_of(carried.template at<columns>(c), first, valid);
  }
  FARFIELD_INLINE void weigh(Vec<Real> weight) {
    for (int c = 0; c < columns; ++c) q[c] = q[c] * weight;
  }
  FARFIELD_INLINE void begin(int m, Vec<Real> cos, Vec<Real> sin) {
    azimuth = m;
    for (int c = 0; c < columns; ++c) cosine[c] = q[c] * cos, sine[c] = q[c] * sin;
  }
  FARFIELD_INLINE void term(int n, Vec<Real> value) {
    using Shape = typename Kernel::Basis::Shape;
    Vec<Real>* plus = sum + Shape::index(n, azimuth) * columns;
    for (int c = 0; c < columns; ++c) plus[c] += cosine[c] * value;
    if (!azimuth) return;
    Vec<Real>* minus = sum + Shape::index(n, -azimuth) * columns;
    for (int c = 0; c < columns; ++c) minus[c] += sine[c] * value;
  }
  FARFIELD_INLINE void end(int) {}
};

/// Makes sums of q R_i and of p_a R_i, of `with_dipole` columns, those of q R_i + factor p . grad R_i: if A_a takes an
/// expansion to its derivative, then dR_i/da = sum_j (A_a)_ji R_j. The transpose of how gradients are evaluated.
template <class Real>
inline void add_dipoles(const SparseView<Real> gradient[3], Real factor, Vec<Real>* sum) {
  for (int axis = 0; axis < 3; ++axis) {
    const SparseView<Real>& a = gradient[axis];
    for (int row = 0; row < a.rows; ++row) {
      const Vec<Real> term = factor * sum[row * with_dipole + 1 + axis];
      for (int k = a.begin[row]; k < a.begin[row + 1]; ++k) sum[a.column[k] * with_dipole] += a.value[k] * term;
    }
  }
}

/// out[e] += sum_i coefficient[e][i] R_i for the expansions of the parts from `first` to `expansions` at once.
template <class Kernel, class Real, int first, int expansions>
struct Evaluate {
  const Real* const* coefficient;
  Vec<Real> out[expansions] = {};
  int azimuth = 0;
  Vec<Real> cosine{}, sine{}, plus[expansions] = {}, minus[expansions] = {};

  explicit FARFIELD_INLINE Evaluate(const Real* const* c) : coefficient(c) {}
  FARFIELD_INLINE void begin(int m, Vec<Real> c, Vec<Real> s) {
    azimuth = m;
    cosine = c;
    sine = s;
    for (int e = first; e < expansions; ++e) plus[e] = minus[e] = Vec<Real>{};
  }
  FARFIELD_INLINE void term(int n, Vec<Real> value) {
    const int i = Kernel::Basis::Shape::index(n, azimuth), j = Kernel::Basis::Shape::index(n, -azimuth);
    for (int e = first; e < expansions; ++e) {
      plus[e] += coefficient[e][i] * value;
      minus[e] += coefficient[e][j] * value;
    }
  }
  FARFIELD_INLINE void end(int m) {
    for (int e = first; e < expansions; ++e) out[e] += m ? plus[e] * cosine + minus[e] * sine : plus[e] * cosine;
  }
};

/// The tables of a box.
template <class Basis, class Real>
FARFIELD_INLINE const TablesView<Real>& tables_of(const Work<Real>& work, BoxId box) {
  if constexpr (ScaleInvariant<Basis>)
    return work.tables;
  else
    return work.level_tables[work.tree.level[box]];
}

/// Of a Logarithmic basis: the function R of the unit of length, -log of the box's edge in the caller's unit.
template <class Real>
inline Real minus_log_edge(const Work<Real>& work, const BoxFrame& frame) {
  return static_cast<Real>(work.parameters.log_unit + std::log(frame.factor));
}

/// y = A x
template <class Real>
inline void apply(const SparseView<Real>& a, const Real* x, Real* y) {
  for (int i = 0; i < a.rows; ++i) {
    Real sum = 0;
    for (int k = a.begin[i]; k < a.begin[i + 1]; ++k) sum += a.value[k] * x[a.column[k]];
    y[i] = sum;
  }
}

/// Adds the valid lanes of v times factor.
template <class Real>
FARFIELD_INLINE void deliver(Real* out, Vec<Real> v, Real factor, int valid) {
  for (int i = 0; i < valid; ++i) out[i] += factor * v[i];
}

template <class Real>
FARFIELD_INLINE int valid_lanes(std::int64_t first, std::int64_t end) {
  return end - first < lanes<Real> ? static_cast<int>(end - first) : lanes<Real>;
}

}  // namespace farfield::cpu::FARFIELD_ISA
