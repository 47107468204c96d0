#include <algorithm>

#include "backends/cuda/periodic/field.hpp"
#include "backends/cuda/runtime/block_sum.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "expansions/periodic/convolution_sums.hpp"

namespace farfield::cuda {
namespace {

using convolution::Complex, convolution::Order, convolution::orders;
constexpr int field_threads = 128;
constexpr int most_groups = 8;  // of source blocks, so that few blocks keep all multiprocessors busy

/// visit(i, n, m) for the coefficients m >= 0, by the threads of a block.
template <class Visit>
__device__ void for_each_order(int degree, const Visit& visit) {
  for (int i = static_cast<int>(threadIdx.x); i < orders(degree); i += field_threads) {
    const Order at(i);
    visit(i, at.n, at.m);
  }
}

/// m2m; a block of threads for each block.
__global__ void __launch_bounds__(field_threads) to_root(FieldView f) {
  const std::int64_t first = std::int64_t(blockIdx.x) * f.count;
  double* const scaled = f.scaled + 2 * first;
  for_each_order(f.degree, [&](int, int n, int m) {
    convolution::set_both(scaled, n, m, convolution::scaled(f.multipole + first, f.roots, n, m));
  });
  __syncthreads();
  for_each_order(f.degree, [&](int, int n, int m) {
    convolution::set_both(f.root_part + 2 * first, n, m,
                          convolution::m2m(scaled, f.unit_charge + 2 * first, f.power, n, m));
  });
}

/// The lattice operator; one block of threads. See LatticeOperator::apply, whose result is in the cell's units.
__global__ void __launch_bounds__(field_threads) apply_lattice(FieldView f) {
  extern __shared__ __align__(16) double shared[];
  double *const scaled = shared, *const local = shared + 2 * f.count;
  for (int i = static_cast<int>(threadIdx.x); i < 2 * f.count; i += field_threads) {
    double sum = 0;
    for (int block = 0; block < f.blocks; ++block) sum += f.root_part[std::int64_t(block) * 2 * f.count + i];
    scaled[i] = sum;
  }
  for (int i = static_cast<int>(threadIdx.x); i < f.count; i += field_threads) local[i] = 0;
  __syncthreads();
  for_each_order(f.degree, [&](int, int k, int l) {
    Complex y = convolution::m2l(f.degree, scaled, f.lattice, f.even, k, l);
    y.imaginary = -y.imaginary;  // add_real_local takes y, m2l gives its conjugate
    convolution::add_real_local(f.roots, k, l, y, local);
  });
  __syncthreads();
  if (threadIdx.x == 0) {
    double second = 0;
    for (int block = 0; block < f.blocks; ++block) second += f.second[block];
    local[0] += f.quadratic * second;
    *f.charge = f.quadratic * scaled[0] * f.roots[0];
    if (f.degree > 0) {
      const double size = f.roots[SolidShape::index(1, 0)],
                   side = convolution::root_of_two * f.roots[SolidShape::index(1, 1)];
      const Complex along = convolution::at(scaled, 1, 0), across = convolution::at(scaled, 1, 1);
      local[SolidShape::index(1, 0)] -= 2 * f.quadratic * along.real * size;
      local[SolidShape::index(1, 1)] -= 2 * f.quadratic * across.real * side;
      local[SolidShape::index(1, -1)] += 2 * f.quadratic * across.imaginary * side;
    }
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < f.count; i += field_threads) local[i] *= f.unit / f.root_edge;
  __syncthreads();
  for_each_order(f.degree, [&](int, int n, int m) {
    convolution::set_both(f.root_local, n, m, convolution::of_local(local, f.roots, n, m));
  });
}

/// Coefficients of one degree that a thread of m2l sums: neighbours share what they read. One at a time, threads waited
/// for shared memory: 64 blocks of degree 11 took 124 us on an H200, whose arithmetic is 13.
constexpr int row_length = 4;
/// Rows of the coefficients of a local expansion.
int rows_of(int degree) {
  int rows = 0;
  for (int k = 0; k <= degree; ++k) rows += k / row_length + 1;
  return rows;
}

/// How m2l's threads share the work: a thread for each row of `tile` sources at a time, whose tables are copied to
/// shared memory where they fit. Of 216 blocks the tables are some 100 MB, each number of which is read once.
struct TranslationShape {
  int tile, threads;
  bool copied;
  std::size_t bytes;
  static constexpr int few_threads = 128, most_threads = 512;  // degree 60 has 496 rows
  /// `sources`: of a group.
  TranslationShape(int degree, int sources) {
    const int rows = rows_of(degree), passes = (sources * rows + few_threads - 1) / few_threads;
    tile = std::max(1, (sources + passes - 1) / passes);
    threads = (tile * rows + 31) / 32 * 32;
    const int table = SolidShape::count(2 * degree), numbers = tile * (SolidShape::count(degree) + orders(degree));
    const std::size_t number = 2 * sizeof(double), wanted = static_cast<std::size_t>(numbers + tile * table) * number;
    copied = wanted <= static_cast<std::size_t>(device_limits().shared_bytes) / 2;
    bytes = copied ? wanted : static_cast<std::size_t>(numbers) * number;
  }
};

/// Where row `i` of a local expansion begins: (n, m).
__device__ Order begin_of_row(int i) {
  int k = 0;
  for (; i > k / row_length; ++k) i -= k / row_length + 1;
  return Order(orders(k - 1) + i * row_length);
}

/// Complex numbers.
__device__ void copy_numbers(double* to, const double* from, int count) {
  auto* const there = reinterpret_cast<double2*>(to);
  const auto* const here = reinterpret_cast<const double2*>(from);
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) there[i] = here[i];
}

/// m2l into block blockIdx.x from the blocks of group blockIdx.y.
__global__ void __launch_bounds__(TranslationShape::most_threads)
    translate_blocks(FieldView f, int rows, int tile, bool copied) {
  extern __shared__ __align__(16) double shared[];
  const int most = orders(f.degree), table = SolidShape::count(2 * f.degree);
  double *const scaled = shared, *const sums = scaled + 2 * tile * f.count, *const copy = sums + 2 * tile * most;
  const int groups = static_cast<int>(gridDim.y), of_group = (f.blocks + groups - 1) / groups;
  const int first = static_cast<int>(blockIdx.y) * of_group, last = min(first + of_group, f.blocks);
  const std::int64_t to = blockIdx.x;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const int source = thread / rows;  // of the tile; the last threads have none
  const Order own = begin_of_row(thread % rows);
  Complex sum[row_length];
  for (int from = first; from < last; from += tile) {
    const int sources = min(tile, last - from);
    const double* tables = f.m2l + 2 * (to * f.blocks + from) * table;
    __syncthreads();
    copy_numbers(scaled, f.scaled + std::int64_t(from) * 2 * f.count, sources * f.count);
    if (copied) copy_numbers(copy, tables, sources * table), tables = copy;
    __syncthreads();
    if (source < sources)
      convolution::add_m2l(f.degree, scaled + 2 * source * f.count, tables + 2 * source * table, false, own.n, own.m,
                           sum);
  }
  for (int j = 0; j < row_length && source < tile && own.m + j <= own.n; ++j) {
    double* const number = sums + 2 * (source * most + orders(own.n - 1) + own.m + j);
    number[0] = sum[j].real, number[1] = sum[j].imaginary;
  }
  __syncthreads();
  double* const share = f.share + (to * groups + blockIdx.y) * 2 * most;
  for (int i = thread; i < 2 * most; i += threads) {
    double all = 0;
    for (int s = 0; s < tile; ++s) all += sums[2 * s * most + i];
    share[i] = all;
  }
}

/// Adds the shares of a block and what l2l gives it, and differentiates.
__global__ void __launch_bounds__(field_threads) finish_locals(FieldView f, int groups) {
  extern __shared__ __align__(16) double shared[];
  double *const local = shared, *const y = shared + f.count;
  const std::int64_t block = blockIdx.x;
  const int most = orders(f.degree);
  for (int i = static_cast<int>(threadIdx.x); i < f.count; i += field_threads) local[i] = 0;
  __syncthreads();
  for_each_order(f.degree, [&](int i, int k, int l) {
    Complex sum;
    for (int group = 0; group < groups; ++group) {
      const double* const share = f.share + ((block * groups + group) * most + i) * 2;
      sum.real += share[0], sum.imaginary -= share[1];
    }
    convolution::add_real_local(f.roots, k, l, sum, local);
    const double* const unit = f.unit_charge + 2 * block * f.count;
    convolution::add_real_local(f.roots, k, l, convolution::l2l(f.degree, f.root_local, unit, f.power, k, l), local);
  });
  __syncthreads();
  for_each_order(f.degree, [&](int, int n, int m) {
    convolution::set_both(y, n, m, convolution::of_local(local, f.roots, n, m));
  });
  __syncthreads();
  double* const out = f.local + 4 * block * f.count;
  for (int axis = 0; axis < 4; ++axis) {
    for (int i = static_cast<int>(threadIdx.x); axis > 0 && i < f.count; i += field_threads) local[i] = 0;
    __syncthreads();
    if (axis > 0)
      for_each_order(f.degree - 1, [&](int, int k, int l) {
        convolution::add_real_local(f.roots, k, l, convolution::derivative(y, axis - 1, k, l), local);
      });
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < f.count; i += field_threads) out[4 * i + axis] = local[i];
    __syncthreads();
  }
}

