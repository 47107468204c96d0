#include "density/rules/isj.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace farfield::density {
namespace {

constexpr std::size_t bins = std::size_t{1} << 14;
constexpr double pi = std::numbers::pi;

/// The points on a line without repetition: equal ones joined.
struct Line {
  std::vector<double> x, share;
  double low = 0, width = 0;  ///< of the range of the histogram
  double count = 0;           ///< (sum w)^2 / sum w^2
};

Line joined(const std::vector<double>& x, const std::vector<double>& weights, double period) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return x[i] < x[j]; });
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  Line line;
  for (const std::size_t i : order) {
    if (weights[i] == 0) continue;
    if (line.x.empty() || line.x.back() != x[i]) line.x.push_back(x[i]), line.share.push_back(0);
    line.share.back() += weights[i] / sum;
  }
  double squares = 0;
  for (const double share : line.share) squares += share * share;
  line.count = 1 / squares;
  // Beyond the points a margin, where the density falls to zero; a period has none.
  const double extent = line.x.back() - line.x.front();
  line.width = period > 0 ? period : 2 * extent;
  line.low = 0.5 * line.x.front() + 0.5 * line.x.back() - 0.5 * line.width;
  return line;
}

/// Shares on the bins' centres, each point's divided among the two beside it.
std::vector<double> histogram(const Line& line) {
  std::vector<double> h(bins);
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    const double place = std::clamp((line.x[i] - line.low) / line.width * static_cast<double>(bins) - 0.5, 0.0,
                                    static_cast<double>(bins - 1));
    const auto left = std::min(static_cast<std::size_t>(place), bins - 2);
    const double part = place - static_cast<double>(left);
    h[left] += line.share[i] * (1 - part), h[left + 1] += line.share[i] * part;
  }
  return h;
}

/// The equation t = xi gamma^[7](t) of the rule, t being the square of the bandwidth in units of the range.
class Equation {
 public:
  Equation(const std::vector<double>& c, double n) : n_(n) {
    for (std::size_t k = 1; k < c.size(); ++k) squares_.push_back(c[k] * c[k]);
  }

  double right_side(double t) const {
    double norm = of_derivative(7, t);
    for (int s = 6; s >= 2; --s) {
      const double odd = double_factorial(2 * s - 1), constant = (1 + std::pow(0.5, s + 0.5)) / 3;
      const double time = std::pow(2 * constant * odd / std::sqrt(2 * pi) / (n_ * norm), 2.0 / (3 + 2 * s));
      norm = of_derivative(s, time);
    }
    return std::pow(2 * n_ * std::sqrt(pi) * norm, -0.4);
  }

 private:
  /// The integral of the square of the s-th derivative of the density that has been smoothed by variance t
  /// (Plancherel).
  double of_derivative(int s, double t) const {
    double sum = 0;
    for (std::size_t k = 0; k < squares_.size(); ++k) {
      const double square = static_cast<double>((k + 1) * (k + 1)), fall = square * pi * pi * t;
      if (fall > 745) break;  // exp(-745) is the least double
      sum += power(square, s) * squares_[k] * std::exp(-fall);
    }
    return 2 * power(pi * pi, s) * sum;
  }
  static double power(double base, int exponent) {
    double product = 1;
    for (int i = 0; i < exponent; ++i) product *= base;
    return product;
  }
  static double double_factorial(int odd) { return odd <= 1 ? 1 : odd * double_factorial(odd - 2); }

  std::vector<double> squares_;
  double n_;
};

/// The least t at which both sides are equal, from far below any bandwidth upward; none up to a tenth of the range.
std::optional<double> solve(const Equation& equation) {
  const auto above = [&](double t) { return t >= equation.right_side(t); };
  double low = 1e-2 / static_cast<double>(bins * bins), high = low;  // a tenth of a bin
  while (!above(high)) {
    low = high, high *= 1.5;
    if (high > 0.1) return std::nullopt;
  }
  if (low == high) return std::nullopt;  // narrower than the bins can tell
  while (high - low > 1e-12 * high) {
    const double middle = 0.5 * (low + high);
    (above(middle) ? high : low) = middle;
    if (middle == low && middle == high) break;
  }
  return high;
}

}  // namespace

std::optional<double> isj_bandwidth(const std::vector<double>& x, const std::vector<double>& weights, double period) {
  const Line line = joined(x, weights, period);
  if (line.x.size() < 3 || !(line.width > 0) || !std::isfinite(line.width)) return std::nullopt;
  const auto t = solve(Equation(cosine_transform(histogram(line)), line.count));
  if (!t || !std::isfinite(*t)) return std::nullopt;
  return std::sqrt(*t) * line.width;
}

}  // namespace farfield::density
