// m2l by rotation: L = Z^T Y^T C Y Z M (Gumerov & Duraiswami 2008, section 2.2.2), where Z turns the offset into the
// x-z plane, Y onto the z axis and C translates along it. 2 d^3 + 4 d^2 multiply-adds per translation against (d+1)^4.
// A block holds a few targets of one class and goes through their links; threads are rows of the factors, and every
// number of an operator is read once for all targets of the block.
#include "backends/cuda/levels/stages.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"
#include "expansions/solid_shape.hpp"

namespace farfield::cuda {

static constexpr int threads = tuning::rotation_threads;

/// Which rows a kernel serves: classes of levels >= 2, or of level `first` alone, or (parents) boxes first ... last
/// that are no leaves.
struct RotationRows {
  bool parents;
  BoxId first, last;
};

/// Degree and order of coefficient `row`.
struct Row {
  int n, m;
  __device__ explicit Row(int row) : n(SolidShape::degree_of(row)), m(row - SolidShape::index(n, 0)) {}
};

/// Where the factors of Y for degree n begin: a block of (n + 1)^2 for the cosines, then one of n^2 for the sines.
__device__ inline std::int64_t turn_offset(int n, bool sine) {
  const std::int64_t k = n, before = (k - 1) * k * (2 * k - 1) / 3 + k * k;
  return sine ? before + (k + 1) * (k + 1) : before;
}
__device__ inline std::int64_t shift_offset(int degree, int m) {  // sum over k < m of (degree + 1 - k)^2
  const std::int64_t d = degree + 1, e = d - m;
  return d * (d + 1) * (2 * d + 1) / 6 - e * (e + 1) * (2 * e + 1) / 6;
}

template <class Real, int tile>
struct Turner {
  const TablesView<Real>& tables;
  const Real *cosine, *sine, *blocks, *shift;

  __device__ void about_z(Real* x, Real direction) const {
    for (int r = static_cast<int>(threadIdx.x); r < tables.coefficients; r += threads) {
      const Row row(r);
      if (row.m <= 0) continue;
      const Real c = cosine[row.m], s = direction * sine[row.m];
      Real *plus = x + r * tile, *minus = x + (r - 2 * row.m) * tile;
#pragma unroll
      for (int t = 0; t < tile; ++t) {
        const Real a = plus[t], b = minus[t];
        plus[t] = c * a + s * b;
        minus[t] = c * b - s * a;
      }
    }
  }

  __device__ void about_y(const Real* in, Real* out, bool back) const {
    for (int r = static_cast<int>(threadIdx.x); r < tables.coefficients; r += threads) {
      const Row row(r);
      const bool sines = row.m < 0;
      const int size = sines ? row.n : row.n + 1, i = sines ? -row.m - 1 : row.m, step = sines ? -1 : 1;
      const Real* from = in + SolidShape::index(row.n, sines ? -1 : 0) * tile;
      const Real* factor = blocks + turn_offset(row.n, sines) + (back ? i : i * size);
      multiply(factor, back ? size : 1, size, from, step * tile, out + r * tile);
    }
  }

  __device__ void along_z(const Real* in, Real* out) const {
    for (int r = static_cast<int>(threadIdx.x); r < tables.coefficients; r += threads) {
      const Row row(r);
      const int m = row.m < 0 ? -row.m : row.m, size = tables.degree + 1 - m;
      const Real* factor = shift + shift_offset(tables.degree, m) + (row.n - m) * size;
      Real sum[tile] = {};
      for (int j = 0; j < size; ++j) add(factor[j], in + SolidShape::index(m + j, row.m) * tile, sum);
      put(sum, out + r * tile);
    }
  }

 private:
  __device__ static void add(Real factor, const Real* x, Real (&sum)[tile]) {
#pragma unroll
    for (int t = 0; t < tile; ++t) sum[t] += factor * x[t];
  }
  __device__ static void put(const Real (&sum)[tile], Real* out) {
#pragma unroll
    for (int t = 0; t < tile; ++t) out[t] = sum[t];
  }
  __device__ static void multiply(const Real* factor, int step, int size, const Real* in, int stride, Real* out) {
    Real sum[tile] = {};
    for (int j = 0; j < size; ++j) add(factor[j * step], in + j * stride, sum);
    put(sum, out);
  }
};

template <class Real, int tile, bool one_level>
__global__ void __launch_bounds__(threads) rotation_kernel(Work<Real> work, RotationRows rows) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ BoxId box[tile], source[tile];
  const TreeView& tree = work.tree;
  const TablesView<Real>& tables = work.tables;
  const int count = tables.coefficients, thread = static_cast<int>(threadIdx.x);
  Real* a = reinterpret_cast<Real*>(shared);
  Real* b = a + count * tile;

  int c = 0, begin = 0, valid = 0;
  if (rows.parents) {
    begin = rows.first + static_cast<int>(blockIdx.x) * tile;
    valid = rows.last - begin;
  } else {
    int left = static_cast<int>(blockIdx.x);
    for (c = 0; c < 8; ++c) {
      const std::int32_t* level = work.classes.begin + c * (work.classes.levels + 1);
      const int first = level[one_level ? rows.first : 2], last = level[one_level ? rows.last : work.classes.levels],
                tiles = (last - first + tile - 1) / tile;
      if (left < tiles) {
        begin = first + left * tile;
        valid = last - begin;
        break;
      }
      left -= tiles;
    }
  }
  if (valid <= 0) return;
  if (thread < tile) {
    BoxId own = no_box;
    if (thread < valid) own = rows.parents ? begin + thread : work.classes.box[begin + thread];
    if (own != no_box && rows.parents && (tree.is_leaf(own) || tree.target_count(own) == 0)) own = no_box;
    box[thread] = own;
  }
  __syncthreads();