/// pull[a]: the sum of the multipoles times what the local expansions' derivatives along axis a have, block a of
/// threads.
__global__ void __launch_bounds__(sum_threads) pull_of_blocks(FieldView f, double* pull) {
  __shared__ double lane[sum_threads];
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < std::int64_t(f.blocks) * f.count; i += sum_threads)
    sum += f.local[4 * i + 1 + blockIdx.x] * f.multipole[i];
  sum = sum_of_block(sum, lane);
  if (threadIdx.x == 0) pull[blockIdx.x] = sum;
}

}  // namespace

DeviceField::DeviceField(const BlockMaps& m) {
  const auto flat = [](const SolidConvolution::Numbers& numbers) {
    return reinterpret_cast<const double*>(numbers.data());
  };
  const std::int64_t count = SolidShape::count(m.degree), all = count * m.blocks;
  groups_ = std::min(m.blocks, most_groups);
  FieldView& f = view_;
  f.degree = m.degree, f.count = static_cast<int>(count), f.blocks = m.blocks;
  f.unit = m.unit, f.root_edge = m.root_edge, f.quadratic = m.quadratic, f.even = m.even;
  std::copy(m.root_centre.begin(), m.root_centre.end(), f.root_centre);
  f.centre = copy(m.centres.front().data(), 3 * m.blocks);
  f.recurrence = copy(m.recurrence.data(), std::ssize(m.recurrence));
  f.roots = copy(m.roots.data(), std::ssize(m.roots));
  f.power = copy(m.power.data(), std::ssize(m.power));
  f.m2l = copy(flat(m.m2l), 2 * std::ssize(m.m2l));
  f.unit_charge = copy(flat(m.unit_charges), 2 * std::ssize(m.unit_charges));
  f.lattice = copy(flat(m.lattice), 2 * std::ssize(m.lattice));
  f.multipole = room(all), f.second = room(m.blocks);
  f.scaled = room(2 * all), f.root_part = room(2 * all), f.root_local = room(2 * count), f.charge = room(1);
  f.share = room(2 * std::int64_t(groups_) * m.blocks * orders(m.degree));
  f.local = room(4 * all);
  for (const SolidConvolution::Numbers& numbers : m.weighted)
    weighted_.push_back(copy(flat(numbers), 2 * std::ssize(numbers)));
  nothing_ = room(2 * count);
  require(cudaMemset(nothing_, 0, static_cast<std::size_t>(2 * count) * sizeof(double)), "tables of blocks");
  pull_ = room(3 * std::ssize(weighted_));
  require(cudaStreamSynchronize(nullptr), "tables of blocks");
}

