// Direct sums at eight targets, all sources, every source read once for all. Once per target and all in double took
// 1.3 ms at 2^24 sources, and the host waited for it in every evaluation; now 0.57 ms.
#include <algorithm>

#include "backends/cuda/check.hpp"
#include "backends/cuda/condition.hpp"
#include "backends/cuda/device.hpp"
#include "backends/cuda/parallel.hpp"

namespace farfield::cuda {
namespace {

constexpr int threads = 128, most_blocks = 660;  // five per multiprocessor of the largest devices
constexpr int numbers = 6;                       // of DirectSum
constexpr int most_targets = 8, sums = most_targets * numbers;

struct ProbeTargets {
  std::int64_t at[most_targets];
};

/// What one source adds to the six sums of a target: in double whatever the distance.
template <class Real>
__device__ void add_pair(const Work<Real>& work, std::int64_t t, std::int64_t source, double dx, double dy, double dz,
                         double q, double sum[numbers]) {
  const double r2 = dx * dx + dy * dy + dz * dz, softening2 = work.softening * work.softening;
  const bool softened = work.softening > 0;
  const double inverse = r2 > 0 ? rsqrt(r2 + softening2) : 0.0, w = q * inverse, w3 = w * inverse * inverse;
  sum[0] += w;
  sum[1] -= w3 * dx, sum[2] -= w3 * dy, sum[3] -= w3 * dz;
  sum[4] += fabs(w), sum[5] += softened ? fabs(w3) * sqrt(r2) : fabs(w) * inverse;
  if (softened && !(r2 > 0) && source + work.self_from != t) {  // coincident, but not the target itself
    sum[0] += q / work.softening;
    sum[4] += fabs(q) / work.softening;
  }
}

/// The same in single, without softening, which does for nearly all pairs: an estimate needs two digits, and from this
/// distance on (of extents up to 1) nothing overflows.
constexpr float least_square = 1e-14f;
__device__ inline void add_far_pair(float dx, float dy, float dz, float r2, float q, float sum[numbers]) {
  const float inverse = rsqrtf(r2), w = q * inverse, w3 = w * inverse * inverse;
  sum[0] += w;
  sum[1] -= w3 * dx, sum[2] -= w3 * dy, sum[3] -= w3 * dz;
  sum[4] += fabsf(w), sum[5] += fabsf(w) * inverse;
}

/// The targets, and sums of pairs that need double; few sources have such.
struct ProbeShared {
  double at[most_targets][3];
  std::int64_t target[most_targets];
  double near[sums][threads];
};

template <class Real>
__device__ void add_near_pair(const Work<Real>& work, int k, std::int64_t source, double dx, double dy, double dz,
                              double q, ProbeShared& shared) {
  double sum[numbers] = {};
  add_pair(work, shared.target[k], source, dx, dy, dz, q, sum);
  for (int e = 0; e < numbers; ++e) shared.near[k * numbers + e][threadIdx.x] += sum[e];
}

template <class Real>
__device__ void add_source(const Work<Real>& work, std::int64_t source, ProbeShared& shared,
                           float far[most_targets][numbers]) {
  const double q = static_cast<double>(work.strength[source]);
  const double x = work.source[0][source], y = work.source[1][source], z = work.source[2][source];
#pragma unroll
  for (int k = 0; k < most_targets; ++k) {
    const double dx = shared.at[k][0] - x, dy = shared.at[k][1] - y, dz = shared.at[k][2] - z;
    const auto fx = static_cast<float>(dx), fy = static_cast<float>(dy), fz = static_cast<float>(dz);
    const float r2 = fx * fx + fy * fy + fz * fz;
    if (r2 > least_square && !(work.softening > 0))
      add_far_pair(fx, fy, fz, r2, static_cast<float>(q), far[k]);
    else
      add_near_pair(work, k, source, dx, dy, dz, q, shared);
  }
}

/// A block sums a share of the sources.
template <class Real, bool counting>
__global__ void __launch_bounds__(threads) probe_kernel(Work<Real> work, ProbeTargets targets, double* part) {
  extern __shared__ __align__(16) unsigned char memory[];
  ProbeShared& shared = *reinterpret_cast<ProbeShared*>(memory);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < most_targets) {
    shared.target[thread] = targets.at[thread];
    for (int axis = 0; axis < 3; ++axis) shared.at[thread][axis] = work.target[axis][targets.at[thread]];
  }
  for (int e = 0; e < sums; ++e) shared.near[e][thread] = 0;
  __syncthreads();
  float far[most_targets][numbers] = {};
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
  for (std::int64_t j = static_cast<std::int64_t>(blockIdx.x) * threads + thread; j < work.sources; j += step) {
    if constexpr (counting) {
      const double q = static_cast<double>(work.strength[j]);
      for (int k = 0; k < most_targets; ++k)
        shared.near[k * numbers][thread] += q, shared.near[k * numbers + 4][thread] += fabs(q);
    } else {
      add_source(work, j, shared, far);
    }
  }
#pragma unroll
  for (int e = 0; e < sums; ++e) shared.near[e][thread] += static_cast<double>(far[e / numbers][e % numbers]);
  __syncthreads();
  for (int e = thread / 32; e < sums; e += threads / 32) {
    double all = 0;
    for (int from = thread % 32; from < threads; from += 32) all += shared.near[e][from];
    all = sum_of_warp(all);
    if (thread % 32 == 0) part[e * gridDim.x + blockIdx.x] = all;
  }
}

/// sum[e] = sum of part[e][0 ... shares - 1], a warp each.
__global__ void add_shares(const double* part, int shares, double* sum) {
  const double* own = part + static_cast<std::int64_t>(blockIdx.x) * shares;
  double all = 0;
  for (int k = static_cast<int>(threadIdx.x); k < shares; k += 32) all += own[k];
  all = sum_of_warp(all);
  if (threadIdx.x == 0) sum[blockIdx.x] = all;
}

}  // namespace