  const Operators<Real>& operators = rows.parents ? tables.parent : tables.far;
  for (int l = operators.begin[c]; l < operators.begin[c + 1]; ++l) {
    const Link link = operators.link[l];
    BoxId found = no_box;
    if (thread < tile) {
      if (box[thread] != no_box) {
        const BoxId centre = rows.parents ? box[thread] : tree.parent[box[thread]];
        const BoxId colleague = tree.colleague[static_cast<std::int64_t>(centre) * colleagues_per_box + link.slot];
        if (colleague != no_box) found = tree.child(colleague, link.octant);
      }
      source[thread] = found;
    }
    if (!__syncthreads_or(found != no_box)) continue;
    const int op = link.matrix / symmetry_count, symmetry = link.matrix % symmetry_count;
    const RotationView<Real>& r = tables.rotation;
    const std::int32_t* index = r.index + symmetry * count;
    const Real* sign = r.sign + symmetry * count;
    const Turner<Real, tile> turn{tables, r.cosine + op * (tables.degree + 1), r.sine + op * (tables.degree + 1),
                                  r.blocks + op * r.block_numbers, r.shift + op * r.shift_numbers};
    for (int i = thread; i < count * tile; i += threads) {
      const int t = i / count, j = i % count;
      a[index[j] * tile + t] = source[t] == no_box
                                   ? Real(0)
                                   : sign[j] * work.multipole[static_cast<std::int64_t>(source[t]) * tables.stride + j];
    }
    __syncthreads();
    turn.about_z(a, 1);
    __syncthreads();
    turn.about_y(a, b, false);
    __syncthreads();
    turn.along_z(b, a);
    __syncthreads();
    turn.about_y(a, b, true);
    __syncthreads();
    turn.about_z(b, -1);
    __syncthreads();
    for (int i = thread; i < count * tile; i += threads) {
      const int t = i / count, j = i % count;
      if (source[t] != no_box)
        work.local[static_cast<std::int64_t>(box[t]) * tables.stride + j] += sign[j] * b[index[j] * tile + t];
    }
    __syncthreads();
  }
}

template <class Real, int tile, bool one_level>
static bool launch(const Work<Real>& work, const RotationRows& rows, std::int64_t boxes) {
  const std::size_t bytes = sizeof(Real) * 2 * static_cast<std::size_t>(work.tables.coefficients) * tile;
  if (bytes > static_cast<std::size_t>(device_limits().shared_bytes) - 1024) return false;
  const auto blocks = static_cast<unsigned>((boxes + tile - 1) / tile + (rows.parents ? 0 : 8));
  launch_kernel("m2l by rotation", rotation_kernel<Real, tile, one_level>, {blocks, threads, bytes}, work.stream, work,
                rows);
  return true;
}

template <class Real, bool one_level = false>
static void run(const Work<Real>& work, const RotationRows& rows, std::int64_t boxes) {
  if (boxes <= 0) return;
  if (launch<Real, 8, one_level>(work, rows, boxes) || launch<Real, 4, one_level>(work, rows, boxes) ||
      launch<Real, 1, one_level>(work, rows, boxes))
    return;
  throw Error(ErrorCode::device, "this degree's expansions exceed the device's shared memory; use a lower degree");
}

template <class Real>
void m2l_of_parents_by_rotation(const Work<Real>& work) {
  const TreeView& tree = work.tree;
  const BoxId first = tree.level_begin[1], last = tree.level_begin[tree.levels - 1];
  run(work, {true, first, last}, std::int64_t(last) - first);
}

template <class Real>
void m2l_by_rotation(const Work<Real>& work) {
  run(work, {false, 0, 0}, std::int64_t(work.tree.boxes) - work.tree.level_begin[2]);
  if (work.reduced) m2l_of_parents_by_rotation(work);
}

template <class Real>
void m2l_of_level_by_rotation(const Work<Real>& work, int level) {
  const BoxId* begin = work.tree.level_begin + level;
  run<Real, true>(work, {false, level, level + 1}, std::int64_t(begin[1]) - begin[0]);
}

template <class Real>
void m2l_of_parents_of_level_by_rotation(const Work<Real>& work, int level) {
  const BoxId* begin = work.tree.level_begin + level;
  run(work, {true, begin[0], begin[1]}, std::int64_t(begin[1]) - begin[0]);
}

template void m2l_by_rotation<float>(const Work<float>&);
template void m2l_by_rotation<double>(const Work<double>&);
template void m2l_of_parents_by_rotation<double>(const Work<double>&);
template void m2l_of_level_by_rotation<float>(const Work<float>&, int);
template void m2l_of_level_by_rotation<double>(const Work<double>&, int);
template void m2l_of_parents_of_level_by_rotation<float>(const Work<float>&, int);
template void m2l_of_parents_of_level_by_rotation<double>(const Work<double>&, int);

}  // namespace farfield::cuda