double* DeviceField::room(std::int64_t numbers) {
  arrays_.push_back(std::make_unique<DeviceArray<double>>());
  arrays_.back()->resize(numbers);
  return arrays_.back()->data();
}

const double* DeviceField::copy(const double* from, std::int64_t numbers) {
  double* const to = room(numbers);
  require(cudaMemcpy(to, from, static_cast<std::size_t>(numbers) * sizeof(double), cudaMemcpyHostToDevice),
          "tables of blocks");
  return to;
}

/// Rows of a block: `width` numbers from one of the arrays to the other, which have so many more to the next row.
static void copy_rows(double* to, std::int64_t to_pitch, const double* from, std::int64_t from_pitch,
                      std::int64_t width, int blocks, cudaStream_t stream) {
  const auto bytes = [](std::int64_t numbers) { return static_cast<std::size_t>(numbers) * sizeof(double); };
  require(cudaMemcpy2DAsync(to, bytes(to_pitch), from, bytes(from_pitch), bytes(width),
                            static_cast<std::size_t>(blocks), cudaMemcpyDefault, stream),
          "multipoles of blocks");
}

std::vector<double> DeviceField::multipoles(cudaStream_t stream) const {
  const FieldView& f = view_;
  std::vector<double> numbers(static_cast<std::size_t>(f.blocks) * static_cast<std::size_t>(f.count + 1));
  copy_rows(numbers.data(), f.count + 1, f.multipole, f.count, f.count, f.blocks, stream);
  copy_rows(numbers.data() + f.count, f.count + 1, f.second, 1, 1, f.blocks, stream);
  require(cudaStreamSynchronize(stream), "multipoles of blocks");
  return numbers;
}

