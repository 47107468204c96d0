// What steps 7 to 11 know of Taylor's theorem: its factors, the derivatives of 1/r, and the product of two series.
//
// A series keeps a number for each k = (i, j, k) with i + j + k up to a degree, at place(i, j, k) of course.hpp. The
// derivatives come from a recurrence (Duan and Krasny 2001; Lindsay and Krasny 2001 have it for softened 1/r):
//
//     f(h) = 1/|d + h| = sum_k a_k h^k,  a_k = D_k / k!.  From f = (r^2 + 2 d.h + h.h)^(-1/2) follows
//     (r^2 + 2 d.h + h.h) (h.grad f) = -(d.h + h.h) f, and comparing the factors of h^k, with n = i + j + k,
//     n r^2 a_k + (2n - 1) (x a_{i-1} + y a_{j-1} + z a_{k-1}) + (n - 1) (a_{i-2} + a_{j-2} + a_{k-2}) = 0.
//
// An index with a subtraction stands for the neighbour (i - 1, j, k), and so on; what does not exist is zero.
#pragma once
#include <array>

#include "course.hpp"

namespace course {

constexpr int highest = 10;  // the highest degree
using Series = std::array<double, terms(highest)>;

inline double at(const Series& s, int i, int j, int k) { return i < 0 || j < 0 || k < 0 ? 0 : s[place(i, j, k)]; }

/// d^k / k! = x^i y^j z^k / (i! j! k!) up to a degree.
inline Series powers(Vec d, int degree) {
  Series s{1};
  for_terms(degree, [&](int i, int j, int k) {
    const double sum = d.x * at(s, i - 1, j, k) + d.y * at(s, i, j - 1, k) + d.z * at(s, i, j, k - 1);
    if (i + j + k > 0) s[place(i, j, k)] = sum / (i + j + k);  // the products are i, j and k times the new term
  });
  return s;
}

/// D_k(d), the derivatives of 1/r at d, up to a degree: the recurrence times k!.
inline Series derivatives(Vec d, int degree) {
  Series s{1 / length(d)};
  for_terms(degree, [&](int i, int j, int k) {
    const int n = i + j + k;
    if (n == 0) return;
    const double one = i * d.x * at(s, i - 1, j, k) + j * d.y * at(s, i, j - 1, k) + k * d.z * at(s, i, j, k - 1);
    const double two =
        i * (i - 1) * at(s, i - 2, j, k) + j * (j - 1) * at(s, i, j - 2, k) + k * (k - 1) * at(s, i, j, k - 2);
    s[place(i, j, k)] = -((2 * n - 1) * one + (n - 1) * two) / (n * dot(d, d));
  });
  return s;
}

/// f(above, below, factor) for all terms k of a parent and l <= k of a child, factor = d^(k-l) / (k-l)!: what step 8
/// moves by, m2m from below to above and l2l from above to below.
template <class F>
void for_translation(Vec d, int degree, F f) {
  const Series p = powers(d, degree);
  for_terms(degree, [&](int i, int j, int k) {
    for_terms(i + j + k, [&](int a, int b, int c) { f(place(i, j, k), place(a, b, c), at(p, i - a, j - b, k - c)); });
  });
}

}  // namespace course
