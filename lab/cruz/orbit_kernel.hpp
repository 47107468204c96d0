// Multipole-to-local translations of the plane on the device, single precision: a warp has the 32 boxes of one child
// number of 16 x 2 parents, a thread one of them and a share of its orbits (orbits.hpp). The block's 288 sources are in
// shared memory, coefficient by coefficient and child by child, so that a warp reads neighbouring words; Pascal's
// matrix is in the instructions, powers of 1/t in constant memory.
#pragma once
#include <array>

#include "backends/cuda/runtime/check.hpp"
#include "orbits.hpp"

namespace farfield::lab {

inline constexpr int tile_width = 16, tile_height = 2, tile_targets = 4 * tile_width * tile_height;
inline constexpr int halo_width = tile_width + 2, halo_height = tile_height + 2, plane_size = halo_width * halo_height;
inline constexpr int term_stride = 4 * plane_size + 1, result_stride = tile_targets + 1;  // odd: no bank conflicts

/// Parents x ... x + 15, y, y + 1 of a level of side x side boxes, rows one after another from box `base`; the level
/// repeats itself in both directions, so that each box has its 27 sources.
struct Tile {
  int base, side, x, y;
};

/// Where the sources of an orbit are, from the target's own place in its plane of shared memory.
struct Steps {
  int at[4];
};

constexpr int floor_half(int x) { return (x - (x & 1)) / 2; }

constexpr Steps steps_of(int child, const Orbit& orbit) {
  Steps steps{};
  int tx = orbit.x, ty = orbit.y;
  for (int j = 0; j < 4; ++j) {
    const int x = (child & 1) - tx, y = (child >> 1) - ty;
    if (j < orbit.size)
      steps.at[j] = (2 * (y & 1) + (x & 1)) * plane_size + (floor_half(y) + 1) * halo_width + floor_half(x) + 1;
    const int turned = -ty;
    ty = tx, tx = turned;
  }
  return steps;
}

template <int P, int Orbits>
struct OrbitTable {
  Steps steps[4][Orbits];
  float2 power[4][Orbits][P];  ///< t^-(n+1)
};

template <int P, int Orbits>
constexpr OrbitTable<P, Orbits> orbit_table() {
  OrbitTable<P, Orbits> table{};
  for (int child = 0; child < 4; ++child)
    for (int o = 0; o < Orbits; ++o) {
      Orbit orbit{};
      if constexpr (Orbits == orbit_count) orbit = orbits_of(child)[static_cast<std::size_t>(o)];
      if constexpr (Orbits == source_count) orbit = singles_of(child)[static_cast<std::size_t>(o)];
      table.steps[child][o] = steps_of(child, orbit);
      for (int n = 0; n < P; ++n) {
        const Complex2 power = inverse_power(orbit.x, orbit.y, n);
        table.power[child][o][n] = {static_cast<float>(power.x), static_cast<float>(power.y)};
      }
    }
  return table;
}

template <int P>
struct Pascal {
  float at[P][P];
};

template <int P>
constexpr Pascal<P> pascal_matrix() {
  Pascal<P> matrix{};
  for (int l = 0; l < P; ++l)
    for (int k = 0; k < P; ++k) matrix.at[l][k] = static_cast<float>(pascal(l, k));
  return matrix;
}

/// Read in unrolled loops alone, where its numbers become operands of the instructions.
template <int P>
__device__ constexpr Pascal<P> device_pascal = pascal_matrix<P>();

template <int P, int Orbits>
__constant__ const OrbitTable<P, Orbits> device_orbits = orbit_table<P, Orbits>();

__device__ __forceinline__ float2 product(float2 a, float2 b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }

/// A[m] = sum_j i^(-jm) a_j, times `power`.
template <int Size>
__device__ __forceinline__ void transform(const float2* source, const Steps& steps, float2 power, float2 (&to)[4]) {
  const float2 a = source[steps.at[0]];
  if constexpr (Size == 1) {
    to[0] = to[1] = to[2] = to[3] = product(a, power);
  } else if constexpr (Size == 2) {
    const float2 p = product(a, power), q = product(source[steps.at[1]], power);
    to[0] = {p.x + q.x, p.y + q.y}, to[1] = {p.x + q.y, p.y - q.x};
    to[2] = {p.x - q.x, p.y - q.y}, to[3] = {p.x - q.y, p.y + q.x};
  } else {
    const float2 b = source[steps.at[1]], c = source[steps.at[2]], d = source[steps.at[3]];
    const float2 even{a.x + c.x, a.y + c.y}, odd{b.x + d.x, b.y + d.y};
    const float2 less{a.x - c.x, a.y - c.y}, turn{b.x - d.x, b.y - d.y};
    to[0] = product({even.x + odd.x, even.y + odd.y}, power),
    to[1] = product({less.x + turn.y, less.y - turn.x}, power);
    to[2] = product({even.x - odd.x, even.y - odd.y}, power),
    to[3] = product({less.x - turn.y, less.y + turn.x}, power);
  }
}

/// Adds the translations of one orbit to the local expansion.
template <int P, int Size>
__device__ __forceinline__ void translate(const float2* source, const Steps& steps, const float2* power,
                                          float2 (&local)[P]) {
  float2 sum[P];
#pragma unroll
  for (int l = 0; l < P; ++l) sum[l] = {0, 0};
#pragma unroll
  for (int k = 0; k < P; ++k) {
    float2 a[4];
    transform<Size>(source + k * term_stride, steps, power[k], a);
#pragma unroll
    for (int l = 0; l < P; ++l) {
      const float entry = device_pascal<P>.at[l][k];
      sum[l].x += entry * a[(k + l + 1) & 3].x, sum[l].y += entry * a[(k + l + 1) & 3].y;
    }
  }
  local[0].x += sum[0].x, local[0].y += sum[0].y;
#pragma unroll
  for (int l = 1; l < P; ++l) {
    local[l].x += power[l - 1].x * sum[l].x - power[l - 1].y * sum[l].y;
    local[l].y += power[l - 1].x * sum[l].y + power[l - 1].y * sum[l].x;
  }
}

/// The tile's boxes and those around them.
template <int P, int Threads>
__device__ __forceinline__ void load_sources(const float2* multipole, const Tile& tile, float2* shared) {
  constexpr int row = 2 * halo_width * P, count = 2 * halo_height * row;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < count; i += Threads) {
    const int k = i % P, x = i % row / P, y = i / row;
    const int box_x = (2 * tile.x - 2 + x) & (tile.side - 1), box_y = (2 * tile.y - 2 + y) & (tile.side - 1);
    shared[k * term_stride + (2 * (y & 1) + (x & 1)) * plane_size + (y >> 1) * halo_width + (x >> 1)] =
        multipole[(tile.base + box_y * tile.side + box_x) * P + k];
  }
}

