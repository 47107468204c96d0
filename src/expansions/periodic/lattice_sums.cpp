#include "expansions/periodic/lattice_sums.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "expansions/periodic/gamma.hpp"
#include "expansions/periodic/harmonic_sum.hpp"

namespace farfield {
namespace {

using std::numbers::pi;
constexpr double diameter = 1.7320508075688772;  // of the cube, in edges: how long u may be
constexpr double negligible = 37;                // exp(-37) = 1e-16

/// The vectors of the cell as they are.
class Fixed {
 public:
  using Number = double;
  using Vector = Vector3;
  explicit Fixed(const UnitCell& cell) : cell_(cell) {}
  const Vector& vector(int i) const { return cell_.vector(i); }
  const Vector& dual(int i) const { return cell_.dual(i); }
  Number measure() const { return cell_.measure(); }
  Vector displacement(const CellIndex& image) const { return cell_.displacement(image); }

 private:
  const UnitCell& cell_;
};

/// The same with their derivatives. What stands across the periodic vectors turns with them; along one axis it has no
/// part in the sums.
class Straining {
 public:
  using Number = Strained;
  using Vector = StrainedVector;
  explicit Straining(const UnitCell& cell) {
    for (int i = 0; i < cell.periodic_count(); ++i) vector_[i] = strained(cell.vector(i));
    if (cell.periodic_count() == 1) measure_ = sqrt(dot(vector_[0], vector_[0]));
    if (cell.periodic_count() == 1) return;
    const Vector across = cross(vector_[0], vector_[1]);
    if (cell.periodic_count() == 2) vector_[2] = scaled(across, 1 / sqrt(dot(across, across)));
    const Number triple = dot(across, vector_[2]);
    for (int i = 0; i < 3; ++i) dual_[i] = scaled(cross(vector_[(i + 1) % 3], vector_[(i + 2) % 3]), 1 / triple);
    measure_ = triple.value > 0 ? triple : -triple;
  }
  const Vector& vector(int i) const { return vector_[i]; }
  const Vector& dual(int i) const { return dual_[i]; }
  const Number& measure() const { return measure_; }
  Vector displacement(const CellIndex& image) const {
    Vector v{};
    for (int i = 0; i < 3; ++i)
      for (int axis = 0; axis < 3; ++axis) v[axis] += static_cast<double>(image[i]) * vector_[i][axis];
    return v;
  }

 private:
  Vector vector_[3], dual_[3];
  Number measure_;
};

template <class Number>
struct Sums {
  std::vector<Number> far;
  Number quadratic = 0;
  bool even = false;
};

/// The cell in edges, and the sums over it. Lattice: Fixed or Straining.
template <class Lattice>
class Summation {
  using Number = typename Lattice::Number;
  using Vector = typename Lattice::Vector;

 public:
  Summation(const UnitCell& cell, double edge, int order, std::span<const CellIndex> near)
      : cell_(cell),
        lattice_(cell),
        edge_(edge),
        order_(order),
        near_(near.begin(), near.end()),
        sum_(order),
        gamma_(order) {
    near_.insert({0, 0, 0});
    measure_ = lattice_.measure() / std::pow(edge, cell.periodic_count());
    const double balanced = std::sqrt(pi) / std::pow(value_of(measure_), 1.0 / cell.periodic_count());
    alpha_ = std::min(balanced, 3.5 / diameter);  // more would cost digits: terms grow as exp((alpha diameter)^2 / 4)
    // Over all degrees, images at n add as exp(-alpha^2 n (n - diameter)), waves as exp(k diameter/2 - (k/2 alpha)^2).
    const double s = alpha_ * diameter;
    cut_ = (s + std::sqrt(s * s + 4 * negligible)) / 2;
  }

