// Fills TablesView from the generators of a basis. The host makes the canonical operators (41 at most); a kernel
// expands them by signed permutations to one matrix per offset (316, and 80 of the reduced stencil), so that the
// product multiplies without permuting.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "backends/cuda/far/tables/tables.hpp"
#include "backends/cuda/m2l/product.hpp"
#include "core/chunks.hpp"  // loops of the host
#include "expansions/fitted/fitted_m2l.hpp"
#include "expansions/laplace_basis.hpp"
#include "expansions/offsets.hpp"
#include "kernels/registry.hpp"
#include "tree/far.hpp"

namespace farfield::cuda {

template <class Real>
Tables<Real>::Tables(DeviceMemory& memory) : memory_(&memory) {
  use_all(memory, recurrence_, recurrence_next_, recurrence_after_, cosine_, sine_, blocks_, shift_, sign_, index_);
  for (Set* set : {&m2m_, &l2l_, &far_, &parent_}) use_all(memory, set->matrix, set->link);
  for (int axis = 0; axis < 3; ++axis)
    for (Sparse* sparse : {&local_gradient_[axis], &multipole_gradient_[axis], &gradient_of_gradient_[axis]})
      use_all(memory, sparse->begin, sparse->column, sparse->value);
}

template <class Real>
const Real* Tables<Real>::keep(DeviceArray<Real>& array, const std::vector<double>& values) {
  const std::vector<Real> rounded(values.begin(), values.end());
  upload(array, rounded.data(), static_cast<std::int64_t>(rounded.size()), stream_);
  return array.data();
}

template <class Real>
SparseView<Real> Tables<Real>::keep(Sparse& sparse, const SparseMap& map) {
  upload(sparse.begin, map.begin.data(), static_cast<std::int64_t>(map.begin.size()), stream_);
  upload(sparse.column, map.column.data(), static_cast<std::int64_t>(map.column.size()), stream_);
  return {map.rows, map.columns, sparse.begin.data(), sparse.column.data(), keep(sparse.value, map.value)};
}

template <class Real>
template <class Basis>
void Tables<Real>::keep_symmetries() {
  std::vector<std::int32_t> index;
  std::vector<double> sign;
  for (int id = 0; id < symmetry_count; ++id) {
    const Symmetry symmetry = Basis::symmetry(view_.degree, id);
    index.insert(index.end(), symmetry.index.begin(), symmetry.index.end());
    sign.insert(sign.end(), symmetry.sign.begin(), symmetry.sign.end());
  }
  upload(index_, index.data(), static_cast<std::int64_t>(index.size()), stream_);
  view_.rotation.index = index_.data();
  view_.rotation.sign = keep(sign_, sign);
}

template <class Real>
__global__ void expand_kernel(const Real* canonical, const std::int32_t* list, const std::int32_t* index,
                              const Real* sign, int count, int stride, int pitch, bool transposed, Real* matrices) {
  const std::int32_t source = list[2 * blockIdx.y], symmetry = list[2 * blockIdx.y + 1];
  const Real* from = canonical + static_cast<std::int64_t>(source) * count * count;
  const std::int32_t* at = index + symmetry * count;
  const Real* signs = sign + symmetry * count;
  Real* to = matrices + static_cast<std::int64_t>(blockIdx.y) * stride * pitch;
  const int first = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
            step = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = first; i < stride * pitch; i += step) {
    const int in = i / pitch, out = i % pitch;
    Real value = 0;
    if (in < count && out < count) {
      const std::int64_t a = at[in], b = at[out];  // element (out, in) of K at [in * count + out]
      value = signs[in] * signs[out] * from[transposed ? b * count + a : a * count + b];
    }
    to[i] = value;
  }
}

template <class Real>
void Tables<Real>::expand(Set& set, const std::vector<double>& canonical, const std::vector<Expansion>& list,
                          bool transposed, double scale) {
  std::vector<double> scaled(canonical);
  for (double& value : scaled) value *= scale;
  DeviceArray<Real> small;
  DeviceArray<std::int32_t> pairs;
  if (memory_) use_all(*memory_, small, pairs);
  keep(small, scaled);
  upload(pairs, &list.data()->source, static_cast<std::int64_t>(2 * list.size()), stream_);
  set.matrix.resize(static_cast<std::int64_t>(list.size()) * view_.stride * view_.pitch);
  const int blocks = std::min(256, (view_.stride * view_.pitch + 255) / 256);
  expand_kernel<<<dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(list.size())), 256, 0, stream_>>>(
      small.data(), pairs.data(), index_.data(), sign_.data(), view_.coefficients, view_.stride, view_.pitch,
      transposed, set.matrix.data());
  require_launch("expand_kernel");
}