/// Adds the shares up, in order, and writes the locals.
template <int P, int Groups>
__device__ __forceinline__ void store_locals(const float2* shares, const Tile& tile, float2* locals) {
  constexpr int count = tile_targets * P, row = 2 * tile_width * P, share = P * result_stride;
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < count; i += 128 * Groups) {
    const int k = i % P, x = i % row / P, y = i / row;
    const int box_x = 2 * tile.x + x, box_y = 2 * tile.y + y;
    if (box_x >= tile.side || box_y >= tile.side) continue;
    const float2* from = shares + k * result_stride + (2 * (y & 1) + (x & 1)) * 32 + (y >> 1) * tile_width + (x >> 1);
    float2 sum = from[0];
#pragma unroll
    for (int g = 1; g < Groups; ++g) sum.x += from[g * share].x, sum.y += from[g * share].y;
    locals[(tile.base + box_y * tile.side + box_x) * P + k] = sum;
  }
}

template <int P, int Groups>
constexpr int shared_numbers() {
  return P * term_stride > Groups * P * result_stride ? P * term_stride : Groups * P * result_stride;
}

/// How a target's translations are done: a product with Pascal's matrix for each orbit or for each source, or with the
/// complex matrix of each source, whose entries come from a table.
enum class Form { orbits, pascal, matrix };

