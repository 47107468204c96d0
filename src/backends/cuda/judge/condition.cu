// Direct sums at eight targets over all sources, each source read once for all targets. Reading it once per target, all
// in double, took 1.3 ms at 2^24 sources, and the host waited for it in every evaluation; in line with the stages the
// sums take a 70th of an evaluation.
#include <algorithm>
#include <cmath>

#include "backends/cuda/judge/add_source.hpp"
#include "backends/cuda/judge/condition.hpp"
#include "backends/cuda/judge/moments/sums.hpp"
#include "backends/cuda/near/moments/moments.hpp"
#include "backends/cuda/runtime/block_sum.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/tuning.hpp"
#include "kernels/inverse_square.hpp"
#include "kernels/registry.hpp"

namespace farfield::cuda {
namespace {

constexpr int probe_threads = tuning::condition_threads;
/// Of a target: those of TermSums in its order; where Plummer's softening, or a core, `lacks` something beyond the near
/// field, the parts of DirectSum::lacking as well.
template <bool lacks>
constexpr int numbers = lacks ? 8 : 4;
constexpr int most_targets = 8, most_sums = most_targets * moment_sums::numbers(true);
template <bool lacks>
constexpr int sums = most_targets* numbers<lacks>;

struct ProbeTargets {
  std::int64_t at[most_targets];
};

template <class V>
__device__ void add_terms(const PairTerms<V>& terms, V* sum) {
  sum[0] += terms.potential, sum[1] += terms.gradient;
  sum[2] += terms.potential * terms.potential, sum[3] += terms.gradient * terms.gradient;
}

/// From this squared distance on, with extents up to 1, nothing overflows in single, which serves nearly all pairs of
/// 1/r: an estimate needs two digits.
constexpr float least_far_square = 1e-14f;

/// Squared distances from which on the kernel is 1/r, or counts as such.
struct Beyond {
  float far;   ///< for single
  double to2;  ///< square of DirectInput::softened_to
};

/// A number as the sum of two in single. Differences of such numbers need no double; its conversions would take most
/// of the time.
struct Split {
  float high, low;
  __device__ static Split of(double x) {
    const auto high = static_cast<float>(x);
    return {high, static_cast<float>(x - static_cast<double>(high))};
  }
  __device__ float operator-(const Split& other) const { return (high - other.high) + (low - other.low); }
};

/// The targets, and sums of the pairs that need double; few sources have such pairs.
template <bool lacks>
struct ProbeShared {
  double at[most_targets][3];
  Split split[most_targets][3];
  std::int64_t target[most_targets];
  double near[sums<lacks>][probe_threads];
};

/// One source in double.
struct ProbeSource {
  double x[3], q;

