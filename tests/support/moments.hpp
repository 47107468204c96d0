// Direct sums of charges and dipoles in long double: potential, gradient and Hessian of 1/r, which share nothing with
// the library. A softening of Plummer's kind adds its square to the squared distance.
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

namespace farfield::testing {

/// Sources as the oracle takes them: interleaved positions, charges (empty: none) and interleaved dipoles (empty:
/// none).
struct MomentSources {
  std::vector<double> positions, charges, dipoles;
  std::size_t count() const { return positions.size() / 3; }
};

/// Sums at a point: u, its gradient and its Hessian (xx yy zz xy xz yz); and by order of derivative the sums of the
/// absolute values of the terms, for bounds on rounding.
struct MomentSum {
  long double part[10] = {}, magnitude[3] = {};
};

/// Adds one pair of a kernel K of r, d = target - source: q K - p . grad K and its derivatives, term by term. k: K and
/// its derivatives by -(1/r) d/dr.
inline void add_moments(MomentSum& sum, const long double d[3], const long double (&k)[4], long double q,
                        const long double p[3]) {
  constexpr int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  const auto same = [](int a, int b) { return a == b ? 1.0L : 0.0L; };
  long double term[10] = {};
  term[0] = q * k[0];
  for (int a = 0; a < 3; ++a) term[0] += p[a] * d[a] * k[1], term[1 + a] = -q * d[a] * k[1];
  for (int a = 0; a < 3; ++a)
    for (int c = 0; c < 3; ++c) term[1 + a] += p[c] * (same(a, c) * k[1] - d[a] * d[c] * k[2]);
  for (int e = 0; e < 6; ++e) {
    const int a = axes[e][0], b = axes[e][1];
    term[4 + e] = q * (d[a] * d[b] * k[2] - same(a, b) * k[1]);
    for (int c = 0; c < 3; ++c)
      term[4 + e] +=
          p[c] * (d[a] * d[b] * d[c] * k[3] - (same(a, b) * d[c] + same(a, c) * d[b] + same(b, c) * d[a]) * k[2]);
  }
  for (int part = 0; part < 10; ++part) sum.part[part] += term[part];
  const auto norm = [&](int begin, int end) {
    long double squares = 0;
    for (int part = begin; part < end; ++part) squares += term[part] * term[part] * (part > 6 ? 2 : 1);
    return std::sqrt(squares);
  };
  sum.magnitude[0] += std::fabs(term[0]), sum.magnitude[1] += norm(1, 4), sum.magnitude[2] += norm(4, 10);
}

/// The same of 1/r, r2 = |d|^2 with the softening.
inline void add_moments(MomentSum& sum, const long double d[3], long double r2, long double q, const long double p[3]) {
  const long double r = std::sqrt(r2), r3 = r2 * r, r5 = r3 * r2;
  add_moments(sum, d, {1 / r, 1 / r3, 3 / r5, 15 / (r5 * r2)}, q, p);
}

/// The sums at x. Coincident points contribute nothing; softened, `self`, if it is not negative, is the source that is
/// the target itself.
inline MomentSum moments_at(const MomentSources& sources, const double* x, double softening = 0,
                            std::ptrdiff_t self = -1) {
  MomentSum sum;
  for (std::size_t j = 0; j < sources.count(); ++j) {
    if (softening > 0 && static_cast<std::ptrdiff_t>(j) == self) continue;
    long double d[3], p[3] = {}, r2 = static_cast<long double>(softening) * softening;
    for (std::size_t a = 0; a < 3; ++a) {
      d[a] = static_cast<long double>(x[a]) - sources.positions[3 * j + a];
      if (!sources.dipoles.empty()) p[a] = sources.dipoles[3 * j + a];
      r2 += d[a] * d[a];
    }
    if (r2 > 0) add_moments(sum, d, r2, sources.charges.empty() ? 0 : sources.charges[j], p);
  }
  return sum;
}

}  // namespace farfield::testing