template <int P, int Groups>
__device__ __forceinline__ void add_orbits(const float2* source, int child, int group, float2 (&local)[P]) {
  const auto& table = device_orbits<P, orbit_count>;
#pragma unroll 1
  for (int o = group; o < quads; o += Groups)
    translate<P, 4>(source, table.steps[child][o], table.power[child][o], local);
#pragma unroll 1
  for (int o = quads + group; o < quads + pairs; o += Groups)
    translate<P, 2>(source, table.steps[child][o], table.power[child][o], local);
  if (group == Groups - 1) translate<P, 1>(source, table.steps[child][9], table.power[child][9], local);
}

template <int P, int Groups>
__device__ __forceinline__ void add_sources(const float2* source, int child, int group, float2 (&local)[P]) {
  const auto& table = device_orbits<P, source_count>;
#pragma unroll 1
  for (int o = group; o < source_count; o += Groups)
    translate<P, 1>(source, table.steps[child][o], table.power[child][o], local);
}

/// `matrix`: [source][k][l] of this child.
template <int P, int Groups>
__device__ __forceinline__ void add_products(const float2* source, const float2* __restrict__ matrix, int child,
                                             int group, float2 (&local)[P]) {
#pragma unroll 1
  for (int o = group; o < source_count; o += Groups) {
    const float2* from = source + device_orbits<P, source_count>.steps[child][o].at[0];
    const auto* entry = reinterpret_cast<const float4*>(matrix + (child * source_count + o) * P * P);
#pragma unroll 2
    for (int k = 0; k < P; ++k, entry += P / 2) {
      const float2 a = from[k * term_stride];
#pragma unroll
      for (int l = 0; l < P; l += 2) {
        const float4 e = __ldg(entry + l / 2);
        local[l].x += e.x * a.x - e.y * a.y, local[l].y += e.x * a.y + e.y * a.x;
        local[l + 1].x += e.z * a.x - e.w * a.y, local[l + 1].y += e.z * a.y + e.w * a.x;
      }
    }
  }
}

/// One block per tile: 4 children times `Groups` warps, each of which has a share of the orbits.
template <int P, int Groups, int Blocks, Form form>
__global__ __launch_bounds__(128 * Groups, Blocks) void orbit_kernel(const float2* __restrict__ multipole,
                                                                     float2* __restrict__ locals,
                                                                     const Tile* __restrict__ tiles,
                                                                     const float2* __restrict__ matrix) {
  extern __shared__ float2 shared[];
  const Tile tile = tiles[blockIdx.x];
  load_sources<P, 128 * Groups>(multipole, tile, shared);
  __syncthreads();
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0), lane = threadIdx.x & 31;
  const int child = warp & 3, group = warp >> 2;
  const float2* source = shared + (lane / tile_width) * halo_width + lane % tile_width;
  float2 local[P];
#pragma unroll
  for (int l = 0; l < P; ++l) local[l] = {0, 0};
  if constexpr (form == Form::orbits) add_orbits<P, Groups>(source, child, group, local);
  if constexpr (form == Form::pascal) add_sources<P, Groups>(source, child, group, local);
  if constexpr (form == Form::matrix) add_products<P, Groups>(source, matrix, child, group, local);
  __syncthreads();  // the results take the place of the sources
#pragma unroll
  for (int l = 0; l < P; ++l) shared[(group * P + l) * result_stride + child * 32 + lane] = local[l];
  __syncthreads();
  store_locals<P, Groups>(shared, tile, locals);
}

}  // namespace farfield::lab