  template <class Real>
  __device__ void load(const NearWork<Real>& work, std::int64_t source) {
    for (int axis = 0; axis < 3; ++axis) x[axis] = work.source[axis][source];
    q = static_cast<double>(work.strength[source]);
  }
};

/// The kernel as expansions have it: without core.
template <class Kernel>
__device__ Kernel pair_of_expansions(const KernelParameters& parameters) {
  const Kernel kernel = kernel_of<Kernel>(parameters);
  if constexpr (HasCore<Kernel>) return kernel_of<Kernel>(kernel.bare());
  return kernel;
}

/// Adds the pairs of one source with the targets whose bits are set in `near`.
template <class Kernel, bool lacks, class Real>
__device__ void add_near_pairs(const NearWork<Real>& work, unsigned near, std::int64_t source, const ProbeSource& from,
                               double to2, ProbeShared<lacks>& shared) {
  for (; near; near &= near - 1) {
    const int k = __ffs(static_cast<int>(near)) - 1;
    double sum[numbers<lacks>] = {}, out[4] = {};
    const double* at = shared.at[k];
    const double dx = at[0] - from.x[0], dy = at[1] - from.x[1], dz = at[2] - from.x[2];
    add_source<Kernel>(work, shared.target[k], source, dx, dy, dz, from.q, out);
    add_terms<double>({fabs(out[0]), norm3d(out[1], out[2], out[3])}, sum);
    if constexpr (lacks) {
      const double r2 = dx * dx + dy * dy + dz * dz;
      if (r2 > to2) {
        constexpr int parts = HasCore<Kernel> && !CountsCoincident<Kernel> ? gradient_alone : with_gradient;
        pair_of_expansions<Kernel>(work.parameters).template pair<parts>(r2, dx, dy, dz, from.q, sum + 4);
        for (int part = first_part(parts); part < with_gradient; ++part) sum[4 + part] -= out[part];
      }
    }
    for (int e = 0; e < numbers<lacks>; ++e) shared.near[k * numbers<lacks> + e][threadIdx.x] += sum[e];
  }
}

/// Adds the pairs that single can do, without a branch so that those of eight targets overlap. Returns the others, as
/// bits. What these lack is found to first order in the square of the softening, by which it is multiplied later.
template <class Kernel, bool lacks>
__device__ unsigned add_far_pairs(const Kernel& kernel, const ProbeSource& from, float far_square,
                                  const ProbeShared<lacks>& shared, float (&far)[most_targets][numbers<lacks>]) {
  const auto q = static_cast<float>(fabs(from.q));
  const Split x = Split::of(from.x[0]), y = Split::of(from.x[1]), z = Split::of(from.x[2]);
  unsigned near = 0;
#pragma unroll
  for (int k = 0; k < most_targets; ++k) {
    const float dx = shared.split[k][0] - x, dy = shared.split[k][1] - y, dz = shared.split[k][2] - z;
    const float r2 = dx * dx + dy * dy + dz * dz;
    const bool is_far = r2 > far_square;
    near |= (is_far ? 0u : 1u) << k;
    add_terms(pair_terms(kernel, is_far ? r2 : 1.0f, dx, dy, dz, is_far ? q : 0.0f), far[k]);
    if constexpr (lacks && Kernel::softens) {
      const float inverse = rsqrtf(is_far ? r2 : 1.0f), square = inverse * inverse;
      const float third = is_far ? static_cast<float>(from.q) * inverse * square : 0.0f, fifth = third * square;
      far[k][4] += third;
      far[k][5] += fifth * dx, far[k][6] += fifth * dy, far[k][7] += fifth * dz;
    }
  }
  return near;
}

/// By which the sum `e` of far pairs is multiplied: 1/r exceeds Plummer's kernel by eps^2 / 2 r^3, its gradient by
/// -3 eps^2 d / 2 r^5.
__device__ inline double factor_of(int e, double softening) {
  return e < 4 ? 1 : (e == 4 ? 0.5 : -1.5) * softening * softening;
}

/// A block sums a share of the sources.
template <class Kernel, bool lacks, class Real>
__global__ void __launch_bounds__(probe_threads)
    probe_kernel(NearWork<Real> work, ProbeTargets targets, Beyond beyond, double* part) {
  constexpr int numbers = cuda::numbers<lacks>, sums = cuda::sums<lacks>;
  extern __shared__ __align__(16) unsigned char memory[];
  ProbeShared<lacks>& shared = *reinterpret_cast<ProbeShared<lacks>*>(memory);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < most_targets) {
    shared.target[thread] = targets.at[thread];
    for (int axis = 0; axis < 3; ++axis) {
      shared.at[thread][axis] = work.target[axis][targets.at[thread]];
      shared.split[thread][axis] = Split::of(shared.at[thread][axis]);
    }
  }
  for (int e = 0; e < sums; ++e) shared.near[e][thread] = 0;
  __syncthreads();
  const Kernel kernel = kernel_of<Kernel>(work.parameters);
  float far[most_targets][numbers] = {};
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * probe_threads;
  std::int64_t j = static_cast<std::int64_t>(blockIdx.x) * probe_threads + thread;
  ProbeSource next{};
  if (j < work.sources) next.load(work, j);
  while (j < work.sources) {
    const ProbeSource from = next;
    const std::int64_t source = j;
    j += step;
    if (j < work.sources) next.load(work, j);  // loads while the pairs of `from` are summed
    const unsigned near = add_far_pairs(kernel, from, beyond.far, shared, far);
    if (near) add_near_pairs<Kernel>(work, near, source, from, beyond.to2, shared);
  }
#pragma unroll
  for (int e = 0; e < sums; ++e)
    shared.near[e][thread] +=
        factor_of(e % numbers, work.softening.length) * static_cast<double>(far[e / numbers][e % numbers]);
  __syncthreads();
  for (int e = thread / 32; e < sums; e += probe_threads / 32) {
    double all = 0;
    for (int from = thread % 32; from < probe_threads; from += 32) all += shared.near[e][from];
    all = sum_of_warp(all);
    if (thread % 32 == 0) part[e * gridDim.x + blockIdx.x] = all;
  }
}

/// Plummer's kernel without expansions is nowhere 1/r. A Gaussian core lacks t beyond softened_to, t^4 at twice that:
/// so far single serves no pairs, since a difference of t would have no digits in it.
template <class Real>
Beyond beyond(const NearWork<Real>& work, double softened_to) {
  const double length = work.softening.length;
  const bool spline = work.softening.kind == SofteningKind::spline;
  const double core = std::isfinite(softened_to) ? 2 * softened_to : 0;
  const double from = length == 0 ? core : spline ? length : softened_to;
  return {std::max(least_far_square, static_cast<float>(from * from)), softened_to * softened_to};
}

template <class K, class Real>
auto probe_of(bool lacks) {
  if constexpr (K::softens || HasCore<K>)
    if (lacks) return &probe_kernel<K, true, Real>;
  return &probe_kernel<K, false, Real>;
}

}  // namespace

