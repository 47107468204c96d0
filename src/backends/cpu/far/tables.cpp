// Fills TablesView from the generators of a basis. Dense operators dominate: 34 (d+1)^4 numbers.
#include "backends/cpu/far/tables.hpp"

#include "core/chunks.hpp"
#include "expansions/offsets.hpp"
#include "expansions/solid_shape.hpp"
#include "kernels/registry.hpp"

namespace farfield::cpu {

template <class Real>
const Real* Tables<Real>::keep(Array<Real>& array, const std::vector<double>& values) {
  array.resize(static_cast<std::int64_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) array[static_cast<std::int64_t>(i)] = static_cast<Real>(values[i]);
  return array.data();
}

template <class Real>
SparseView<Real> Tables<Real>::keep(Sparse& sparse, const SparseMap& map) {
  sparse.begin.resize(static_cast<std::int64_t>(map.begin.size()));
  sparse.column.resize(static_cast<std::int64_t>(map.column.size()));
  std::copy(map.begin.begin(), map.begin.end(), sparse.begin.begin());
  std::copy(map.column.begin(), map.column.end(), sparse.column.begin());
  return {map.rows, map.columns, sparse.begin.data(), sparse.column.data(), keep(sparse.value, map.value)};
}

template <class Real>
template <class Basis>
void Tables<Real>::build_dense(int operators, int threads) {
  const typename Basis::DenseM2l m2l(view_.degree);
  for_each_index(operators, 1, threads, [&](std::int64_t id) {
    const OperatorOffset offset(id);
    dense_[id].resize(std::int64_t(view_.coefficients) * view_.coefficients);
    m2l.fill(offset.t, offset.target_edge, dense_[id].data());
    view_.dense[id] = dense_[id].data();
  });
}

template <class Real>
template <class Basis>
void Tables<Real>::build_rotations(int operators, int threads) {
  const typename Basis::RotatedM2l m2l(view_.degree);
  const RotationSizes sizes = Basis::rotation_sizes(view_.degree);
  for_each_index(operators, 1, threads, [&](std::int64_t id) {
    const OperatorOffset offset(id);
    Rotation& r = rotation_[id];
    for (Array<Real>* azimuth : {&r.cosine, &r.sine}) azimuth->resize(sizes.azimuth);
    r.blocks.resize(sizes.blocks);
    r.shift.resize(sizes.shift);
    m2l.fill(offset.t, offset.target_edge, r.cosine.data(), r.sine.data(), r.blocks.data(), r.shift.data());
    view_.rotation[id] = {r.cosine.data(), r.sine.data(), r.blocks.data(), r.shift.data()};
  });
}

template <class Real>
template <class Basis>
void Tables<Real>::build_factors(int operators) {
  const typename Basis::FactoredM2l m2l(view_.degree);
  view_.shared_factor = keep(shared_factor_, m2l.shared());
  for (int id = 0; id < operators; ++id) {
    const OperatorOffset offset(id);
    const Real* f = keep(factors_[id], m2l.factors(offset.t, offset.target_edge));
    const int size = view_.degree + 1;
    view_.factors[id] = {f, f + size, f + 2 * size, f + 3 * size, f[4 * size]};
  }
}

template <class Real>
template <class Basis>
void Tables<Real>::build_m2m(int threads) {
  const typename Basis::M2m m2m(view_.degree);
  m2m_.resize(std::int64_t(view_.coefficients) * view_.coefficients);
  for_each_index(view_.degree + 1, 1, threads,
                 [&](std::int64_t k) { m2m.fill_columns(static_cast<int>(k), m2m_.data()); });
  view_.m2m = m2m_.data();
}

template <class Real>
template <class Basis>
void Tables<Real>::build_for(int degree, int threads) {
  static_assert(Reflects<Basis> && ScaleInvariant<Basis>);
  const int count = Basis::coefficient_count(degree);
  view_ = {};
  view_.degree = degree;
  view_.coefficients = count;
  view_.stride = stride_of<Real>(count);
  view_.recurrence = keep(recurrence_, Basis::recurrence_table(degree));
  view_.recurrence_next = keep(recurrence_next_, Basis::recurrence_table(degree + 1));
  for (int id = 0; id < symmetry_count; ++id) {
    const Symmetry symmetry = Basis::symmetry(degree, id);
    index_[id].resize(count);
    std::copy(symmetry.index.begin(), symmetry.index.end(), index_[id].begin());
    const std::vector<double> sign(symmetry.sign.begin(), symmetry.sign.end());
    view_.symmetry[id] = {index_[id].data(), keep(sign_[id], sign)};
  }
  const auto local = Basis::local_gradient(degree), multipole = Basis::multipole_gradient(degree);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    view_.local_gradient[axis] = keep(local_gradient_[axis], local[axis]);
    view_.multipole_gradient[axis] = keep(multipole_gradient_[axis], multipole[axis]);
  }
  view_.l2l_scale = static_cast<Real>(Basis::l2l_scale);
  build_m2m<Basis>(threads);
}

template <class Real>
template <class Basis>
void Tables<Real>::build_m2l(bool rotation, int operators, int threads) {
  if constexpr (Rotates<Basis>)
    if (rotation) return build_rotations<Basis>(operators, threads);
  if constexpr (Factors<Basis>)
    build_factors<Basis>(operators);
  else
    build_dense<Basis>(operators, threads);
}

template <class Real>
void Tables<Real>::build(Kernel kernel, int degree, bool rotation, bool reduced, int threads, bool translates) {
  with_kernel(kernel, [&](auto k) {
    using Basis = typename decltype(k)::Basis;
    build_for<Basis>(expansion_degree(kernel, degree), threads);
    if (translates) build_m2l<Basis>(rotation, reduced ? operator_count : far_operator_count, threads);
  });
}

template <class Real>
std::int64_t Tables<Real>::held_bytes() const {
  std::int64_t numbers = recurrence_.size() + recurrence_next_.size() + m2m_.size() + shared_factor_.size();
  for (const Array<Real>& dense : dense_) numbers += dense.size();
  for (const Array<Real>& factors : factors_) numbers += factors.size();
  for (const Rotation& r : rotation_) numbers += r.cosine.size() + r.sine.size() + r.blocks.size() + r.shift.size();
  return numbers * static_cast<std::int64_t>(sizeof(Real));
}

template <class Real>
std::int64_t Tables<Real>::bytes(int degree, std::int64_t coefficients, bool rotation, bool reduced) {
  const std::int64_t d = degree + 1, operators = reduced ? operator_count : far_operator_count;
  const std::int64_t numbers = operators * (rotation ? most_rotation_numbers(degree) : coefficients * coefficients) +
                               coefficients * coefficients + 64 * (coefficients + 2 * d + 1);
  return numbers * static_cast<std::int64_t>(sizeof(Real)) + 32 * coefficients * symmetry_count;
}

template class Tables<float>;
template class Tables<double>;

}  // namespace farfield::cpu
