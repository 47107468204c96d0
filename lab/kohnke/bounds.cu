// The two microkernels of section 4.3 that bound figures 15 and 16: the arithmetic and the memory traffic of the
// transformations without the algorithm. Between them lie the variants.
//
// memory_bound: three accesses of eight bytes per complex product, O(p^4) of them. compute_bound: a thread per target
// moment loads one operator element and one multipole moment, does the (p+1)^2 products of its sum in registers and
// stores the moment, O(p^2) accesses. Addresses run through rings that no cache holds.
#include <algorithm>

#include "trial.hpp"

namespace farfield::lab {
namespace {

constexpr std::int64_t ring = std::int64_t(1) << 26;  ///< numbers of eight bytes in each of three rings
constexpr int threads = 256;

__global__ void fill_kernel(float2* data, std::int64_t count) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) data[i] = {1e-3f * static_cast<float>(i % 1021), 1e-3f * static_cast<float>(i % 509) - 0.25f};
}

__global__ void memory_kernel(const float2* a, const float2* b, float2* to, std::int64_t products) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= products) return;
  const float2 x = a[i], y = b[i];
  to[i] = {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x};
}

__global__ void compute_kernel(const float2* a, const float2* b, float2* to, std::int64_t targets, int products) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= targets) return;
  const float2 x = a[i & (ring - 1)], y = b[i & (ring - 1)];
  float ac = 0, bd = 0, ad = 0, bc = 0;  // eq. 29: four chains; fmaf, since a plain product would leave the loop
#pragma unroll 8
  for (int n = 0; n < products; ++n) {
    ac = fmaf(x.x, y.x, ac);
    bd = fmaf(x.y, y.y, bd);
    ad = fmaf(x.x, y.y, ad);
    bc = fmaf(x.y, y.x, bc);
  }
  to[i & (ring - 1)] = {ac - bd, ad + bc};
}

}  // namespace

void Trial::fill_rings() {
  if (!ring_.empty()) return;
  ring_.resize(3 * ring);
  fill_kernel<<<static_cast<unsigned>(3 * ring / threads), threads>>>(ring_.data(), 3 * ring);
}

void Trial::memory_bound() {
  fill_rings();
  // A launch per round: blocks that ran ahead into the next round would find in the L2 cache what others still read.
  for (std::int64_t left = transformations() * products(); left > 0; left -= ring) {
    const std::int64_t round = std::min(left, ring);
    memory_kernel<<<static_cast<unsigned>((round + threads - 1) / threads), threads>>>(
        ring_.data(), ring_.data() + ring, ring_.data() + 2 * ring, round);
  }
  cuda::require_launch("the bound by memory");
}

void Trial::compute_bound() {
  fill_rings();
  const std::int64_t targets = transformations() * triangle(level_.degree);
  compute_kernel<<<static_cast<unsigned>((targets + threads - 1) / threads), threads>>>(
      ring_.data(), ring_.data() + ring, ring_.data() + 2 * ring, targets, (level_.degree + 1) * (level_.degree + 1));
  cuda::require_launch("the bound by arithmetic");
}

}  // namespace farfield::lab
