// Fills TablesView from the generators of a basis. Dense operators dominate: 34 (d+1)^4 numbers.
#include "backends/cpu/tables.hpp"

#include "backends/cpu/chunks.hpp"
#include "expansions/laplace_basis.hpp"
#include "expansions/offsets.hpp"
#include "expansions/ones_basis.hpp"

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
void Tables<Real>::build_operator(int id, bool rotation) {
  const CanonicalOffset c = canonical_offsets()[static_cast<std::size_t>(id)];
  const double t[3] = {0.5 * c.x, 0.5 * c.y, 0.5 * c.z};
  if (!rotation) {
    view_.dense[id] = keep(dense_[id], Basis::m2l(view_.degree, t, target_edge_of(id)));
    return;
  }
  const RotationOperator op = Basis::m2l_rotation(view_.degree, t, target_edge_of(id));
  Rotation& r = rotation_[id];
  view_.rotation[id] = {keep(r.cosine, op.cosine), keep(r.sine, op.sine), keep(r.blocks, op.blocks),
                        keep(r.shift, op.shift)};
}

template <class Real>
template <class Basis>
void Tables<Real>::build(int degree, bool rotation, bool reduced, int threads) {
  const int count = Basis::coefficient_count(degree);
  constexpr int line = 64 / static_cast<int>(sizeof(Real));
  view_ = {};
  view_.degree = degree;
  view_.coefficients = count;
  view_.stride = (count + line - 1) / line * line;
  view_.recurrence = keep(recurrence_, Basis::recurrence_table(degree));
  view_.recurrence_next = keep(recurrence_next_, Basis::recurrence_table(degree + 1));
  view_.m2m = keep(m2m_, Basis::m2m(degree));
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
  for (int id = 0; id < operator_count; ++id) {
    dense_[id].release();
    rotation_[id] = {};
  }
  const int needed = reduced ? operator_count : far_operator_count;
  for_each_index(needed, 1, threads, [&](std::int64_t id) { build_operator<Basis>(static_cast<int>(id), rotation); });
}

template <class Real>
std::int64_t Tables<Real>::held_bytes() const {
  std::int64_t numbers = recurrence_.size() + recurrence_next_.size() + m2m_.size();
  for (const Array<Real>& dense : dense_) numbers += dense.size();
  for (const Rotation& r : rotation_) numbers += r.cosine.size() + r.sine.size() + r.blocks.size() + r.shift.size();
  return numbers * static_cast<std::int64_t>(sizeof(Real));
}

template <class Real>
std::int64_t Tables<Real>::bytes(int degree, std::int64_t coefficients, bool rotation, bool reduced) {
  const std::int64_t d = degree + 1, operators = reduced ? operator_count : far_operator_count;
  const std::int64_t rotations = 2 * d + d * (2 * d + 1) * (2 * d - 1) / 3 + d * (d + 1) * (2 * d + 1) / 6;
  const std::int64_t numbers = operators * (rotation ? rotations : coefficients * coefficients) +
                               coefficients * coefficients + 64 * (coefficients + 2 * d + 1);
  return numbers * static_cast<std::int64_t>(sizeof(Real)) + 32 * coefficients * symmetry_count;
}

template class Tables<float>;
template class Tables<double>;
template void Tables<float>::build<LaplaceBasis>(int, bool, bool, int);
template void Tables<double>::build<LaplaceBasis>(int, bool, bool, int);
template void Tables<float>::build<OnesBasis>(int, bool, bool, int);
template void Tables<double>::build<OnesBasis>(int, bool, bool, int);

}  // namespace farfield::cpu