  Sums<Number> run() {
    Sums<Number> sums;
    if (cell_.periodic_count() == 1) {
      constant_ = line();
    } else {
      images();
      constant_ -= 2 * alpha_ / std::sqrt(pi);
    }
    if (cell_.periodic_count() == 2) plane();
    if (cell_.periodic_count() == 3) {
      space();
      constant_ -= pi / (alpha_ * alpha_ * measure_);
      sums.quadratic = 2 * pi / (3 * measure_);
    }
    sums.far = sum_.total();
    sums.far[0] += constant_;
    sums.even = std::all_of(near_.begin(), near_.end(), [&](const CellIndex& n) {
      return near_.contains({-n[0], -n[1], -n[2]});
    });
    for (int l = 1; sums.even && l <= order_; l += 2)
      std::fill(sums.far.begin() + laplace::index(l, -l), sums.far.begin() + laplace::index(l, l) + 1, Number{});
    return sums;
  }

 private:
  Vector displacement(const CellIndex& image) const { return in_edges(lattice_.displacement(image)); }
  Vector in_edges(const Vector& v) const { return {v[0] / edge_, v[1] / edge_, v[2] / edge_}; }
  Vector wave(const CellIndex& k) const {
    Vector v{};
    for (int i = 0; i < cell_.periodic_count(); ++i)
      for (int axis = 0; axis < 3; ++axis) v[axis] += 2 * pi * edge_ * k[i] * lattice_.dual(i)[axis];
    return v;
  }
  template <class Weight>
  void add_image(const Vector& v, Weight&& weight) {
    sum_.add_outer(v, weight);
  }
  /// weight times R(i v) / (2l-1)!! for even l: what a wave adds together with its opposite.
  void add_wave(const Vector& v, const Number& weight) {
    using std::sqrt;
    const Number square = dot(v, v), inverse = value_of(square) > 0 ? 1 / sqrt(square) : Number{};
    Number power = weight;
    sum_.add({v[0] * inverse, v[1] * inverse, v[2] * inverse}, [&](int l) {
      if (l & 1) return Number{};
      if (l > 0) power *= -square / ((2.0 * l - 1) * (2.0 * l - 3));
      return power;
    });
  }

  /// Far images count by what is beyond the smoothing length, near ones, which are subtracted, by what is within.
  void images() {
    for (const CellIndex& n : cell_.cells_within(cut_ / alpha_ * edge_)) {
      if (near_.contains(n)) continue;
      const Vector v = displacement(n);
      gamma_.upper(alpha_ * alpha_ * dot(v, v));
      add_image(v, [&](int l) { return gamma_[l]; });
    }
    for (const CellIndex& n : near_) {
      if (n == CellIndex{0, 0, 0}) continue;
      const Vector v = displacement(n);
      gamma_.lower(alpha_ * alpha_ * dot(v, v));
      add_image(v, [&](int l) { return -gamma_[l]; });
    }
  }

  template <class Visit>
  void half_of_waves(Visit&& visit) const {
    const double most = 2 * alpha_ * cut_;
    int reach[3] = {};
    for (int i = 0; i < cell_.periodic_count(); ++i)
      reach[i] = static_cast<int>(most / (2 * pi) * std::sqrt(dot(cell_.vector(i), cell_.vector(i))) / edge_);
    for (int i = 0; i <= reach[0]; ++i)
      for (int j = -reach[1]; j <= reach[1]; ++j)
        for (int k = -reach[2]; k <= reach[2]; ++k) {
          if (!(CellIndex{i, j, k} > CellIndex{0, 0, 0})) continue;
          const Vector v = wave({i, j, k});
          if (value_of(dot(v, v)) <= most * most) visit(v);
        }
  }
  void space() {
    using std::exp;
    half_of_waves([&](const Vector& v) {
      const Number square = dot(v, v);
      add_wave(v, 8 * pi / (measure_ * square) * exp(-square / (4 * alpha_ * alpha_)));
    });
  }

