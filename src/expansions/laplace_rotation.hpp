// m2l by rotation: turn t onto the z axis, translate along it, turn back (Gumerov & Duraiswami 2008, section 2.2.2,
// after White & Head-Gordon 1996), in the real basis.
#pragma once
#include <array>
#include <utility>
#include <vector>

#include "expansions/laplace_gradients.hpp"
#include "expansions/laplace_harmonics.hpp"
#include "expansions/tables.hpp"

namespace farfield::laplace {

/// The derivatives G_x, G_y and G_z (see TurnAboutY) of one function of degree n: sums of at most two functions of
/// degree n - 1 each (z: one). `place`: the place of |m| among the cosines (m = 0 ... n - 1) or among the sines (m = -1
/// ... 1 - n). G_x and G_z map cosines to cosines and sines to sines, G_y exchanges the two. Unused terms have the
/// value 0.
struct TurnTerms {
  struct Term {
    int place = 0;
    long double value = 0;
  };
  Term x[2], y[2], z[1];
};

/// The terms of all functions of degree n: the same for every turn.
struct TurnStep {
  explicit TurnStep(int n) : cosines(static_cast<std::size_t>(n) + 1), sines(static_cast<std::size_t>(n)) {
    const std::array<Entries, 3> g = derivative_entries(n, n, -1, regular_ladder);
    for (const Entry& e : g[0]) add(of(e.column - index(n, 0)).x, e, n);
    for (const Entry& e : g[1]) add(of(e.column - index(n, 0)).y, e, n);
    for (const Entry& e : g[2]) add(of(e.column - index(n, 0)).z, e, n);
  }
  std::vector<TurnTerms> cosines, sines;

 private:
  TurnTerms& of(int m) {
    return m >= 0 ? cosines[static_cast<std::size_t>(m)] : sines[static_cast<std::size_t>(-m - 1)];
  }
  static void add(TurnTerms::Term* term, const Entry& e, int n) {
    const int m = e.row - index(n - 1, 0);
    if (term->value != 0) ++term;
    *term = {m >= 0 ? m : -m - 1, e.value};
  }
};

/// The matrices Y^n of a turn about y, R_{n,m}(u') = sum_{m'} Y^n_{m,m'} R_{n,m'}(u) for u' = T u, degree by degree.
///
/// The recurrence: Euler's n R_n = sum_j u_j dR_n/du_j with dR_n/du_j = G_j R_{n-1} gives n R_n(u') =
/// sum_{jk} T_jk G_j Y^{n-1} u_k R_{n-1}(u). The harmonic part of u_k R_{n-1} is G_k^T R_n / (2n-1): multiplying by u_k
/// and d/du_k are adjoint in Fischer's inner product, in which R_{n,m} has the square norm (2n-1)!!. Hence
///   Y^n = sum_{jk} T_jk G_j Y^{n-1} G_k^T / (n (2n-1)).
/// It is stable at any degree: T = Y = 1 shows that sum_j G_j G_j^T / (n (2n-1)) = 1, so that [G_x G_y G_z] / sqrt(n
/// (2n-1)) has orthonormal rows and a step never enlarges an error of Y^{n-1}.
///
/// A turn about y does not mix cosines (even in y) with sines (odd): Y^n is two blocks, and an element costs thirteen
/// multiply-adds.
class TurnAboutY {
 public:
  TurnAboutY(int degree, long double c, long double s) : c_(c), s_(s), pitch_(static_cast<std::size_t>(degree) + 1) {
    for (std::vector<long double>* m : {&cosines_, &sines_, &next_cosines_, &next_sines_})
      m->assign(pitch_ * pitch_, 0);
    for (std::vector<long double>& h : half_) h.assign(pitch_, 0);
    cosines_[0] = 1;
  }