template <class Real>
void Tables<Real>::link(Set& set, Operators<Real>& operators, const std::vector<std::vector<Link>>& classes) {
  std::vector<Link> all;
  for (int c = 0; c < 8; ++c) {
    operators.begin[c] = static_cast<int>(all.size());
    const std::vector<Link>& of = classes[static_cast<std::size_t>(c) % classes.size()];
    all.insert(all.end(), of.begin(), of.end());
  }
  operators.begin[8] = static_cast<int>(all.size());
  upload(set.link, all.data(), static_cast<std::int64_t>(all.size()), stream_);
  operators.matrix = set.matrix.data();
  operators.link = set.link.data();
}

/// Calls f(slot of the parent's colleague, octant of its child, displacement of target minus source in box edges) for
/// the far list of a child in octant `target` of a full tree.
template <class F>
static void for_each_cousin(int target, bool reduced, F&& f) {
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        unsigned mask = ~touching_children({x, y, z}, target) & 0xffu;
        if (reduced) mask &= ~children_for_parent({x, y, z});
        for (int o = 0; o < 8; ++o)
          if (mask >> o & 1) f(colleague_slot(x, y, z), o, from_cousin(target, o, {x, y, z}));
      }
}

/// The links of the far list by octant, or those of the reduced stencil's parents. The k-th distinct offset has matrix
/// k; `offsets` holds the operator and the symmetry that make matrix k.
struct FarLinks {
  std::vector<std::vector<Link>> classes = std::vector<std::vector<Link>>(8);
  std::vector<FarOffset> offsets;

  void add(int c, int slot, int octant, int matrix) {
    classes[static_cast<std::size_t>(c)].push_back(
        {static_cast<std::int16_t>(slot), static_cast<std::int16_t>(octant), matrix});
  }
};

static FarLinks cousins(bool reduced) {
  FarLinks links;
  int known[7][7][7];
  std::fill(&known[0][0][0], &known[0][0][0] + 343, -1);
  for (int c = 0; c < 8; ++c)
    for_each_cousin(c, reduced, [&](int slot, int octant, BoxOffset d) {
      int& id = known[d.z + 3][d.y + 3][d.x + 3];
      if (id < 0) {
        id = static_cast<int>(links.offsets.size());
        links.offsets.push_back(far_offset(d.x, d.y, d.z));
      }
      links.add(c, slot, octant, id);
    });
  return links;
}

static FarLinks children_of_colleagues() {
  FarLinks links;
  links.classes.resize(1);
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        for (int o = 0; o < 8; ++o) {
          if (!(children_for_parent({x, y, z}) >> o & 1)) continue;
          links.add(0, colleague_slot(x, y, z), o, static_cast<int>(links.offsets.size()));
          links.offsets.push_back(
              parent_offset(from_nephew(o & 1, x), from_nephew(o >> 1 & 1, y), from_nephew(o >> 2, z)));
        }
  return links;
}

template <class Real>
void Tables<Real>::link_far(const std::vector<double>& canonical, bool rotation, bool parents, bool reduced) {
  FarLinks links = parents ? children_of_colleagues() : cousins(reduced);
  Set& set = parents ? parent_ : far_;
  if (rotation) {  // the operator and its symmetry instead of a matrix
    for (std::vector<Link>& of : links.classes)
      for (Link& l : of) {
        const FarOffset& offset = links.offsets[static_cast<std::size_t>(l.matrix)];
        l.matrix = offset.op * symmetry_count + offset.symmetry;
      }
  } else {
    std::vector<Expansion> list;
    for (const FarOffset& offset : links.offsets) list.push_back({offset.op, offset.symmetry});
    expand(set, canonical, list, false, 1);
  }
  link(set, parents ? view_.parent : view_.far, links.classes);
}

