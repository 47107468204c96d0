// Shared by p2m, p2l, l2p and m2p: points in lanes, and the two visitors of basis functions, Accumulate (p2m, p2l) and
// Evaluate (l2p, m2p). Basis::columns calls a visitor with R_{n,+-m} = Q_{n,m} (C_m, S_m) column by column
// (begin m, terms n, end m).
#pragma once
#include "backends/cpu/runtime/simd.hpp"
#include "backends/cpu/work.hpp"
#include "expansions/basis.hpp"

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

/// sum[i] += q R_i, lane by lane.
template <class Kernel, class Real>
struct Accumulate {
  Vec<Real> q;
  Vec<Real>* sum;
  int azimuth = 0;
  Vec<Real> cosine{}, sine{};

  FARFIELD_INLINE void begin(int m, Vec<Real> c, Vec<Real> s) {
    azimuth = m;
    cosine = q * c;
    sine = q * s;
  }
  FARFIELD_INLINE void term(int n, Vec<Real> value) {
    using Shape = typename Kernel::Basis::Shape;
    sum[Shape::index(n, azimuth)] += cosine * value;
    if (azimuth) sum[Shape::index(n, -azimuth)] += sine * value;
  }
  FARFIELD_INLINE void end(int) {}
};

/// out[e] += sum_i coefficient[e][i] R_i for the expansions of all parts at once.
template <class Kernel, class Real, int parts>
struct Evaluate {
  static constexpr int first = first_part(parts), expansions = end_part(parts);
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
