// The host makes the sets one after another, as on the CPU; all numbers go to the device in one copy. Dense matrices of
// m2m and l2l are most of them: 2 (d+1)^4 a level.
#include <algorithm>
#include <cmath>

#include "backends/cuda/levels/tables.hpp"
#include "core/chunks.hpp"  // loops of the host
#include "expansions/basis.hpp"
#include "expansions/offsets.hpp"
#include "kernels/registry.hpp"

namespace farfield::cuda {
namespace {

/// What several tables hold, for one copy to the device. Pointers are offsets from null until the copies have places.
template <class Real>
struct Packed {
  std::vector<Real> numbers;
  std::vector<std::int32_t> places;

  const Real* keep(const std::vector<double>& values) {
    const std::size_t begin = numbers.size();
    numbers.insert(numbers.end(), values.begin(), values.end());
    return place_of<Real>(begin);
  }
  const std::int32_t* keep(const std::vector<std::int32_t>& values) {
    const std::size_t begin = places.size();
    places.insert(places.end(), values.begin(), values.end());
    return place_of<std::int32_t>(begin);
  }
  SparseView<Real> keep(const SparseMap& map) {
    return {map.rows, map.columns, keep(map.begin), keep(map.column), keep(map.value)};
  }
  /// Never null, which means that there is none.
  template <class T>
  static const T* place_of(std::size_t offset) {
    return reinterpret_cast<const T*>((offset + 1) * sizeof(T));
  }
  template <class T>
  static void move(const T*& pointer, const T* base) {
    if (pointer) pointer = base + (reinterpret_cast<std::uintptr_t>(pointer) / sizeof(T) - 1);
  }
  static void move(TablesView<Real>& view, const Real* numbers, const std::int32_t* places) {
    for (const Real** p : {&view.recurrence, &view.recurrence_next, &view.m2m.matrix, &view.l2l.matrix,
                           &view.rotation.cosine, &view.rotation.sine, &view.rotation.blocks, &view.rotation.shift})
      move(*p, numbers);
    for (int axis = 0; axis < 3; ++axis)
      for (SparseView<Real>* a : {&view.local_gradient[axis], &view.multipole_gradient[axis]}) {
        move(a->value, numbers);
        move(a->begin, places), move(a->column, places);
      }
  }
};

template <class Basis, class Real>
void keep_points(TablesView<Real>& view, double edge, Packed<Real>& packed) {
  view.recurrence = packed.keep(Basis::recurrence_table(view.degree, edge));
  view.recurrence_next = packed.keep(Basis::recurrence_table(view.degree + 1, edge));
  const auto local = Basis::local_gradient(view.degree, edge), multipole = Basis::multipole_gradient(view.degree, edge);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    view.local_gradient[axis] = packed.keep(local[axis]);
    view.multipole_gradient[axis] = packed.keep(multipole[axis]);
  }
}

/// The matrix of octant 7 with element (in, out) at [in * pitch + out], and its transpose for l2l.
template <class Basis, class Real>
void keep_m2m(TablesView<Real>& view, double edge, int threads, Packed<Real>& packed) {
  const auto count = static_cast<std::size_t>(view.coefficients), pitch = static_cast<std::size_t>(view.pitch);
  std::vector<double> matrix(count * count), down(count * pitch), up(count * pitch);
  const typename Basis::M2m m2m(view.degree, edge);
  farfield::for_each_index(view.degree + 1, 1, threads,
                           [&](std::int64_t k) { m2m.fill_columns(static_cast<int>(k), matrix.data()); });
  for (std::size_t in = 0; in < count; ++in)
    for (std::size_t out = 0; out < count; ++out) {
      up[in * pitch + out] = matrix[in * count + out];
      down[out * pitch + in] = Basis::l2l_scale * matrix[in * count + out];
    }
  view.m2m.matrix = packed.keep(up);
  view.l2l.matrix = packed.keep(down);
}

/// Turns are those of `alike`, another level's, where there is one.
template <class Basis, class Real>
void keep_rotations(TablesView<Real>& view, double edge, int operators, int threads, const TablesView<Real>* alike,
                    Packed<Real>& packed) {
  static_assert(Rotates<Basis>);
  const RotationSizes sizes = Basis::rotation_sizes(view.degree);
  const auto numbers = [&](int of_one) {
    return std::vector<double>(static_cast<std::size_t>(operators) * static_cast<std::size_t>(of_one));
  };
  std::vector<double> shift = numbers(sizes.shift), cosine, sine, blocks;
  if (!alike) cosine = sine = numbers(sizes.azimuth), blocks = numbers(sizes.blocks);
  const typename Basis::RotatedM2l m2l(view.degree, edge);
  farfield::for_each_index(operators, 1, threads, [&](std::int64_t id) {
    const OperatorOffset offset(id);
    if (alike) return m2l.fill_shift(offset.t, offset.target_edge, shift.data() + id * sizes.shift);
    m2l.fill(offset.t, offset.target_edge, cosine.data() + id * sizes.azimuth, sine.data() + id * sizes.azimuth,
             blocks.data() + id * sizes.blocks, shift.data() + id * sizes.shift);
  });
  RotationView<Real>& own = view.rotation;
  if (alike) {
    own = alike->rotation;
  } else {
    own.block_numbers = sizes.blocks, own.shift_numbers = sizes.shift;
    own.cosine = packed.keep(cosine), own.sine = packed.keep(sine), own.blocks = packed.keep(blocks);
  }
  own.shift = packed.keep(shift);
}

}  // namespace