void DeviceField::set_multipoles(const std::vector<double>& numbers, cudaStream_t stream) const {
  const FieldView& f = view_;
  copy_rows(f.multipole, f.count, numbers.data(), f.count + 1, f.count, f.blocks, stream);
  copy_rows(f.second, 1, numbers.data() + f.count, f.count + 1, 1, f.blocks, stream);
  require(cudaStreamSynchronize(stream), "multipoles of blocks");
}

/// From the scaled multipoles and the cell's local expansion to the blocks'.
static void translate_into_blocks(const FieldView& f, int groups, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(f.blocks);
  const std::size_t number = sizeof(double), count = static_cast<std::size_t>(f.count);
  const TranslationShape shape(f.degree, (f.blocks + groups - 1) / groups);
  launch_kernel("m2l of blocks", translate_blocks,
                {dim3(blocks, static_cast<unsigned>(groups)), shape.threads, shape.bytes}, stream, f, rows_of(f.degree),
                shape.tile, shape.copied);
  launch_kernel("l2l of blocks", finish_locals, {dim3(blocks), field_threads, 3 * count * number}, stream, f, groups);
}

void DeviceField::translate(cudaStream_t stream) const {
  const FieldView& f = view_;
  const std::size_t shared = 3 * static_cast<std::size_t>(f.count) * sizeof(double);
  launch_kernel("m2m of blocks", to_root, {dim3(static_cast<unsigned>(f.blocks)), field_threads, 0}, stream, f);
  launch_kernel("lattice operator", apply_lattice, {dim3(1), field_threads, shared}, stream, f);
  translate_into_blocks(f, groups_, stream);
}

/// As translate, by a weighted table and without what comes from the cell.
void DeviceField::pull(std::size_t vector, cudaStream_t stream) const {
  FieldView f = view_;
  f.m2l = weighted_[vector];
  f.root_local = nothing_;
  translate_into_blocks(f, groups_, stream);
  pull_of_blocks<<<3, sum_threads, 0, stream>>>(f, pull_ + 3 * vector);
  require_launch("pull of blocks");
}

BlockMoments DeviceField::moments(cudaStream_t stream) const {
  const FieldView& f = view_;
  const auto count = static_cast<std::size_t>(f.count), blocks = static_cast<std::size_t>(f.blocks);
  for (std::size_t vector = 0; vector < weighted_.size(); ++vector) pull(vector, stream);
  SolidConvolution::Numbers parts(blocks * count);
  std::vector<double> second(blocks);
  BlockMoments m{SolidConvolution::Numbers(count), 0, std::vector<Vector3>(weighted_.size())};
  download(reinterpret_cast<double*>(parts.data()), f.root_part, 2 * std::ssize(parts), stream);
  download(second.data(), f.second, std::ssize(second), stream);
  download(m.pulls.front().data(), pull_, 3 * std::ssize(m.pulls), stream);
  require(cudaStreamSynchronize(stream), "moments of blocks");
  for (std::size_t i = 0; i < parts.size(); ++i) m.scaled_root[i % count] += parts[i];
  for (const double value : second) m.second += value;
  return m;
}

}  // namespace farfield::cuda
