#include "density/rules/moments.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace farfield::density {

std::array<double, 9> covariance_of(const Sample& sample) {
  const double sum = total(sample.weights), n = effective_count(sample.weights);
  const int d = sample.dimension;
  std::array<double, 3> mean{};
  std::array<double, 9> covariance{};
  const auto each = [&](auto&& visit) {
    for (std::int64_t i = 0; i < sample.count(); ++i) visit(i, sample.weights[static_cast<std::size_t>(i)] / sum);
  };
  for (int pass = 0; pass < 2; ++pass) {  // the second corrects what the first lost where points are far from zero
    std::array<double, 3> rest{};
    each([&](std::int64_t i, double share) {
      for (int a = 0; a < d; ++a)
        rest[static_cast<std::size_t>(a)] += share * (sample.at(i, a) - mean[static_cast<std::size_t>(a)]);
    });
    for (std::size_t a = 0; a < 3; ++a) mean[a] += rest[a];
  }
  each([&](std::int64_t i, double share) {
    for (int a = 0; a < d; ++a)
      for (int b = 0; b < d; ++b)
        covariance[static_cast<std::size_t>(3 * a + b)] += share *
                                                           (sample.at(i, a) - mean[static_cast<std::size_t>(a)]) *
                                                           (sample.at(i, b) - mean[static_cast<std::size_t>(b)]);
  });
  const double freedom = 1 - 1 / n;
  for (double& value : covariance) value = freedom > 0 ? value / freedom : 0;
  return covariance;
}

double quantile(const Sample& sample, double share) {
  const std::vector<double>& w = sample.weights;
  std::vector<std::size_t> order(w.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  order.erase(std::remove_if(order.begin(), order.end(), [&](std::size_t i) { return w[i] == 0; }), order.end());
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return sample.positions[i] < sample.positions[j]; });
  // A point stands in the middle of its weight; the first one's is at share 0, the last one's at share 1.
  const double whole = total(w) - 0.5 * w[order.front()] - 0.5 * w[order.back()];
  double before = 0;  // from the first point's middle to this one's
  for (std::size_t k = 0; k + 1 < order.size(); ++k) {
    const std::size_t i = order[k], next = order[k + 1];
    const double step = 0.5 * (w[i] + w[next]);
    if (share * whole <= before + step)
      return std::lerp(sample.positions[i], sample.positions[next], (share * whole - before) / step);
    before += step;
  }
  return sample.positions[order.back()];
}

double concentration(double length) {
  if (length < 1e-4) return 3 * length;  // the next term is 9/5 length^3
  if (length >= 1) return HUGE_VAL;
  double kappa = length * (3 - length * length) / (1 - length * length);  // Banerjee et al. 2005, eq. 4.4
  for (int step = 0; step < 20; ++step) {                                 // Newton
    // coth k - 1/k loses digits for small k: its series there.
    const double value = kappa < 1e-2 ? kappa / 3 - kappa * kappa * kappa / 45 : 1 / std::tanh(kappa) - 1 / kappa;
    const double slope = 1 - value * value - 2 * value / kappa;
    kappa -= (value - length) / slope;
  }
  return kappa;
}

}  // namespace farfield::density
