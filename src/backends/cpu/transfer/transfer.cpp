#include "backends/cpu/transfer/transfer.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "backends/cpu/tuning.hpp"
#include "core/chunks.hpp"

namespace farfield::cpu {

template <class T>
static T strength_at(const Strengths& s, std::int64_t vector, std::int64_t i) {
  const std::int64_t pitch = s.pitch ? s.pitch : s.count * s.stride;
  return static_cast<const T*>(s.data)[vector * pitch + i * s.stride];
}

template <class T>
static StrengthRange range_of(const Strengths& s, std::int64_t vector, int threads) {
  double largest = 0, least = std::numeric_limits<double>::infinity();
  std::int64_t bad = std::numeric_limits<std::int64_t>::max();
#pragma omp parallel for num_threads(threads) reduction(max : largest) reduction(min : least, bad)
  for (std::int64_t j = 0; j < s.count; ++j) {
    const double q = std::fabs(static_cast<double>(strength_at<T>(s, vector, j)));
    if (!std::isfinite(q))
      bad = std::min(bad, j);
    else if (q > 0)
      largest = std::max(largest, q), least = std::min(least, q);
  }
  if (bad != std::numeric_limits<std::int64_t>::max())
    throw Error(ErrorCode::input, "strength " + std::to_string(bad) + " of vector " + std::to_string(vector) +
                                      " is not finite; remove or replace it");
  StrengthRange range;
  if (largest > 0) std::frexp(largest, &range.exponent), range.least = least;
  return range;
}

StrengthRange strength_range(const Strengths& s, std::int64_t vector, int threads) {
  return s.scalar == Scalar::float32 ? range_of<float>(s, vector, threads) : range_of<double>(s, vector, threads);
}

double sum_of_sizes(const Strengths& s, std::int64_t vector, int exponent, int threads) {
  const Scaling scale(-exponent);
  std::vector<double> sums(static_cast<std::size_t>(chunk_count(s.count, tuning::points_per_chunk)));
  for_chunks(s.count, tuning::points_per_chunk, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t chunk) {
    double& sum = sums[static_cast<std::size_t>(chunk)];
    for (std::int64_t j = begin; j < end; ++j)
      sum += scale(std::fabs(s.scalar == Scalar::float32 ? static_cast<double>(strength_at<float>(s, vector, j))
                                                         : strength_at<double>(s, vector, j)));
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

template <class T, class Real>
static void gather_from(const Strengths& s, std::int64_t vector, const Array<std::uint32_t>& order, int exponent,
                        Array<Real>& sorted, int threads) {
  const Scaling scale(-exponent);
#pragma omp parallel for num_threads(threads)
  for (std::int64_t i = 0; i < s.count; ++i)
    sorted[i] = static_cast<Real>(scale(static_cast<double>(strength_at<T>(s, vector, order[i]))));
}

template <class Real>
void gather(const Strengths& s, std::int64_t vector, const Array<std::uint32_t>& order, int exponent,
            Array<Real>& sorted, int threads) {
  sorted.resize(s.count + 16);
  for (int i = 0; i < 16; ++i) sorted[s.count + i] = 0;
  if (s.scalar == Scalar::float32)
    gather_from<float>(s, vector, order, exponent, sorted, threads);
  else
    gather_from<double>(s, vector, order, exponent, sorted, threads);
}

/// Where the results of one strength vector at one set of points (targets or sources) begin; null where not wanted.
template <class T>
struct Destination {
  T *potential, *gradient;
  Destination(void* u, void* g, std::int64_t vector, std::int64_t count)
      : potential(u ? static_cast<T*>(u) + vector * count : nullptr),
        gradient(g ? static_cast<T*>(g) + 3 * vector * count : nullptr) {}
};

template <class T, class Real>
static void scatter_to(const SortedResults<Real>& r, std::int64_t vector, const SortedPoints& points, const Delivery& d,
                       int threads) {
  const std::int64_t count = points.count;
  const Destination<T> at_targets(d.outputs.potential, d.outputs.gradient, vector, d.split);
  const Destination<T> at_sources(d.outputs.source_potential, d.outputs.source_gradient, vector, count - d.split);
#pragma omp parallel for num_threads(threads)
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t index = points.order[i];
    const Destination<T>& to = index < d.split ? at_targets : at_sources;
    const std::int64_t at = index < d.split ? index : index - d.split;
    const auto result = [&](int part) {
      return static_cast<T>(r.factor[part](static_cast<double>(r.result[part][i])));
    };
    if (to.potential) to.potential[at] = result(0);
    if (to.gradient)
      for (int axis = 0; axis < 3; ++axis) to.gradient[3 * at + axis] = result(1 + axis);
  }
}

template <class Real>
void scatter(const SortedResults<Real>& r, std::int64_t vector, const SortedPoints& points, const Delivery& delivery,
             int threads) {
  if (delivery.outputs.scalar == Scalar::float32)
    scatter_to<float>(r, vector, points, delivery, threads);
  else
    scatter_to<double>(r, vector, points, delivery, threads);
}

template void gather<float>(const Strengths&, std::int64_t, const Array<std::uint32_t>&, int, Array<float>&, int);
template void gather<double>(const Strengths&, std::int64_t, const Array<std::uint32_t>&, int, Array<double>&, int);
template void scatter<float>(const SortedResults<float>&, std::int64_t, const SortedPoints&, const Delivery&, int);
template void scatter<double>(const SortedResults<double>&, std::int64_t, const SortedPoints&, const Delivery&, int);

}  // namespace farfield::cpu