ConditionProbe::ConditionProbe(DeviceMemory& memory) : part_(memory), sum_(memory), at_(memory), found_(most_sums) {}

template <class Real>
void ConditionProbe::launch(const NearWork<Real>& work, Kernel kernel, double softened_to, SideStream& side) {
  lacks_ = std::isfinite(softened_to);
  moments_ = takes_moments(work);
  ProbeTargets targets{};
  const std::vector<std::int64_t> at = work.sources > 0 ? condition_targets(work.targets) : std::vector<std::int64_t>{};
  targets_ = at.size();
  if (targets_ == 0) return;
  if (moments_) return launch_moments(work, kernel, at, softened_to, side);
  std::copy(at.begin(), at.end(), targets.at);  // where there are fewer than eight, the rest stay target 0
  const auto shares = static_cast<int>(
      std::min<std::int64_t>(tuning::condition_blocks, (work.sources + probe_threads - 1) / probe_threads));
  const unsigned sums = lacks_ ? cuda::sums<true> : cuda::sums<false>;
  part_.resize(std::int64_t(sums) * shares);
  sum_.resize(sums);
  const auto probe = with_device_kernel(kernel, [&](auto k) {
    return with_blobs<decltype(k)>(work.parameters, work.result.part[0],
                                   [&]<class K>(std::type_identity<K>) { return probe_of<K, Real>(lacks_); });
  });
  allow_shared_memory(reinterpret_cast<const void*>(probe));
  const cudaStream_t stream = side.fork(work.stream);
  probe<<<static_cast<unsigned>(shares), probe_threads, lacks_ ? sizeof(ProbeShared<true>) : sizeof(ProbeShared<false>),
          stream>>>(work, targets, beyond(work, softened_to), part_.data());
  require_launch("probe_kernel");
  add_shares<<<sums, 32, 0, stream>>>(part_.data(), shares, sum_.data());
  require_launch("add_shares");
  download(found_.data(), sum_.data(), sums, stream);
}

/// Of sources with dipoles, with the Hessian, or with cores: the results are found, too.
template <class Real>
void ConditionProbe::launch_moments(const NearWork<Real>& work, Kernel kernel, const std::vector<std::int64_t>& at,
                                    double softened_to, SideStream& side) {
  upload(at_, at.data(), std::ssize(at), work.stream);
  part_.resize(moment_sums::room(std::ssize(at), lacks_));
  const cudaStream_t stream = side.fork(work.stream);
  moment_sums::launch(work, kernel, {at_.data(), std::ssize(at), softened_to}, part_.data(), stream);
  download(found_.data(), part_.data(), std::ssize(at) * moment_sums::numbers(lacks_), stream);
}

/// Without moments the results themselves are not known.
std::vector<DirectSum> ConditionProbe::sums() const {
  const int each = moments_ ? moment_sums::numbers(lacks_) : lacks_ ? numbers<true> : numbers<false>;
  std::vector<DirectSum> sums(targets_);
  for (std::size_t k = 0; k < targets_; ++k) {
    const double* p = found_.data() + k * static_cast<std::size_t>(each);
    if (moments_) {
      sums[k] = moment_sums::of_numbers(p, lacks_);
      continue;
    }
    std::copy_n(p, 2, sums[k].absolute);
    std::copy_n(p + 2, 2, sums[k].square);
    if (lacks_) std::copy_n(p + 4, with_gradient, sums[k].missing);
  }
  return sums;
}

template void ConditionProbe::launch(const NearWork<float>&, Kernel, double, SideStream&);
template void ConditionProbe::launch(const NearWork<double>&, Kernel, double, SideStream&);

}  // namespace farfield::cuda
