// Step 12's tree: a full one, which needs no memory. A level has 2^level boxes along each axis, so that a box's number
// says where it is. Lengths are in edges of the box, which makes all levels alike.
#pragma once
#include <algorithm>

#include "course.cuh"
#include "taylor.hpp"

namespace course {

/// A box: its level and its place there.
struct Cell {
  int level, x, y, z;
  __device__ Cell(int level_, int x_, int y_, int z_) : level(level_), x(x_), y(y_), z(z_) {}
  __device__ Cell(int l, int box) : Cell(l, box & ((1 << l) - 1), (box >> l) & ((1 << l) - 1), box >> 2 * l) {}

  __device__ int side() const { return 1 << level; }
  __device__ int box() const { return x | y << level | z << 2 * level; }
  __device__ int place() const { return ((1 << 3 * level) - 1) / 7 + box(); }  // behind all boxes of the levels above
  __device__ bool exists() const { return min(x, min(y, z)) >= 0 && max(x, max(y, z)) < side(); }
  __device__ bool touches(Cell o) const { return max(abs(x - o.x), max(abs(y - o.y), abs(z - o.z))) < 2; }
  __device__ Cell parent() const { return {level - 1, x / 2, y / 2, z / 2}; }
  __device__ Cell child(int o) const { return {level + 1, 2 * x + o % 2, 2 * y + o / 2 % 2, 2 * z + o / 4}; }
  /// Number k of the 27 boxes that touch this one, and of the 216 children of the boxes that touch the parent.
  __device__ Cell neighbour(int k) const { return {level, x - 1 + k % 3, y - 1 + k / 3 % 3, z - 1 + k / 9}; }
  __device__ Cell candidate(int k) const { return parent().neighbour(k / 8).child(k % 8); }

  /// Where offset_table() has the derivatives for the way from a far box to this one.
  __device__ int offset(Cell from) const { return x - from.x + 3 + 7 * (y - from.y + 3) + 49 * (z - from.z + 3); }

  /// Where a body lies, from the centre, in edges: from -1/2 to 1/2.
  __device__ float3 inside(float4 b) const {
    return {b.x * side() - (x + 0.5f), b.y * side() - (y + 0.5f), b.z * side() - (z + 0.5f)};
  }
  /// Where this box's centre lies in its parent, in the parent's edges: 1/4 or -1/4.
  __device__ float3 in_parent() const { return {x % 2 * 0.5f - 0.25f, y % 2 * 0.5f - 0.25f, z % 2 * 0.5f - 0.25f}; }
};

/// Exponents of a term. One thread has one of them.
struct Term {
  int i, j, k;
  __device__ int degree() const { return i + j + k; }
};
__device__ inline int place(Term t) { return place(t.i, t.j, t.k); }
__device__ inline Term operator+(Term a, Term b) { return {a.i + b.i, a.j + b.j, a.k + b.k}; }
__device__ inline Term operator-(Term a, Term b) { return {a.i - b.i, a.j - b.j, a.k - b.k}; }
__device__ inline float3 operator-(float3 d) { return {-d.x, -d.y, -d.z}; }

/// x^n / n!, and 0 for n < 0.
__device__ inline float power(float x, int n) {
  float p = n < 0 ? 0 : 1;
  for (int k = 1; k <= n; ++k) p *= x / k;
  return p;
}
__device__ inline float power(float3 d, Term t) { return power(d.x, t.i) * power(d.y, t.j) * power(d.z, t.k); }

inline std::vector<Term> all_terms(int degree) {
  std::vector<Term> all;
  for_terms(degree, [&](int i, int j, int k) { all.push_back({i, j, k}); });
  return all;
}

/// The derivatives of 1/r for all offsets of two boxes from -3 to 3 edges; those of boxes that touch are not used.
inline std::vector<float> offset_table(int degree) {
  std::vector<float> table;
  for (int z = -3; z <= 3; ++z)
    for (int y = -3; y <= 3; ++y)
      for (int x = -3; x <= 3; ++x) {
        const Series d = derivatives({double(x), double(y), double(z)}, degree);
        table.insert(table.end(), d.begin(), d.begin() + terms(degree));
      }
  return table;
}

/// The level, at least 2, whose boxes have at most so many of n bodies on average.
inline int level_for(std::size_t n, std::size_t most) {
  int level = 2;
  while (n >> 3 * level > most) ++level;
  return level;
}

/// Sorts the bodies by the box of a level that has them; the place of each box's first body, and at the end their
/// number.
inline std::vector<int> sort_by_box(Bodies& bodies, int level) {
  const auto cut = [&](double x) { return static_cast<int>(std::ldexp(x, level)); };
  const auto box = [&](const Body& b) { return cut(b.at.x) | cut(b.at.y) << level | cut(b.at.z) << 2 * level; };
  std::sort(bodies.begin(), bodies.end(), [&](const Body& a, const Body& b) { return box(a) < box(b); });
  std::vector<int> first((std::size_t{1} << 3 * level) + 1);
  for (const Body& b : bodies) ++first[box(b) + 1];
  for (std::size_t k = 1; k < first.size(); ++k) first[k] += first[k - 1];
  return first;
}

}  // namespace course