ConditionProbe::ConditionProbe(DeviceMemory& memory) : part_(memory), sum_(memory) {
  require(cudaMallocHost(&found_, most_targets * numbers * sizeof(double)), "cudaMallocHost");
}
ConditionProbe::~ConditionProbe() { cudaFreeHost(found_); }

template <class Real>
void ConditionProbe::launch(const Work<Real>& work, Kernel kernel) {
  ProbeTargets targets{};
  const std::vector<std::int64_t> at = work.sources > 0 ? condition_targets(work.targets) : std::vector<std::int64_t>{};
  targets_ = at.size();
  if (targets_ == 0) return;
  std::copy(at.begin(), at.end(), targets.at);  // the others stay target 0: there are fewer than eight
  const auto shares = static_cast<int>(std::min<std::int64_t>(most_blocks, (work.sources + threads - 1) / threads));
  part_.resize(std::int64_t(sums) * shares);
  sum_.resize(sums);
  const auto probe = kernel == Kernel::count ? probe_kernel<Real, true> : probe_kernel<Real, false>;
  allow_shared_memory(reinterpret_cast<const void*>(probe));
  probe<<<static_cast<unsigned>(shares), threads, sizeof(ProbeShared), work.stream>>>(work, targets, part_.data());
  require_launch("probe_kernel");
  add_shares<<<sums, 32, 0, work.stream>>>(part_.data(), shares, sum_.data());
  require_launch("add_shares");
  download(found_, sum_.data(), sums, work.stream);
}

Condition ConditionProbe::result() const {
  std::vector<DirectSum> sums(targets_);
  for (std::size_t k = 0; k < targets_; ++k) {
    const double* p = found_ + k * numbers;
    sums[k] = {p[0], p[1], p[2], p[3], p[4], p[5]};
  }
  return condition_of(sums);
}

template void ConditionProbe::launch(const Work<float>&, Kernel);
template void ConditionProbe::launch(const Work<double>&, Kernel);

}  // namespace farfield::cuda
