// Fills TablesView from the generators of a basis. Dense operators dominate: 34 (d+1)^4 numbers.
#include "backends/cpu/far/tables.hpp"

#include <cmath>

#include "core/chunks.hpp"
#include "expansions/offsets.hpp"
#include "expansions/solid_shape.hpp"
#include "kernels/registry.hpp"

namespace farfield::cpu {

template <class Real>
const Real* LevelTables<Real>::keep(Array<Real>& array, const std::vector<double>& values) {
  array.resize(static_cast<std::int64_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) array[static_cast<std::int64_t>(i)] = static_cast<Real>(values[i]);
  return array.data();
}

template <class Real>
SparseView<Real> LevelTables<Real>::keep(Sparse& sparse, const SparseMap& map) {
  sparse.begin.resize(static_cast<std::int64_t>(map.begin.size()));
  sparse.column.resize(static_cast<std::int64_t>(map.column.size()));
  std::copy(map.begin.begin(), map.begin.end(), sparse.begin.begin());
  std::copy(map.column.begin(), map.column.end(), sparse.column.begin());
  return {map.rows, map.columns, sparse.begin.data(), sparse.column.data(), keep(sparse.value, map.value)};
}

template <class Real>
template <class Basis, class... Scale>
void LevelTables<Real>::build_dense(int operators, int threads, Scale... scale) {
  const typename Basis::DenseM2l m2l(view_.degree, scale...);
  for_each_index(operators, 1, threads, [&](std::int64_t id) {
    const OperatorOffset offset(id);
    dense_[id].resize(std::int64_t(view_.coefficients) * view_.coefficients);
    m2l.fill(offset.t, offset.target_edge, dense_[id].data());
    view_.dense[id] = dense_[id].data();
  });
}

template <class Real>
template <class Basis, class... Scale>
void LevelTables<Real>::build_rotations(int operators, int threads, [[maybe_unused]] const LevelTables* alike,
                                        Scale... scale) {
  const typename Basis::RotatedM2l m2l(view_.degree, scale...);
  const RotationSizes sizes = Basis::rotation_sizes(view_.degree);
  for_each_index(operators, 1, threads, [&](std::int64_t id) {
    const OperatorOffset offset(id);
    Rotation& r = rotation_[id];
    r.shift.resize(sizes.shift);
    if constexpr (sizeof...(Scale) > 0)
      if (alike) {
        m2l.fill_shift(offset.t, offset.target_edge, r.shift.data());
        view_.rotation[id] = alike->view_.rotation[id];
        view_.rotation[id].shift = r.shift.data();
        return;
      }
    for (Array<Real>* azimuth : {&r.cosine, &r.sine}) azimuth->resize(sizes.azimuth);
    r.blocks.resize(sizes.blocks);
    m2l.fill(offset.t, offset.target_edge, r.cosine.data(), r.sine.data(), r.blocks.data(), r.shift.data());
    view_.rotation[id] = {r.cosine.data(), r.sine.data(), r.blocks.data(), r.shift.data()};
  });
}

template <class Real>
template <class Basis>
void LevelTables<Real>::build_factors(int operators) {
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
template <class Basis, class... Scale>
void LevelTables<Real>::build_m2m(int threads, Scale... scale) {
  const typename Basis::M2m m2m(view_.degree, scale...);
  m2m_.resize(std::int64_t(view_.coefficients) * view_.coefficients);
  for_each_index(view_.degree + 1, 1, threads,
                 [&](std::int64_t k) { m2m.fill_columns(static_cast<int>(k), m2m_.data()); });
  view_.m2m = m2m_.data();
}

template <class Real>
template <class Basis>
void LevelTables<Real>::build_symmetries() {
  static_assert(Reflects<Basis>);
  for (int id = 0; id < symmetry_count; ++id) {
    const Symmetry symmetry = Basis::symmetry(view_.degree, id);
    index_[id].resize(view_.coefficients);
    std::copy(symmetry.index.begin(), symmetry.index.end(), index_[id].begin());
    const std::vector<double> sign(symmetry.sign.begin(), symmetry.sign.end());
    view_.symmetry[id] = {index_[id].data(), keep(sign_[id], sign)};
  }
}

/// What p2m, p2l, l2p and m2p need.
template <class Real>
template <class Basis, class... Scale>
void LevelTables<Real>::build_points(Scale... scale) {
  view_.recurrence = keep(recurrence_, Basis::recurrence_table(view_.degree, scale...));
  view_.recurrence_next = keep(recurrence_next_, Basis::recurrence_table(view_.degree + 1, scale...));
  const auto local = Basis::local_gradient(view_.degree, scale...),
             multipole = Basis::multipole_gradient(view_.degree, scale...);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    view_.local_gradient[axis] = keep(local_gradient_[axis], local[axis]);
    view_.multipole_gradient[axis] = keep(multipole_gradient_[axis], multipole[axis]);
  }
  if constexpr (ScaleInvariant<Basis>) {  // kernels with a length have no Hessian
    view_.recurrence_after = keep(recurrence_after_, Basis::recurrence_table(view_.degree + 2));
    const auto again = Basis::multipole_gradient(view_.degree + 1);
    for (std::size_t axis = 0; axis < 3; ++axis)
      view_.gradient_of_gradient[axis] = keep(gradient_of_gradient_[axis], again[axis]);
  }
}

template <class Real>
template <class Basis, class... Scale>
void LevelTables<Real>::build(int degree, const M2lScheme& m2l, int threads, const LevelTables* alike, Scale... scale) {
  view_ = {};
  view_.degree = degree;
  view_.coefficients = Basis::coefficient_count(degree);
  view_.stride = stride_of<Real>(view_.coefficients);
  build_symmetries<Basis>();
  build_points<Basis>(scale...);
  view_.l2l_scale = static_cast<Real>(Basis::l2l_scale);
  if constexpr (sizeof...(Scale) > 0) {
    const double edge = (scale, ...);
    if (std::isinf(edge)) return;
    if (2 * edge <= Basis::template largest_scale<Real>) build_m2m<Basis>(threads, scale...);
  } else {
    build_m2m<Basis>(threads);
  }
  if (!m2l.translates) return;
  const int operators = m2l.reduced ? operator_count : far_operator_count;
  if constexpr (Rotates<Basis>)
    if (m2l.rotation) return build_rotations<Basis>(operators, threads, alike, scale...);
  if constexpr (Factors<Basis>)
    build_factors<Basis>(operators);
  else
    build_dense<Basis>(operators, threads, scale...);
}

template <class Real>
std::int64_t LevelTables<Real>::held_bytes() const {
  std::int64_t numbers =
      recurrence_.size() + recurrence_next_.size() + recurrence_after_.size() + m2m_.size() + shared_factor_.size();
  for (const Array<Real>& dense : dense_) numbers += dense.size();
  for (const Array<Real>& factors : factors_) numbers += factors.size();
  for (const Rotation& r : rotation_) numbers += r.cosine.size() + r.sine.size() + r.blocks.size() + r.shift.size();
  return numbers * static_cast<std::int64_t>(sizeof(Real));
}

/// Levels 0 and 1 have no far boxes, though a treecode may accept them, and expansions of boxes so large in the
/// kernel's length that far pairs are below the range of the precision are left out: all of these share one set without
/// translations.
template <class Real>
template <class Basis>
void Tables<Real>::build_levels(int degree, const M2lScheme& m2l, int threads, const TableScale& scale) {
  const auto add = [&]() -> LevelTables<Real>& { return *levels_.emplace_back(std::make_unique<LevelTables<Real>>()); };
  if constexpr (ScaleInvariant<Basis>) {
    add().template build<Basis>(degree, m2l, threads, nullptr);
  } else {
    add().template build<Basis>(degree, m2l, threads, nullptr, HUGE_VAL);
    const int first = m2l.translates ? 2 : 0;
    for (int level = 0; level < scale.levels; ++level) {
      const double edge = std::ldexp(scale.root, -level);
      if (level > first && scale.root == 0) {  // the limit of no screening, the same at all levels
        views_.push_back(views_.back());
      } else if (level >= first && edge <= Basis::template largest_scale<Real>) {
        const LevelTables<Real>* alike = levels_.size() > 1 ? levels_[1].get() : nullptr;
        add().template build<Basis>(degree, m2l, threads, alike, edge);
        views_.push_back(levels_.back()->view());
      } else {
        views_.push_back(levels_.front()->view());
      }
    }
  }
}

template <class Real>
void Tables<Real>::build(Kernel kernel, int degree, bool rotation, bool reduced, int threads, bool translates,
                         const TableScale& scale) {
  with_kernel(kernel, [&](auto k) {
    build_levels<typename decltype(k)::Basis>(expansion_degree(kernel, degree), {rotation, reduced, translates},
                                              threads, scale);
  });
}

template <class Real>
std::int64_t Tables<Real>::held_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& level : levels_) bytes += level->held_bytes();
  return bytes;
}

template <class Real>
std::int64_t Tables<Real>::bytes(int degree, std::int64_t coefficients, bool rotation, bool reduced, int levels) {
  const std::int64_t d = degree + 1, operators = reduced ? operator_count : far_operator_count;
  const std::int64_t numbers = operators * (rotation ? most_rotation_numbers(degree) : coefficients * coefficients) +
                               coefficients * coefficients + 64 * (coefficients + 2 * d + 1);
  return levels * (numbers * static_cast<std::int64_t>(sizeof(Real)) + 32 * coefficients * symmetry_count);
}

template class Tables<float>;
template class Tables<double>;

}  // namespace farfield::cpu
