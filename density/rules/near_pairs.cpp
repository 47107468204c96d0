#include "density/rules/near_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace farfield::density {
namespace {

constexpr int per_octave = 64, octaves = 80;
constexpr double most = 40;  ///< rho beyond which pairs bring nothing

std::size_t bin_of(double r2, double largest) {
  const double down = r2 > 0 ? -per_octave * std::log2(r2 / largest) : per_octave * octaves;
  return static_cast<std::size_t>(std::clamp(down, 0.0, per_octave * octaves - 1.0));
}

double laguerre(int s, double rho) {
  double before = 0, now = 1;
  for (int k = 0; k < s; ++k) {
    const double next = ((2 * k + 1 - rho) * now - k * before) / (k + 1);
    before = now, now = next;
  }
  return now;
}

}  // namespace

NearPairs::NearPairs(const std::vector<double>& xyz, const std::vector<double>& share, double longest)
    : weight_(per_octave * octaves), largest_(4 * longest * most) {
  const std::size_t n = share.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return xyz[3 * i + 2] != xyz[3 * j + 2] ? xyz[3 * i + 2] < xyz[3 * j + 2] : i < j;
  });
  std::vector<double> x, y, z, w;
  for (const std::size_t i : order)
    x.push_back(xyz[3 * i]), y.push_back(xyz[3 * i + 1]), z.push_back(xyz[3 * i + 2]), w.push_back(share[i]);
  constexpr std::size_t teams = 16;  // fixed, so that sums do not depend on the number of threads
  std::vector<double> parts(teams * weight_.size());
  const double reach = std::sqrt(largest_);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t team = 0; team < teams; ++team) {
    double* const own = &parts[team * weight_.size()];
    for (std::size_t i = team; i < n; i += teams)
      for (std::size_t j = i + 1; j < n && z[j] - z[i] < reach; ++j) {
        const double dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j], r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < largest_) own[bin_of(r2, largest_)] += 2 * w[i] * w[j];
      }
  }
  for (std::size_t k = 0; k < parts.size(); ++k) weight_[k % weight_.size()] += parts[k];
  for (const double one : w) own_ += one * one;
}

double NearPairs::of_order(int s, double t) const {
  double sum = own_;
  for (std::size_t k = 0; k < weight_.size(); ++k) {
    if (weight_[k] == 0) continue;
    const double rho = largest_ * std::exp2(-(static_cast<double>(k) + 0.5) / per_octave) / (4 * t);
    if (rho < 2 * most) sum += weight_[k] * std::exp(-rho) * laguerre(s, rho);
  }
  return sum * std::tgamma(s + 1) / (4 * std::numbers::pi * std::pow(t, s + 1));
}

}  // namespace farfield::density
