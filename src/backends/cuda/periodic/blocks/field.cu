#include <algorithm>

#include "backends/cuda/periodic/blocks/field.hpp"
#include "backends/cuda/runtime/block_sum.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {
namespace {

using convolution::Complex, convolution::orders;
constexpr int field_threads = 128, lattice_threads = 512;

/// A block of threads for each block.
__global__ void __launch_bounds__(field_threads) scale_multipoles(FieldView f) {
  const std::int64_t first = std::int64_t(blockIdx.x) * f.count;
  for_each_order(f.degree, [&](int, int n, int m) {
    convolution::set_both(f.scaled + 2 * first, n, m, convolution::scaled(f.multipole + first, f.roots, n, m));
  });
}

/// m2m; a block of threads for each block.
__global__ void __launch_bounds__(field_threads) to_root(FieldView f) {
  const std::int64_t first = std::int64_t(2) * blockIdx.x * f.count;
  for_each_order(f.degree, [&](int, int n, int m) {
    convolution::set_both(f.root_part + first, n, m,
                          convolution::m2m(f.scaled + first, f.unit_charge + first, f.power, n, m));
  });
}

/// The lattice operator; one block of threads. See LatticeOperator::apply, whose result is in the cell's units.
__global__ void __launch_bounds__(lattice_threads) apply_lattice(FieldView f) {
  extern __shared__ __align__(16) double shared[];
  double *const scaled = shared, *const local = shared + 2 * f.count;
  for (int i = static_cast<int>(threadIdx.x); i < 2 * f.count; i += lattice_threads) {
    double sum = 0;
#pragma unroll 8  // loads are under way side by side
    for (int block = 0; block < f.blocks; ++block) sum += f.root_part[std::int64_t(block) * 2 * f.count + i];
    scaled[i] = sum;
  }
  for (int i = static_cast<int>(threadIdx.x); i < f.count; i += lattice_threads) local[i] = 0;
  __syncthreads();
  for_each_order(f.degree, [&](int, int k, int l) {
    Complex y = convolution::m2l(f.degree, scaled, f.lattice, f.even, k, l);
    y.imaginary = -y.imaginary;  // add_real_local takes y, m2l gives its conjugate
    convolution::add_real_local(f.roots, k, l, y, local);
  });
  __syncthreads();
  if (threadIdx.x == 0) {
    double second = 0;
#pragma unroll 8
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
  for (int i = static_cast<int>(threadIdx.x); i < f.count; i += lattice_threads) local[i] *= f.unit / f.root_edge;
  __syncthreads();
  for_each_order(f.degree, [&](int, int n, int m) {
    convolution::set_both(f.root_local, n, m, convolution::of_local(local, f.roots, n, m));
  });
}

/// l2l; a block of threads for each block.
__global__ void __launch_bounds__(field_threads) from_root(FieldView f) {
  const std::int64_t block = blockIdx.x;
  const double* const unit = f.unit_charge + 2 * block * f.count;
  auto* const share = reinterpret_cast<Complex*>(f.share) + block * orders(f.degree);
  for_each_order(
      f.degree, [&](int i, int k, int l) { share[i] = convolution::l2l(f.degree, f.root_local, unit, f.power, k, l); });
}

/// What m2l and l2l give a block: coefficient i of those m >= 0, of all blocks.
__device__ Complex local_of(const FieldView& f, std::int64_t i) {
  const Complex own = reinterpret_cast<const Complex*>(f.translated)[i],
                share = reinterpret_cast<const Complex*>(f.share)[i];
  return {own.real + share.real, share.imaginary - own.imaginary};
}

/// Local expansions with their slopes.
__global__ void __launch_bounds__(field_threads) finish_locals(FieldView f) {
  extern __shared__ __align__(16) double shared[];
  double *const local = shared, *const y = shared + f.count;
  for (int i = static_cast<int>(threadIdx.x); i < f.count; i += field_threads) local[i] = 0;
  __syncthreads();
  for_each_order(f.degree, [&](int i, int n, int m) {
    const Complex own = local_of(f, std::int64_t(blockIdx.x) * orders(f.degree) + i);
    convolution::set_both(y, n, m, own);
    convolution::add_real_local(f.roots, n, m, own, local);
  });
  __syncthreads();
  double* const out = f.local + std::int64_t(4) * blockIdx.x * f.count;
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
/// Those without slopes, a thread for each coefficient m >= 0.
struct FinishPotentials {
  FieldView f;
  __device__ void operator()(std::int64_t i) const {
    const int most = orders(f.degree);
    const convolution::Order at(static_cast<int>(i % most));
    const Complex value = convolution::real_local(f.roots, at.n, at.m, local_of(f, i));
    float* const out = f.potential + i / most * f.count;
    out[SolidShape::index(at.n, at.m)] = static_cast<float>(value.real);
    if (at.m > 0) out[SolidShape::index(at.n, -at.m)] = static_cast<float>(value.imaginary);
  }
};

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

DeviceField::DeviceField(const BlockMaps& m) : convolution_(m.m2l, m.degree), sets_(m.m2l.images.size()) {
  const auto flat = [](const SolidConvolution::Numbers& numbers) {
    return reinterpret_cast<const double*>(numbers.data());
  };
  const std::int64_t count = SolidShape::count(m.degree), all = count * m.blocks;
  FieldView& f = view_;
  f.degree = m.degree, f.count = static_cast<int>(count), f.blocks = m.blocks;
  f.unit = m.unit, f.root_edge = m.root_edge, f.quadratic = m.quadratic, f.even = m.even;
  std::copy(m.root_centre.begin(), m.root_centre.end(), f.root_centre);
  f.centre = arrays_.copy(m.centres.front().data(), 3 * m.blocks);
  f.recurrence = arrays_.copy(m.recurrence.data(), std::ssize(m.recurrence));
  f.roots = arrays_.copy(m.roots.data(), std::ssize(m.roots));
  f.power = arrays_.copy(m.power.data(), std::ssize(m.power));
  f.unit_charge = arrays_.copy(flat(m.unit_charges), 2 * std::ssize(m.unit_charges));
  f.lattice = arrays_.copy(flat(m.lattice), 2 * std::ssize(m.lattice));
  f.multipole = arrays_.room(all), f.second = arrays_.room(m.blocks);
  f.scaled = arrays_.room(2 * all), f.root_part = arrays_.room(2 * all), f.root_local = arrays_.room(2 * count),
  f.charge = arrays_.room(1);
  const std::int64_t numbers = 2 * std::int64_t(m.blocks) * orders(m.degree);
  f.translated = arrays_.room(numbers), f.share = arrays_.room(numbers), nothing_ = arrays_.room(numbers);
  f.local = arrays_.room(4 * all);
  f.potential = reinterpret_cast<float*>(arrays_.room((all + 1) / 2));
  require(cudaMemset(nothing_, 0, static_cast<std::size_t>(numbers) * sizeof(double)), "tables of blocks");
  pull_ = arrays_.room(3 * static_cast<std::int64_t>(sets_ - 1));
  require(cudaStreamSynchronize(nullptr), "tables of blocks");
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

/// Local expansions of the blocks.
static void finish(const FieldView& f, cudaStream_t stream, bool potentials = false) {
  if (potentials)
    return for_each_index(std::int64_t(f.blocks) * orders(f.degree), FinishPotentials{f}, stream, "local expansions");
  launch_kernel(
      "local expansions", finish_locals,
      {dim3(static_cast<unsigned>(f.blocks)), field_threads, 3 * static_cast<std::size_t>(f.count) * sizeof(double)},
      stream, f);
}

/// Blocks' expansions do not wait for the cell's, which one block of threads makes, and its shares: 28 and 40 us of a
/// step of 2 ms on an H200.
void DeviceField::translate(cudaStream_t stream, bool potentials) {
  const FieldView& f = view_;
  const std::size_t shared = 3 * static_cast<std::size_t>(f.count) * sizeof(double);
  const dim3 blocks(static_cast<unsigned>(f.blocks));
  launch_kernel("m2m of blocks", scale_multipoles, {blocks, field_threads, 0}, stream, f);
  cudaStream_t const of_cell = of_cell_.fork(stream);
  launch_kernel("m2m of blocks", to_root, {blocks, field_threads, 0}, of_cell, f);
  launch_kernel("lattice operator", apply_lattice, {dim3(1), lattice_threads, shared}, of_cell, f);
  launch_kernel("l2l of blocks", from_root, {blocks, field_threads, 0}, of_cell, f);
  convolution_.apply(0, f.scaled, f.translated, stream);
  of_cell_.join(stream);
  finish(f, stream, potentials);
}

/// As translate, by a weighted table and without what comes from the cell.
void DeviceField::pull(std::size_t vector, cudaStream_t stream) const {
  FieldView f = view_;
  f.share = nothing_;
  convolution_.apply(1 + vector, f.scaled, f.translated, stream);
  finish(f, stream);
  pull_of_blocks<<<3, sum_threads, 0, stream>>>(f, pull_ + 3 * vector);
  require_launch("pull of blocks");
}

BlockMoments DeviceField::moments(cudaStream_t stream) const {
  const FieldView& f = view_;
  const auto count = static_cast<std::size_t>(f.count), blocks = static_cast<std::size_t>(f.blocks);
  for (std::size_t vector = 0; vector < sets_ - 1; ++vector) pull(vector, stream);
  SolidConvolution::Numbers parts(blocks * count);
  std::vector<double> second(blocks);
  BlockMoments m{SolidConvolution::Numbers(count), 0, std::vector<Vector3>(sets_ - 1)};
  download(reinterpret_cast<double*>(parts.data()), f.root_part, 2 * std::ssize(parts), stream);
  download(second.data(), f.second, std::ssize(second), stream);
  download(m.pulls.front().data(), pull_, 3 * std::ssize(m.pulls), stream);
  require(cudaStreamSynchronize(stream), "moments of blocks");
  for (std::size_t i = 0; i < parts.size(); ++i) m.scaled_root[i % count] += parts[i];
  for (const double value : second) m.second += value;
  return m;
}

}  // namespace farfield::cuda
