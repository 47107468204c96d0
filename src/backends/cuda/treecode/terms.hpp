// Terms: records of boxes in shared memory and their sums at the targets of a lane, for m2p of a treecode in single.
#pragma once
#include "backends/cuda/near/pair_targets.hpp"
#include "backends/cuda/treecode/any_degree.hpp"
#include "expansions/laplace_quadrupole.hpp"

namespace farfield::cuda {

/// Coefficients times the basis' factors, behind the frame (u = x factor - centre) and the potential's scale. The lanes
/// of a warp copy them one after another.
template <class Basis, int degree, int of_results>
struct OuterTerms {
  static constexpr int count = Basis::coefficient_count(degree), parts = of_results, first = 5;
  static constexpr int pitch = (count + first + 3) / 4 * 4, targets = 2, residents = degree <= 3 ? 768 : 512;
  static constexpr int boxes = count <= 32 ? 16 : count <= 64 ? 8 : count <= 128 ? 4 : 2;
  static constexpr bool by_mass = false;  ///< have boxes whose mass suffices a sum of their own?
  static std::vector<double> factors() { return Basis::sum_factors(degree); }

  /// Quadrupoles serve degree 2 about centres of mass.
  __device__ static bool serves(const WalkHeader& header) {
    return !(has_quadrupoles<Basis> && degree == 2 && header.moved && header.one_sign());
  }
  __device__ static void fill(const Work<float>& work, const Accepted* from, int now, const float* factor,
                              float (*record)[pitch]) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (int i = lane; i < now * count; i += 32) {
      const int b = i / count, c = i % count;
      record[b][first + c] = work.multipole[std::int64_t(from[b].box) * work.tables.stride + c] * factor[c];
    }
    if (lane >= now) return;
    const Accepted a = from[lane];
    const double edge = work.tree.lattice.edge(work.tree.level[a.box]);
    const auto w = static_cast<float>(1 / edge);
    float* own = record[lane];
    own[0] = a.x * w, own[1] = a.y * w, own[2] = a.z * w, own[3] = w;
    own[4] = static_cast<float>(Basis::potential_scale(edge));
  }
  __device__ static void add(const float (&record)[pitch], const float (&x)[targets][3], float (&sum)[targets][4]) {
    if constexpr (degree <= 3) {
#pragma unroll
      for (int i = 0; i < targets; ++i) add_one(record, x[i], sum[i]);
    } else {  // one after the other: registers suffice for one
#pragma unroll 1
      for (int i = 0; i < targets; ++i) {
        float at[3], own[4] = {};
        for (int axis = 0; axis < 3; ++axis) at[axis] = i == 0 ? x[0][axis] : x[1][axis];
        add_one(record, at, own);
        for (int part = 0; part < parts; ++part)
          sum[0][part] += i == 0 ? own[part] : 0.0f, sum[1][part] += i == 0 ? 0.0f : own[part];
      }
    }
  }

 private:
  __device__ __forceinline__ static void add_one(const float (&record)[pitch], const float (&x)[3], float (&sum)[4]) {
    const float4 frame = *reinterpret_cast<const float4*>(record);
    const float u[3] = {x[0] * frame.w - frame.x, x[1] * frame.w - frame.y, x[2] * frame.w - frame.z},
                r2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    float out[4];
    Basis::template fixed_outer_sum<degree, parts>(
        u[0], u[1], u[2], approximate_inverse_sqrt(r2), [&](auto c) { return record[first + decltype(c)::value]; },
        out);
    sum[0] += out[0] * record[4];
#pragma unroll
    for (int part = 1; part < parts; ++part) sum[part] += out[part] * (record[4] * frame.w);
  }
};

/// Degree 2 of 1/r about centres of mass (expansions/laplace_quadrupole.hpp); a lane per box makes the records.
template <int of_results>
struct QuadrupoleTerms {
  static constexpr int count = 9, parts = of_results, pitch = 12, targets = 4, boxes = 32, residents = 768;
  static constexpr bool by_mass = true;
  static std::vector<double> factors() { return std::vector<double>(count, 1.0); }

  __device__ static bool serves(const WalkHeader& header) { return header.moved && header.one_sign(); }
  __device__ static void fill(const Work<float>& work, const Accepted* from, int now, const float* /*factor*/,
                              float (*record)[pitch]) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (lane >= now) return;
    const Accepted a = from[lane];
    const auto* c = reinterpret_cast<const float4*>(work.multipole + std::int64_t(a.box) * work.tables.stride);
    const float4 low = __ldg(c), high = __ldg(c + 1), last = __ldg(c + 2);  // and the edge's square (MoveCentre)
    const float numbers[count] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w, last.x};
    const laplace::Quadrupole<float> q = laplace::quadrupole(numbers);
    auto* own = reinterpret_cast<float4*>(record[lane]);
    own[0] = {a.x, a.y, a.z, last.y};
    own[1] = {q.mass, q.xx, q.yy, q.zz};
    own[2] = {q.xy, q.xz, q.yz, 0};
  }
  __device__ static void add(const float (&record)[pitch], const float (&x)[targets][3], float (&sum)[targets][4]) {
    const auto* own = reinterpret_cast<const float4*>(record);
    const float4 place = own[0], m = own[1], n = own[2];
    const laplace::Quadrupole<float> q{m.x, m.y, m.z, m.w, n.x, n.y, n.z};
#pragma unroll
    for (int i = 0; i < targets; ++i) {
      const float dx = x[i][0] - place.x, dy = x[i][1] - place.y, dz = x[i][2] - place.z;
      laplace::add_quadrupole<parts>(q, place.w, dx, dy, dz, approximate_inverse_sqrt(dx * dx + dy * dy + dz * dz),
                                     sum[i]);
    }
  }
  /// The mass of a box at its centre of mass, in the place of the box's number.
  __device__ static void add_mass(const Accepted& box, const float (&x)[targets][3], float (&sum)[targets][4]) {
    const float4 m = *reinterpret_cast<const float4*>(&box);
#pragma unroll
    for (int i = 0; i < targets; ++i) {
      const float dx = x[i][0] - m.x, dy = x[i][1] - m.y, dz = x[i][2] - m.z;
      laplace::add_mass<parts>(m.w, dx, dy, dz, approximate_inverse_sqrt(dx * dx + dy * dy + dz * dz), sum[i]);
    }
  }
};

}  // namespace farfield::cuda
