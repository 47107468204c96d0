#include "kernels/periodic/coincident.hpp"

#include <algorithm>
#include <numeric>

namespace farfield {

CoincidentSources::CoincidentSources(const std::vector<double>& x, const std::vector<double>& y, double cell)
    : cell_(cell), order_(x.size()) {
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return y[a] != y[b] ? y[a] < y[b] : x[a] != x[b] ? x[a] < x[b] : a < b;
  });
  for (const std::uint32_t j : order_) x_.push_back(x[j]), y_.push_back(y[j]);
}

double CoincidentSources::sum(double x, double y, const std::vector<double>& q) const {
  const auto [low, high] = std::equal_range(y_.begin(), y_.end(), y);
  double sum = 0;
  for (const double shift : {0.0, -cell_, cell_}) {
    const auto place = [&](double own) { return own + shift; };
    const auto begin = x_.begin() + (low - y_.begin()), end = x_.begin() + (high - y_.begin());
    const auto first = std::partition_point(begin, end, [&](double own) { return place(own) < x; });
    for (auto at = first; at != end && place(*at) == x; ++at)
      sum += q[order_[static_cast<std::size_t>(at - x_.begin())]];
  }
  return sum;
}

}  // namespace farfield