template <class M2l, class... Scale>
std::vector<double> canonical_matrices(int degree, int coefficients, int operators, int threads, Scale... scale) {
  const auto count = static_cast<std::size_t>(coefficients), numbers = count * count;
  std::vector<double> canonical(numbers * static_cast<std::size_t>(operators));
  const M2l m2l(degree, scale...);
  farfield::for_each_index(operators, 1, threads, [&](std::int64_t id) {
    const OperatorOffset offset(id);
    m2l.fill(offset.t, offset.target_edge, canonical.data() + numbers * static_cast<std::size_t>(id));
  });
  return canonical;
}
template std::vector<double> canonical_matrices<LaplaceBasis::DenseM2l>(int, int, int, int);

template <class Real>
template <class Basis, class... Scale>
void Tables<Real>::keep_rotations(int operators, int threads, Scale... scale) {
  static_assert(Rotates<Basis>);
  const RotationSizes sizes = Basis::rotation_sizes(view_.degree);
  const auto numbers = [&](int of_one) {
    return std::vector<double>(static_cast<std::size_t>(operators) * static_cast<std::size_t>(of_one));
  };
  std::vector<double> cosine = numbers(sizes.azimuth), sine = numbers(sizes.azimuth), blocks = numbers(sizes.blocks),
                      shift = numbers(sizes.shift);
  const typename Basis::RotatedM2l m2l(view_.degree, scale...);
  farfield::for_each_index(operators, 1, threads, [&](std::int64_t id) {
    const OperatorOffset offset(id);
    m2l.fill(offset.t, offset.target_edge, cosine.data() + id * sizes.azimuth, sine.data() + id * sizes.azimuth,
             blocks.data() + id * sizes.blocks, shift.data() + id * sizes.shift);
  });
  RotationView<Real>& view = view_.rotation;
  view.block_numbers = sizes.blocks;
  view.shift_numbers = sizes.shift;
  view.cosine = keep(cosine_, cosine);
  view.sine = keep(sine_, sine);
  view.blocks = keep(blocks_, blocks);
  view.shift = keep(shift_, shift);
}

/// What p2m, p2l, l2p and m2p need.
template <class Real>
template <class Basis, class... Scale>
void Tables<Real>::fill_points(Scale... scale) {
  const int degree = view_.degree;
  view_.recurrence = keep(recurrence_, Basis::recurrence_table(degree, scale...));
  view_.recurrence_next = keep(recurrence_next_, Basis::recurrence_table(degree + 1, scale...));
  const auto local = Basis::local_gradient(degree, scale...), multipole = Basis::multipole_gradient(degree, scale...);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    view_.local_gradient[axis] = keep(local_gradient_[axis], local[axis]);
    view_.multipole_gradient[axis] = keep(multipole_gradient_[axis], multipole[axis]);
  }
  if constexpr (ScaleInvariant<Basis>) fill_second_derivatives<Basis>();
}

/// What Hessians need, too, of families whose kernels offer them.
template <class Real>
template <class Basis>
void Tables<Real>::fill_second_derivatives() {
  view_.recurrence_after = keep(recurrence_after_, Basis::recurrence_table(view_.degree + 2));
  const auto again = Basis::multipole_gradient(view_.degree + 1);
  for (std::size_t axis = 0; axis < 3; ++axis)
    view_.gradient_of_gradient[axis] = keep(gradient_of_gradient_[axis], again[axis]);
}

/// m2m and l2l.
template <class Real>
template <class Basis, class... Scale>
void Tables<Real>::fill_shifts(Scale... scale) {
  std::vector<Expansion> octants;
  std::vector<Link> children;
  std::vector<std::vector<Link>> parents(8);
  for (int o = 0; o < 8; ++o) {
    octants.push_back({0, ~o & 7});  // the canonical matrix is octant 7's
    children.push_back({0, static_cast<std::int16_t>(o), o});
    parents[static_cast<std::size_t>(o)].push_back({0, 0, o});
  }
  const std::vector<double> shift = Basis::m2m(view_.degree, scale...);
  expand(m2m_, shift, octants, false, 1);
  link(m2m_, view_.m2m, {children});
  expand(l2l_, shift, octants, true, Basis::l2l_scale);
  link(l2l_, view_.l2l, parents);
}