  /// From Y^{n-1} to Y^n, which is also appended at `out`: the block of the cosines, then that of the sines.
  template <class Real>
  Real* advance(const TurnStep& step, int n, Real* out) {
    for (int m = 0; m <= n; ++m) {
      halve(step.cosines[static_cast<std::size_t>(m)], cosines_, n, sines_, n - 1);
      out = complete(step.cosines, n, &next_cosines_[static_cast<std::size_t>(m) * pitch_], out);
    }
    for (int m = 0; m < n; ++m) {
      halve(step.sines[static_cast<std::size_t>(m)], sines_, n - 1, cosines_, n);
      out = complete(step.sines, n, &next_sines_[static_cast<std::size_t>(m) * pitch_], out);
    }
    cosines_.swap(next_cosines_);
    sines_.swap(next_sines_);
    return out;
  }

 private:
  /// A row of sum_j T_jk G_j Y^{n-1}: for k = x and z over functions of the row's kind (cosines or sines),
  /// for k = y over the other kind.
  void halve(const TurnTerms& t, const std::vector<long double>& own, int own_size,
             const std::vector<long double>& other, int other_size) {
    const auto row = [&](const std::vector<long double>& y, const TurnTerms::Term& term) {
      return &y[static_cast<std::size_t>(term.place) * pitch_];
    };
    const long double xx0 = c_ * t.x[0].value, xx1 = c_ * t.x[1].value, xz = s_ * t.z[0].value;
    const long double zx0 = -s_ * t.x[0].value, zx1 = -s_ * t.x[1].value, zz = c_ * t.z[0].value;
    const long double *x0 = row(own, t.x[0]), *x1 = row(own, t.x[1]), *z = row(own, t.z[0]);
    for (int i = 0; i < own_size; ++i) half_[0][static_cast<std::size_t>(i)] = xx0 * x0[i] + xx1 * x1[i] + xz * z[i];
    for (int i = 0; i < own_size; ++i) half_[2][static_cast<std::size_t>(i)] = zx0 * x0[i] + zx1 * x1[i] + zz * z[i];
    const long double *y0 = row(other, t.y[0]), *y1 = row(other, t.y[1]);
    for (int i = 0; i < other_size; ++i)
      half_[1][static_cast<std::size_t>(i)] = t.y[0].value * y0[i] + t.y[1].value * y1[i];
  }

  /// A row of Y^n from `half_`.
  template <class Real>
  Real* complete(const std::vector<TurnTerms>& columns, int n, long double* row, Real* out) const {
    const long double norm = static_cast<long double>(n) * (2 * n - 1);
    const long double *x = half_[0].data(), *y = half_[1].data(), *z = half_[2].data();
    for (const TurnTerms& t : columns) {
      const long double sum = x[t.x[0].place] * t.x[0].value + x[t.x[1].place] * t.x[1].value +
                              y[t.y[0].place] * t.y[0].value + y[t.y[1].place] * t.y[1].value +
                              z[t.z[0].place] * t.z[0].value;
      *row = sum / norm;
      *out++ = static_cast<Real>(static_cast<double>(*row++));
    }
    return out;
  }

  long double c_, s_;
  std::size_t pitch_;
  std::vector<long double> cosines_, sines_, next_cosines_, next_sines_, half_[3];
};

inline RotationSizes rotation_sizes(int degree) {
  const auto squares = [](int n) { return n * (n + 1) * (2 * n + 1) / 6; };  // 1 + 4 + ... + n^2
  return {degree + 1, squares(degree + 1) + squares(degree), squares(degree + 1)};
}

/// Turns of any offset t onto +z at one degree; const functions may run at the same time.
class TurnsOntoZ {
 public:
  explicit TurnsOntoZ(int degree) : degree_(degree) {
    for (int n = 1; n <= degree; ++n) step_.emplace_back(n);
  }

  template <class Real>
  void fill(const double t[3], Real* cosine, Real* sine, Real* blocks) const {
    fill_azimuth(t, cosine, sine);
    fill_blocks(t, blocks);
  }

