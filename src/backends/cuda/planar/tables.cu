#include <algorithm>
#include <cstdlib>

#include "backends/cuda/planar/tables.hpp"
#include "kernels/registry.hpp"

namespace farfield::cuda {

template <class Real>
PlanarTables<Real>::PlanarTables(DeviceMemory& memory) {
  use_all(memory, power_, pascal_, factors_, shift_, shift_by_row_);
}

template <class Real>
const Real* PlanarTables<Real>::keep(DeviceArray<Real>& array, const std::vector<double>& values, cudaStream_t stream) {
  const std::vector<Real> rounded(values.begin(), values.end());
  upload(array, rounded.data(), static_cast<std::int64_t>(rounded.size()), stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");  // the source of the copy ends here
  return array.data();
}

/// P at [k][n], padded with zeros.
static std::vector<double> padded_square(const std::vector<double>& matrix, std::size_t size, std::size_t padded) {
  std::vector<double> square(padded * padded);
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t n = 0; n < size; ++n) square[k * padded + n] = matrix[k * size + n];
  return square;
}

/// Puts the factors of the offset t into their place: C_n, D_n as pairs, -log |t|.
template <class Factored>
static void put_factors(const Factored& m2l, const double t[3], double target_edge, std::size_t size,
                        std::size_t padded, double* to) {
  const std::vector<double> of = m2l.factors(t, target_edge);
  for (std::size_t n = 0; n < size; ++n)
    for (std::size_t row = 0; row < 2; ++row)
      for (std::size_t part = 0; part < 2; ++part) to[2 * (row * padded + n) + part] = of[(2 * row + part) * size + n];
  to[4 * padded] = of[4 * size];
}

template <class Factored>
static std::vector<double> all_factors(const Factored& m2l, std::size_t size, std::size_t padded) {
  const auto numbers = static_cast<std::size_t>(factor_numbers(static_cast<int>(padded)));
  std::vector<double> all(planar_offsets * numbers);
  const auto place = [&](int offset) { return all.data() + static_cast<std::size_t>(offset) * numbers; };
  for (int y = -3; y <= 3; ++y)
    for (int x = -3; x <= 3; ++x) {
      const double t[3] = {double(x), double(y), 0};
      if (std::abs(x) > 1 || std::abs(y) > 1) put_factors(m2l, t, 1, size, padded, place(planar_offset(x, y)));
    }
  for (const int y : {-1, 1})
    for (const int x : {-1, 1}) {
      const double t[3] = {2.5 * x, 2.5 * y, 0};
      put_factors(m2l, t, 2, size, padded, place(planar_parent_offset(x, y)));
    }
  return all;
}

template <class Real>
template <class Basis>
void PlanarTables<Real>::fill(int degree, cudaStream_t stream) {
  static_assert(InPlane<Basis> && ScaleInvariant<Basis>);
  const auto size = static_cast<std::size_t>(degree) + 1, padded = std::max<std::size_t>(8, (size + 3) / 4 * 4);
  view_ = {};
  view_.size = static_cast<int>(size);
  view_.padded = static_cast<int>(padded);
  std::vector<double> power(padded);
  for (std::size_t n = 0; n < size; ++n) power[n] = Basis::power_factor(static_cast<int>(n));
  view_.power = keep(power_, power, stream);
  const typename Basis::FactoredM2l m2l(degree);
  const std::vector<double> pascal = padded_square(m2l.shared(), size, padded);
  view_.pascal = keep(pascal_, pascal, stream);
  host_pascal_.assign(pascal.begin(), pascal.end());
  view_.host_pascal = host_pascal_.data();
  view_.factors = keep(factors_, all_factors(m2l, size, padded), stream);
  const std::vector<double> m2m = Basis::m2m(degree);
  std::vector<double> shift(2 * size * size), by_row(2 * size * size);
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t n = k; n < size; ++n)
      for (std::size_t part = 0; part < (n > 0 ? 2 : 1); ++part)
        shift[2 * (k * size + n) + part] = by_row[2 * (n * size + k) + part] = m2m[2 * k * 2 * size + 2 * n + part];
  view_.shift = keep(shift_, shift, stream);
  view_.shift_by_row = keep(shift_by_row_, by_row, stream);
  view_.ready = true;
}

template <class Real>
void PlanarTables<Real>::build(Kernel kernel, int degree, cudaStream_t stream) {
  with_device_kernel(kernel, [&](auto k) {
    using Basis = typename decltype(k)::Basis;
    if constexpr (InPlane<Basis>)
      if (!view_.ready || view_.size != degree + 1) fill<Basis>(degree, stream);
  });
}

template <class Real>
std::int64_t PlanarTables<Real>::bytes(int degree) {
  const std::int64_t padded = degree + 8;
  return (5 * padded * padded + planar_offsets * (4 * padded + 4) + padded) * static_cast<std::int64_t>(sizeof(Real));
}

template class PlanarTables<float>;
template class PlanarTables<double>;

}  // namespace farfield::cuda
