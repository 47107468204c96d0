// Evaluation of Hermite series in the plane (Cruz et al. 2011, eq. 6; tables 4 and 5): every series of a square of
// 8 x 8 clusters, at every point of that square, a length of sqrt(2) bandwidths to a cluster. The paper does not say
// how many clusters a point has; 64 explain its operations per point (docs/performance-papers.md).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace farfield::lab {

inline constexpr int clusters_along = 8, cluster_count = clusters_along * clusters_along;

/// Multiplications and additions of a series at a point: 2 p^2 + 2 p of the sums, 3 (p - 1) of each recurrence, 10 of
/// the exponential and its argument.
constexpr double series_flops(int p) { return 2.0 * p * p + 2 * p + 6 * (p - 1) + 10; }

/// Coefficients of 50 sources in each cluster, and points, in lengths of sqrt(2) bandwidths.
struct SeriesCase {
  SeriesCase(int terms, std::int64_t count) : p(terms), coefficient(std::size_t(cluster_count) * terms * terms) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int c = 0; c < cluster_count; ++c)
      for (int j = 0; j < 50; ++j) add_source(c, unit(random) - 0.5, unit(random) - 0.5, 2 * unit(random) - 1);
    for (auto* axis : {&x, &y}) {
      axis->resize(static_cast<std::size_t>(count));
      for (float& v : *axis) v = static_cast<float>(clusters_along * unit(random));
    }
  }
  static double centre(int i) { return i + 0.5; }
  /// The same sums in double, by the definition of the functions.
  double at(std::size_t point) const {
    double sum = 0;
    for (int c = 0; c < cluster_count; ++c) {
      const auto along = [&](double t) {
        std::vector<double> g{std::exp(-t * t)};
        for (int n = 1; n < p; ++n)
          g.push_back(t * g.back() - (n > 1 ? 0.5 * (n - 1) * g[static_cast<std::size_t>(n) - 2] : 0));
        return g;
      };
      const auto gx = along(static_cast<double>(x[point]) - centre(c % clusters_along)),
                 gy = along(static_cast<double>(y[point]) - centre(c / clusters_along));
      for (int i = 0; i < p * p; ++i)
        sum += static_cast<double>(coefficient[static_cast<std::size_t>(c * p * p + i)]) *
               gy[static_cast<std::size_t>(i / p)] * gx[static_cast<std::size_t>(i % p)];
    }
    return sum;
  }
  /// Relative L2 error over `count` points.
  double error(const std::vector<float>& result, std::size_t count) const {
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < result.size(); i += std::max<std::size_t>(1, result.size() / count)) {
      const double exact = at(i);
      difference += std::pow(static_cast<double>(result[i]) - exact, 2), size += exact * exact;
    }
    return std::sqrt(difference / size);
  }

  int p;
  std::vector<float> coefficient, x, y;  ///< [cluster][b][a], [point]

 private:
  /// A_n of g_n: 2^n dx^n / n! of each axis.
  void add_source(int cluster, double dx, double dy, double q) {
    double row = q;
    for (int b = 0; b < p; row *= 2 * dy / ++b) {
      double term = row;
      for (int a = 0; a < p; term *= 2 * dx / ++a)
        coefficient[static_cast<std::size_t>((cluster * p + b) * p + a)] += static_cast<float>(term);
    }
  }
};

/// On `threads` threads of the CPU, vectors of points; p = 5, 9 or 12.
void evaluate_on_cpu(const SeriesCase& from, int threads, std::vector<float>& result);

}  // namespace farfield::lab
