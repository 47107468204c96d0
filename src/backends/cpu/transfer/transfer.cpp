#include "backends/cpu/transfer/transfer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "backends/cpu/transfer/copy_axis.hpp"
#include "backends/cpu/transfer/number_range.hpp"
#include "backends/cpu/tuning.hpp"
#include "core/chunks.hpp"

namespace farfield::cpu {

namespace {

/// One number of each source.
template <class T>
struct Numbers {
  const T* data;
  std::int64_t stride, count;
  double operator[](std::int64_t i) const { return static_cast<double>(data[i * stride]); }
};

/// Calls f with the Numbers of a component of what sources carry.
template <class F>
decltype(auto) with_numbers(const Carried& c, F&& f) {
  const Strengths& s = c.strengths;
  const auto numbers = [&](auto zero) {
    using T = decltype(zero);
    if (c.component == charge)
      return Numbers<T>{static_cast<const T*>(s.data) + c.vector * (s.pitch ? s.pitch : s.count * s.stride), s.stride,
                        s.count};
    const std::int64_t pitch = s.dipole_pitch ? s.dipole_pitch : s.count * s.dipole_stride;
    return Numbers<T>{static_cast<const T*>(s.dipoles) + c.vector * pitch + c.component - 1, s.dipole_stride, s.count};
  };
  return s.scalar == Scalar::float32 ? f(numbers(float{})) : f(numbers(double{}));
}

bool are_given(const Carried& c) { return c.component == charge ? c.strengths.data : c.strengths.dipoles; }

/// The largest and the least absolute value that is not 0, and the first number that is not finite.
constexpr std::int64_t no_source = std::numeric_limits<std::int64_t>::max();
struct Sizes {
  double largest, least;
  std::int64_t bad;
};

template <class T>
std::int64_t first_bad(const Numbers<T>& numbers) {
  for (std::int64_t j = 0; j < numbers.count; ++j)
    if (!std::isfinite(numbers[j])) return j;
  return no_source;
}

template <class T>
Sizes sizes_of(const Numbers<T>& numbers, int threads) {
  double largest = 0, least = std::numeric_limits<double>::infinity();
  bool finite = true;
  const std::int64_t pieces = chunk_count(numbers.count, side_by_side);
#pragma omp parallel for num_threads(threads) reduction(max : largest) reduction(min : least) reduction(&& : finite)
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const std::int64_t begin = piece * side_by_side;
    NumberRange range;
    const std::int64_t few = std::min(side_by_side, numbers.count - begin);
    double x[side_by_side];
    copy_axis(numbers.data + begin * numbers.stride, numbers.stride, few, Scaling(), x);
    extend(range, x, few);
    largest = std::max(largest, range.largest()), least = std::min(least, range.least);
    finite = finite && range.finite();
  }
  return {largest, least, finite ? no_source : first_bad(numbers)};
}

void require_finite(const Carried& c, const Sizes& sizes) {
  if (sizes.bad == no_source) return;
  const std::string at = std::to_string(sizes.bad), of = " of vector " + std::to_string(c.vector);
  throw Error(ErrorCode::input, (c.component == charge ? "strength " + at + of : "dipole " + at + of) +
                                    " is not finite; remove or replace it");
}

/// A number times 2^exponent, above 0 and finite as the number is.
double kept_in_range(double x, int exponent) {
  return std::clamp(std::ldexp(x, exponent), std::numeric_limits<double>::denorm_min(),
                    std::numeric_limits<double>::max());
}

}  // namespace

StrengthRange strength_range(const Strengths& s, std::int64_t vector, int unit, int threads) {
  StrengthRange range;
  bool any = false;
  for (int component = charge; component < with_dipole; ++component) {
    const Carried c{s, vector, component, 0};
    if (!are_given(c)) continue;
    const Sizes sizes = with_numbers(c, [&](const auto& numbers) { return sizes_of(numbers, threads); });
    require_finite(c, sizes);
    if (!(sizes.largest > 0)) continue;
    const int own_unit = component == charge ? 0 : unit;
    int exponent = 0;
    std::frexp(sizes.largest, &exponent);
    const double least = kept_in_range(sizes.least, own_unit);
    range.exponent = any ? std::max(range.exponent, exponent + own_unit) : exponent + own_unit;
    range.least = any ? std::min(range.least, least) : least;
    any = true;
  }
  return range;
}