/// m2l.
template <class Real>
template <class Basis, class... Scale>
void Tables<Real>::fill_far(const M2lScheme& m2l, int threads, Scale... scale) {
  const int operators = m2l.reduced ? operator_count : far_operator_count;
  const auto dense = [&] {
    if constexpr (std::same_as<Basis, LaplaceBasis>)
      if (m2l.fit != Fit::none)
        return canonical_matrices<laplace::FittedM2l>(view_.degree, view_.coefficients, operators, threads, m2l.fit);
    return canonical_matrices<typename Basis::DenseM2l>(view_.degree, view_.coefficients, operators, threads, scale...);
  };
  std::vector<double> canonical;
  if (m2l.rotation)
    keep_rotations<Basis>(operators, threads, scale...);
  else
    canonical = dense();
  link_far(canonical, m2l.rotation, false, m2l.reduced);
  if (m2l.reduced) link_far(canonical, m2l.rotation, true, m2l.reduced);
}

template <class Real>
template <class Basis, class... Scale>
void Tables<Real>::build_for(int degree, const M2lScheme& m2l, cudaStream_t stream, int threads, Scale... scale) {
  const double edge = (0.0 + ... + scale);
  if (degree == degree_ && m2l == scheme_ && edge == edge_) return;
  degree_ = -1;
  stream_ = stream;
  static_assert(Reflects<Basis>);
  const int count = Basis::coefficient_count(degree);
  view_ = {};
  view_.degree = degree;
  view_.fit = m2l.fit;
  view_.coefficients = count;
  view_.stride = stride_of<Real>(count);
  view_.pitch = (count + product_columns - 1) / product_columns * product_columns;
  if constexpr (!InPlane<Basis>) {  // others: planar/tables.hpp
    static_assert(std::same_as<typename Basis::Shape, SolidShape>, "octants, m2l by rotation and judge know no other");
    keep_symmetries<Basis>();
    for (Set* set : {&far_, &parent_}) set->matrix.release();
    for (DeviceArray<Real>* a : {&blocks_, &shift_}) a->release();
    if constexpr (ScaleInvariant<Basis> || sizeof...(Scale) > 0) {  // else what all levels share
      fill_points<Basis>(scale...);
      if (!std::isinf(edge)) {
        bool shifts = true;
        if constexpr (sizeof...(Scale) > 0) shifts = 2 * edge <= Basis::template largest_scale<Real>;
        if (shifts) fill_shifts<Basis>(scale...);
        if (m2l.translates) fill_far<Basis>(m2l, threads, scale...);
      }
    }
    require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");  // the sources of the copies end here
  }
  degree_ = degree;
  scheme_ = m2l;
  edge_ = edge;
}

template <class Real>
void Tables<Real>::build(Kernel kernel, int degree, const M2lScheme& m2l, cudaStream_t stream, int threads) {
  with_device_kernel(kernel, [&](auto k) {
    build_for<typename decltype(k)::Basis>(expansion_degree(kernel, degree), m2l, stream, threads);
  });
}

template <class Real>
void Tables<Real>::build_level(Kernel kernel, int degree, const M2lScheme& m2l, double edge, cudaStream_t stream,
                               int threads) {
  with_device_kernel(kernel, [&](auto k) {
    using Basis = typename decltype(k)::Basis;
    if constexpr (!ScaleInvariant<Basis>) {
      const bool present = edge <= Basis::template largest_scale<Real>;
      build_for<Basis>(degree, m2l, stream, threads, present ? edge : HUGE_VAL);
    }
  });
}

template <class Real>
std::int64_t Tables<Real>::held_bytes() const {
  return degree_ < 0 ? 0 : bytes(degree_, view_.coefficients, scheme_.rotation, scheme_.reduced);
}

template <class Real>
std::int64_t Tables<Real>::bytes(int degree, std::int64_t coefficients, bool rotation, bool reduced) {
  const std::int64_t d = degree + 1, operators = reduced ? operator_count : far_operator_count;
  const std::int64_t matrix = (coefficients + 15) * (coefficients + 31);
  const std::int64_t numbers =
      (rotation ? operators * most_rotation_numbers(degree) : (316 + (reduced ? 80 : 0) + operators) * matrix) +
      18 * matrix + 64 * (coefficients + 2 * d + 1);
  return numbers * static_cast<std::int64_t>(sizeof(Real)) + 32 * coefficients * symmetry_count;
}

template class Tables<float>;
template class Tables<double>;

}  // namespace farfield::cuda
