// The plug-in rule of Botev, Grotowski & Kroese 2010 in two dimensions (their appendix, as kde2d has it) with one
// bandwidth for all directions, on the sphere: docs/kde.md derives it.
#include <algorithm>
#include <cmath>
#include <farfield/error.hpp>
#include <numbers>
#include <numeric>
#include <optional>

#include "density/rules/near_pairs.hpp"
#include "density/rules/rules.hpp"
#include "density/rules/spectrum.hpp"

namespace farfield::density {
namespace {

constexpr double pi = std::numbers::pi;
constexpr int degree = 1024;
constexpr double widest = 2;  ///< radians

/// The points without repetition: equal ones joined.
struct Distinct {
  std::vector<double> xyz, share;
  double count = 0;  ///< (sum w)^2 / sum w^2
};

Distinct joined(const Sample& sample) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(sample.count()));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  const auto place = [&](std::int64_t i) { return sample.positions.begin() + 3 * i; };
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
    return std::lexicographical_compare(place(i), place(i) + 3, place(j), place(j) + 3);
  });
  const double sum = total(sample.weights);
  Distinct d;
  for (const std::int64_t i : order) {
    const double weight = sample.weights[static_cast<std::size_t>(i)];
    if (weight == 0) continue;
    if (d.share.empty() || !std::equal(place(i), place(i) + 3, d.xyz.end() - 3))
      d.xyz.insert(d.xyz.end(), place(i), place(i) + 3), d.share.push_back(0);
    d.share.back() += weight / sum;
  }
  double squares = 0;
  for (const double share : d.share) squares += share * share;
  d.count = 1 / squares;
  return d;
}

/// Variances from here on are told by the spectrum up to `degree`, to a part in 1e9; narrower ones by near pairs.
constexpr double least_of_spectrum = 40.0 / (degree * (degree + 1));

/// The equation t = (2 pi n |Delta f|^2)^(-1/3), t the square of the bandwidth.
class Equation {
 public:
  explicit Equation(const Distinct& points)
      : points_(points), power_(power_spectrum(points.xyz, points.share, degree)) {}

  double right_side(double t) {
    constexpr int first = 5;
    double norm = of_order(first, t), factorial = 120;
    for (int s = first - 1; s >= 2; --s) {
      factorial /= s + 1;
      const double constant = (1 + std::ldexp(1, -s - 1)) / 3;
      norm = of_order(
          s, std::pow(constant * std::ldexp(factorial, s + 2) / (4 * pi * points_.count * norm), 1.0 / (s + 2)));
    }
    return std::pow(2 * pi * points_.count * norm, -1.0 / 3);
  }

 private:
  /// The integral of f (-Delta)^s f of the density that heat has smoothed by variance t.
  double of_order(int s, double t) {
    if (t < least_of_spectrum) {
      if (!near_) near_.emplace(points_.xyz, points_.share, least_of_spectrum);
      return near_->of_order(s, t);
    }
    double sum = 0;
    for (std::size_t l = 1; l < power_.size(); ++l) {
      const double eigenvalue = static_cast<double>(l * (l + 1)), fall = eigenvalue * t;
      if (fall > 700) break;
      sum += std::pow(eigenvalue, s) * std::exp(-fall) * power_[l];
    }
    return sum;
  }

  const Distinct& points_;
  std::vector<double> power_;
  std::optional<NearPairs> near_;
};

/// The least t at which both sides are equal; `widest` where none is found up to there, as for points all over the
/// sphere. From the least of the spectrum up, or, where that is too wide already, from 1e-12 of it.
std::optional<double> solve(Equation& equation) {
  const auto above = [&](double t) { return t >= equation.right_side(t); };
  double low = least_of_spectrum;
  if (above(low)) low *= 1e-12;
  double high = low;
  if (above(low)) return std::nullopt;
  while (!above(high)) {
    low = high, high *= 1.2;
    if (high > widest * widest) return widest * widest;
  }
  while (high - low > 1e-12 * high) {
    const double middle = 0.5 * (low + high);
    (above(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

double sphere_isj(const Sample& sample) {
  const Distinct points = joined(sample);
  std::optional<double> t;
  if (points.share.size() >= 3) {
    Equation equation(points);
    t = solve(equation);
  }
  if (!t)
    throw Error(ErrorCode::input,
                "The rule isj finds no bandwidth on the sphere: the points are too few or lie too regularly; use "
                "silverman, or a number of degrees.");
  return std::sqrt(*t);
}

}  // namespace farfield::density
