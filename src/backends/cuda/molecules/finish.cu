#include <algorithm>

#include "backends/cuda/molecules/finish.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {
namespace {

constexpr int lanes = 32, part_warps = 4, part_threads = part_warps * lanes;
constexpr std::int64_t most_parts = part_numbers / total::of_pairs;

/// Of two sums their sum, of two largest values the larger one.
__device__ double joined(bool largest, double a, double b) { return largest ? fmax(a, b) : a + b; }
/// Over a warp, for all its lanes.
__device__ double over_warp(bool largest, double value) {
  for (int other = lanes / 2; other > 0; other /= 2) value = joined(largest, value, __shfl_xor_sync(~0u, value, other));
  return value;
}

/// part[columns * b + k]: what block b has of number k, which body(i, own) adds to own[k]. From number `sums` on they
/// are largest values, not sums.
template <int columns, int sums, class Body>
__global__ void __launch_bounds__(part_threads)
    collect(std::int64_t count, const __grid_constant__ Body body, double* part) {
  __shared__ double of_warp[part_warps][columns];
  double own[columns] = {};
  for (std::int64_t i = std::int64_t(blockIdx.x) * part_threads + threadIdx.x; i < count;
       i += std::int64_t(gridDim.x) * part_threads)
    body(i, own);
#pragma unroll
  for (int k = 0; k < columns; ++k) {
    const double all = over_warp(k >= sums, own[k]);
    if (threadIdx.x % lanes == 0) of_warp[threadIdx.x / lanes][k] = all;
  }
  __syncthreads();
  const int k = static_cast<int>(threadIdx.x);
  if (k >= columns) return;
  double all = of_warp[0][k];
  for (int w = 1; w < part_warps; ++w) all = joined(k >= sums, all, of_warp[w][k]);
  part[columns * blockIdx.x + k] = all;
}

/// A warp for each number.
__global__ void __launch_bounds__(lanes) join_parts(const double* part, int parts, int sums, double* row) {
  const int k = static_cast<int>(blockIdx.x), columns = static_cast<int>(gridDim.x);
  double all = 0;
  for (int p = static_cast<int>(threadIdx.x); p < parts; p += lanes)
    all = joined(k >= sums, all, part[std::int64_t(columns) * p + k]);
  all = over_warp(k >= sums, all);
  if (threadIdx.x == 0) row[k] = all;
}

/// row[k] of all i.
template <int columns, int sums, class Body>
void collect_row(const MoleculeArrays& arrays, const Body& body, double* row, cudaStream_t stream, const char* name) {
  const auto parts = static_cast<int>(std::min(most_parts, (arrays.count + part_threads - 1) / part_threads));
  collect<columns, sums><<<static_cast<unsigned>(parts), part_threads, 0, stream>>>(arrays.count, body, arrays.part);
  require_launch(name);
  join_parts<<<columns, lanes, 0, stream>>>(arrays.part, parts, sums, row);
  require_launch(name);
}

struct FindForces {
  MoleculeArrays a;
  PairImages images;
  __device__ void operator()(std::int64_t i, double* sum) const {
    const double q = a.charge[i], given = a.potential[i];
    double* const field = a.field + 3 * i;
    ExcludedSum less;
    if (a.pairs.starts) less = excluded_sum(a.pairs, images, a.x, a.charge, i, sum + total::virial);
    const double left = given - less.potential;
    sum[total::potential] += given * given, sum[total::net_potential] += left * left;
    for (int axis = 0; axis < 3; ++axis) {
      const double slope = field[axis], force = -q * slope - less.force[axis];
      sum[total::field] += slope * slope, sum[total::net_forces] += force * force;
      sum[total::dipole + axis] += q * a.x[3 * i + axis];
      field[axis] = force;
    }
    a.potential[i] = left;
    sum[total::charge] += q, sum[total::energy] += 0.5 * q * left;
    sum[total::largest_charge] = fmax(sum[total::largest_charge], fabs(q));
  }
};

struct TakeUnits {
  MoleculeArrays a;
  Surface surface;
  double constant;
  /// sum: of the forces, x y z, and of their squares.
  __device__ void operator()(std::int64_t i, double* sum) const {
    double *const force = a.field + 3 * i, potential = a.potential[i];
    for (int axis = 0; axis < 3; ++axis) {
      const double moment = surface.finds_dipole ? a.totals[total::dipole + axis] : surface.dipole[axis];
      const double pull = surface.strength * moment;
      potential += pull * a.x[3 * i + axis];
      const double all = (force[axis] - pull * a.charge[i]) * constant;
      force[axis] = all;
      sum[axis] += all, sum[3] += all * all;
    }
    a.potential[i] = potential * constant;
  }
};

template <class T>
struct Write {
  MoleculeArrays a;
  bool remove_net_force;
  T *potential, *forces, *energies;
  __device__ void operator()(std::int64_t i) const {
    if (potential) potential[i] = static_cast<T>(a.potential[i]);
    if (energies) energies[i] = static_cast<T>(0.5 * a.charge[i] * a.potential[i]);
    for (int axis = 0; forces && axis < 3; ++axis) {
      const double less = remove_net_force ? a.totals[total::force + axis] / static_cast<double>(a.count) : 0;
      forces[3 * i + axis] = static_cast<T>(a.field[3 * i + axis] - less);
    }
  }
};

template <class T>
void write_as(const MoleculeArrays& a, bool remove_net_force, const CoulombOutputs& o, cudaStream_t stream) {
  const Write<T> body{a, remove_net_force, static_cast<T*>(o.potential), static_cast<T*>(o.forces),
                      static_cast<T*>(o.energies)};
  for_each_index(a.count, body, stream, "results of molecules");
}

}  // namespace

void find_forces(const MoleculeArrays& arrays, const PairImages& images, cudaStream_t stream) {
  collect_row<total::of_pairs, total::largest_charge>(arrays, FindForces{arrays, images}, arrays.totals, stream,
                                                      "forces of molecules");
}

void take_units(const MoleculeArrays& arrays, const Surface& surface, double constant, cudaStream_t stream) {
  constexpr int numbers = total::all - total::of_pairs;
  collect_row<numbers, numbers>(arrays, TakeUnits{arrays, surface, constant}, arrays.totals + total::of_pairs, stream,
                                "units of molecules");
}

void write(const MoleculeArrays& arrays, bool remove_net_force, const CoulombOutputs& outputs, cudaStream_t stream) {
  if (outputs.scalar == Scalar::float32)
    write_as<float>(arrays, remove_net_force, outputs, stream);
  else
    write_as<double>(arrays, remove_net_force, outputs, stream);
}

}  // namespace farfield::cuda