 private:
  template <class Real>
  void fill_azimuth(const double t[3], Real* cosine, Real* sine) const {
    const long double azimuth = std::atan2(static_cast<long double>(t[1]), static_cast<long double>(t[0]));
    for (int m = 0; m <= degree_; ++m) {
      cosine[m] = static_cast<Real>(static_cast<double>(std::cos(m * azimuth)));
      sine[m] = static_cast<Real>(static_cast<double>(std::sin(m * azimuth)));
    }
  }

  /// Y for the turn that takes t onto +z.
  template <class Real>
  void fill_blocks(const double t[3], Real* blocks) const {
    const long double x = t[0], y = t[1], z = t[2], r = std::hypot(x, y, z);
    TurnAboutY turn(degree_, z / r, std::hypot(x, y) / r);
    *blocks++ = 1;
    for (int n = 1; n <= degree_; ++n) blocks = turn.advance(step_[static_cast<std::size_t>(n) - 1], n, blocks);
  }

  int degree_;
  std::vector<TurnStep> step_;  ///< of degrees 1, 2, ...
};

/// Makes the rotated m2l of any offset at one degree; const functions may run at the same time.
class RotatedM2l {
 public:
  explicit RotatedM2l(int degree) : degree_(degree), turns_(degree) {
    const BinomialRoots roots(2 * degree);
    size_.reserve(static_cast<std::size_t>(rotation_sizes(degree).shift));
    for (int m = 0; m <= degree; ++m)
      for (int n = m; n <= degree; ++n)
        for (int k = m; k <= degree; ++k) size_.push_back(roots(n - m, k + m) * roots(n + m, k - m));
  }

  template <class Real>
  void fill(const double t[3], double target_edge, Real* cosine, Real* sine, Real* blocks, Real* shift) const {
    turns_.fill(t, cosine, sine, blocks);
    fill_shift(t, target_edge, shift);
  }

 private:
  /// m2l along +z over a distance r: g_{n+k}^{m+l} vanishes unless l = -m, so only equal m couple:
  ///   C_{n,n'} = (-1)^(n+m) (n+n')! / sqrt((n-m)!(n+m)!(n'-m)!(n'+m)!) target_edge^(n+1) / r^(n+n'+1).
  template <class Real>
  void fill_shift(const double t[3], double target_edge, Real* shift) const {
    const long double r =
        std::hypot(static_cast<long double>(t[0]), static_cast<long double>(t[1]), static_cast<long double>(t[2]));
    const std::vector<long double> of_edge = powers(target_edge, degree_ + 1), of_r = powers(r, 2 * degree_ + 1);
    const long double* size = size_.data();
    for (int m = 0; m <= degree_; ++m)
      for (int n = m; n <= degree_; ++n) {
        const long double factor =
            (n + m) & 1 ? -of_edge[static_cast<std::size_t>(n) + 1] : of_edge[static_cast<std::size_t>(n) + 1];
        for (int k = m; k <= degree_; ++k)
          *shift++ = static_cast<Real>(static_cast<double>(
              *size++ * factor / of_r[static_cast<std::size_t>(n) + static_cast<std::size_t>(k) + 1]));
      }
  }

  static std::vector<long double> powers(long double base, int highest) {
    std::vector<long double> power;
    for (int n = 0; n <= highest; ++n) power.push_back(std::pow(base, n));
    return power;
  }

  int degree_;
  TurnsOntoZ turns_;
  std::vector<long double> size_;  ///< the factors of the shift that do not depend on the offset
};

inline RotationOperator m2l_rotation(int degree, const double t[3], double target_edge) {
  const RotationSizes sizes = rotation_sizes(degree);
  const auto numbers = [](int count) { return std::vector<double>(static_cast<std::size_t>(count)); };
  RotationOperator op{numbers(sizes.azimuth), numbers(sizes.azimuth), numbers(sizes.blocks), numbers(sizes.shift)};
  RotatedM2l(degree).fill(t, target_edge, op.cosine.data(), op.sine.data(), op.blocks.data(), op.shift.data());
  return op;
}

}  // namespace farfield::laplace