template <class Real>
LevelTables<Real>::LevelTables(DeviceMemory& memory) {
  use_all(memory, on_device_, numbers_, places_);
}

template <class Real>
void LevelTables<Real>::release() {
  built_.clear(), host_.clear();
  on_device_.release(), numbers_.release(), places_.release();
}

/// Levels 0 and 1 have no far boxes, and expansions of boxes so large in the kernel's length that far pairs are below
/// the range of the precision are left out: all of these share one set without translations.
template <class Real>
template <class Basis>
void LevelTables<Real>::fill(const TablesView<Real>& shared, const Built& wanted, int threads, cudaStream_t stream) {
  Packed<Real> packed;
  TablesView<Real> none = shared;
  keep_points<Basis>(none, HUGE_VAL, packed);
  host_.assign(static_cast<std::size_t>(std::min(wanted.levels, 2)), none);
  const TablesView<Real>* alike = nullptr;
  TablesView<Real> first;
  for (int level = 2; level < wanted.levels; ++level) {
    const double edge = std::ldexp(wanted.root, -level);
    if (alike && wanted.root == 0) {  // the limit of no screening, the same at all levels
      host_.push_back(first);
      continue;
    }
    if (!(edge <= Basis::template largest_scale<Real>)) {
      host_.push_back(none);
      continue;
    }
    TablesView<Real> own = shared;
    keep_points<Basis>(own, edge, packed);
    if (2 * edge <= Basis::template largest_scale<Real>) keep_m2m<Basis>(own, edge, threads, packed);
    keep_rotations<Basis>(own, edge, wanted.reduced ? operator_count : far_operator_count, threads, alike, packed);
    host_.push_back(own);
    if (!alike) first = own, alike = &first;
  }
  upload(numbers_, packed.numbers.data(), static_cast<std::int64_t>(packed.numbers.size()), stream);
  upload(places_, packed.places.data(), static_cast<std::int64_t>(packed.places.size()), stream);
  for (TablesView<Real>& view : host_) packed.move(view, numbers_.data(), places_.data());
  upload(on_device_, host_.data(), static_cast<std::int64_t>(host_.size()), stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");  // the sources of the copies end here
}

template <class Real>
void LevelTables<Real>::build(Kernel kernel, const TablesView<Real>& shared, bool reduced, double root, int levels,
                              int threads, cudaStream_t stream) {
  const Built wanted{kernel, shared.degree, levels, reduced, root};
  if (!built_.empty() && built_.front() == wanted) return;
  built_.clear();
  with_device_kernel(kernel, [&](auto k) {
    using Basis = typename decltype(k)::Basis;
    if constexpr (!ScaleInvariant<Basis>) fill<Basis>(shared, wanted, threads, stream);
  });
  built_ = {wanted};
}

template <class Real>
std::int64_t LevelTables<Real>::bytes(int degree, std::int64_t coefficients, bool reduced) {
  constexpr std::int64_t levels = 32;  // boxes of 2^-30 of the extent hold points that all but coincide
  const std::int64_t operators = reduced ? operator_count : far_operator_count, d = degree + 1;
  const std::int64_t numbers = operators * most_rotation_numbers(degree) + 2 * coefficients * (coefficients + 31) +
                               64 * (coefficients + 2 * d + 1) + 2048;
  return levels * numbers * static_cast<std::int64_t>(sizeof(Real));
}

template class LevelTables<float>;
template class LevelTables<double>;

}  // namespace farfield::cuda