  /// Across the plane the sum over waves is an integral. The trapezoidal rule of step h puts images at multiples of
  /// 2 pi / h, whose share of the wave k falls as exp(-k distance): exact to rounding with this step.
  void plane() {
    using std::exp;
    const Vector& normal = lattice_.vector(2);
    half_of_waves([&](const Vector& k) {
      const Number along = dot(k, k);
      const double most = 4 * alpha_ * alpha_ * cut_ * cut_;
      const double step = 2 * pi / (diameter + std::max(negligible / std::sqrt(value_of(along)), 6.1 / alpha_));
      const int last = static_cast<int>(std::sqrt(most - value_of(along)) / step);
      for (int j = -last; j <= last; ++j) {
        const double z = j * step;
        const Number square = along + z * z;
        add_wave({k[0] + z * normal[0], k[1] + z * normal[1], k[2] + z * normal[2]},
                 4 * step / (measure_ * square) * exp(-square / (4 * alpha_ * alpha_)));
      }
    });
    // k = 0: F(z) = -(2 sqrt(pi)/A) (exp(-alpha^2 z^2)/alpha + sqrt(pi) z erf(alpha z)), of which the l-th derivative
    const Number sheet = -4 * std::sqrt(pi) * alpha_ / measure_;
    Number derivative = sheet;  // (2j)!/j! (-alpha^2)^j of the Gaussian that F'' is, l = 2j + 2, over (2l-1)!!
    constant_ += sheet / (2 * alpha_ * alpha_);
    sum_.add(normal, [&](int l) {
      if ((l & 1) || l == 0) return Number{};
      const int j = l / 2 - 1;
      derivative *= (j > 0 ? -alpha_ * alpha_ * 2 * (2 * j - 1) : 1.0) / ((2.0 * l - 1) * (2.0 * l - 3));
      return derivative;
    });
  }

  /// Plain sums of 1/n^(l+1): the far ones among the first `most` one by one, then the zeta function's tail. Returns
  /// the constant: all images without the one at 0, less the near ones and those that were summed.
  Number line() {
    const Number period = lattice_.measure() / edge_;
    int most = 24;
    for (const CellIndex& n : near_) most = std::max({most, 2 * n[0], -2 * n[0]});
    for (int n = -most; n <= most; ++n)
      if (!near_.contains({n, 0, 0}) && n != 0) add_image(displacement({n, 0, 0}), [&](int) { return 1.0; });
    add_image(displacement({1, 0, 0}), [&](int l) { return l == 0 || (l & 1) ? 0.0 : 2 * zeta_tail(l + 1, most + 1); });
    double finite = 0;
    for (int n = most; n > 0; --n) finite += 2.0 / n;
    return (2 * (std::numbers::egamma - std::log(2.0)) - finite) / period;
  }

  const UnitCell& cell_;
  Lattice lattice_;
  double edge_;
  int order_;
  std::set<CellIndex> near_;
  HarmonicSumOf<Number> sum_;
  HalfIntegerGamma<Number> gamma_;
  double alpha_ = 0, cut_ = 0;  ///< what is split does not depend on them, nor do they follow a strain
  Number measure_ = 0, constant_ = 0;
};

}  // namespace

LatticeSums lattice_sums(const UnitCell& cell, double edge, int order, std::span<const CellIndex> near) {
  Sums<double> sums = Summation<Fixed>(cell, edge, order, near).run();
  return {std::move(sums.far), sums.quadratic, sums.even};
}

std::array<LatticeSums, 6> strain_slopes(const UnitCell& cell, double edge, int order,
                                         std::span<const CellIndex> near) {
  const Sums<Strained> sums = Summation<Straining>(cell, edge, order, near).run();
  std::array<LatticeSums, 6> slopes;
  for (std::size_t s = 0; s < slopes.size(); ++s) {
    for (const Strained& one : sums.far) slopes[s].far.push_back(one.slope[s]);
    slopes[s].quadratic = sums.quadratic.slope[s], slopes[s].even = sums.even;
  }
  return slopes;
}

}  // namespace farfield