double sum_of_sizes(const Strengths& s, std::int64_t vector, int exponent, int threads) {
  const Scaling scale(-exponent);
  std::vector<double> sums(static_cast<std::size_t>(chunk_count(s.count, tuning::points_per_chunk)));
  with_numbers({s, vector, charge, exponent}, [&](const auto& numbers) {
    for_chunks(s.count, tuning::points_per_chunk, threads,
               [&](std::int64_t begin, std::int64_t end, std::int64_t chunk) {
                 double& sum = sums[static_cast<std::size_t>(chunk)];
                 for (std::int64_t j = begin; j < end; ++j) sum += scale(std::fabs(numbers[j]));
               });
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

template <class Real>
void gather(const Carried& carried, const Array<std::uint32_t>& order, Real* sorted, int threads) {
  const std::int64_t count = carried.strengths.count;
  std::fill_n(sorted + count, strength_padding, Real(0));
  if (!are_given(carried)) {
    std::fill_n(sorted, count, Real(0));
    return;
  }
  const Scaling scale(-carried.exponent);
  with_numbers(carried, [&](const auto& numbers) {
#pragma omp parallel for num_threads(threads)
    for (std::int64_t i = 0; i < count; ++i) sorted[i] = static_cast<Real>(scale(numbers[order[i]]));
  });
}

template <class Real>
void gather_dipoles(const Carried& carried, const Array<std::uint32_t>& order, Real* const (&sorted)[3], int threads) {
  const std::int64_t count = carried.strengths.count;
  const Scaling scale(-carried.exponent);
  for (Real* axis : sorted) std::fill_n(axis + count, strength_padding, Real(0));
  with_numbers(carried, [&](const auto& numbers) {
#pragma omp parallel for num_threads(threads)
    for (std::int64_t i = 0; i < count; ++i) {
      const auto* const dipole = numbers.data + order[i] * numbers.stride;
      for (int axis = 0; axis < 3; ++axis)
        sorted[axis][i] = static_cast<Real>(scale(static_cast<double>(dipole[axis])));
    }
  });
}

namespace {

/// Where the results of one strength vector at one set of points (targets or sources) begin; null where not wanted.
template <class T>
struct Destination {
  T *potential, *gradient, *hessian;
  Destination(void* u, void* g, void* h, std::int64_t first)
      : potential(u ? static_cast<T*>(u) + first : nullptr),
        gradient(g ? static_cast<T*>(g) + 3 * first : nullptr),
        hessian(h ? static_cast<T*>(h) + 6 * first : nullptr) {}
};

}  // namespace

/// Many sums want the potential alone, which one short loop writes in two thirds of the time.
template <class T, class Real>
static void scatter_potential(const SortedResults<Real>& r, const SortedPoints& points, T* to, int threads) {
  const std::int64_t count = points.count;
  const std::uint32_t* order = points.order.data();
  const Real* potential = r.result[0];
  const Factor factor = r.factor.potential;
#pragma omp parallel for num_threads(threads)
  for (std::int64_t i = 0; i < count; ++i) to[order[i]] = static_cast<T>(factor(static_cast<double>(potential[i])));
}

template <class T, class Real>
static void scatter_to(const SortedResults<Real>& r, std::int64_t vector, const SortedPoints& points, const Delivery& d,
                       const Writing& how) {
  const std::int64_t count = points.count;
  const Outputs& out = d.outputs;
  const Destination<T> at_targets(out.potential, out.gradient, out.hessian, vector * d.split);
  const Destination<T> at_sources(out.source_potential, out.source_gradient, out.source_hessian,
                                  vector * (count - d.split));
  const VectorResult& made = how.vector;
  if (d.split == count && at_targets.potential && !at_targets.gradient && !at_targets.hessian)
    return scatter_potential(r, points, at_targets.potential, how.threads);
#pragma omp parallel for num_threads(how.threads)
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t index = points.order[i];
    const Destination<T>& to = index < d.split ? at_targets : at_sources;
    const std::int64_t at = index < d.split ? index : index - d.split;
    const auto result = [&](int part) {
      return static_cast<T>(r.factor[part](static_cast<double>(r.result.any(part)[i])));
    };
    if (to.potential) to.potential[at] = result(0);
    if (to.gradient)
      for (int axis = 0; axis < 3; ++axis)
        to.gradient[3 * at + axis] = static_cast<T>(made.sign[axis]) * result(made.part[axis]);
    if (to.hessian)
      for (int part = with_gradient; part < with_hessian; ++part)
        to.hessian[6 * at + part - with_gradient] = result(part);
  }
}

template <class Real>
void scatter(const SortedResults<Real>& r, std::int64_t vector, const SortedPoints& points, const Delivery& delivery,
             const Writing& how) {
  if (delivery.outputs.scalar == Scalar::float32)
    scatter_to<float>(r, vector, points, delivery, how);
  else
    scatter_to<double>(r, vector, points, delivery, how);
}

template void gather<float>(const Carried&, const Array<std::uint32_t>&, float*, int);
template void gather<double>(const Carried&, const Array<std::uint32_t>&, double*, int);
template void gather_dipoles<float>(const Carried&, const Array<std::uint32_t>&, float* const (&)[3], int);
template void gather_dipoles<double>(const Carried&, const Array<std::uint32_t>&, double* const (&)[3], int);
template void scatter<float>(const SortedResults<float>&, std::int64_t, const SortedPoints&, const Delivery&,
                             const Writing&);
template void scatter<double>(const SortedResults<double>&, std::int64_t, const SortedPoints&, const Delivery&,
                              const Writing&);

}  // namespace farfield::cpu
