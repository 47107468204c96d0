// Direct sums in double at a few targets (judge/direct_sum.hpp): a block per target and share of the sources.
#include <algorithm>

#include "backends/cuda/judge/add_source.hpp"
#include "backends/cuda/judge/direct_sums.hpp"
#include "backends/cuda/judge/moments/sums.hpp"
#include "backends/cuda/near/moments/moments.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/tuning.hpp"
#include "kernels/inverse_square.hpp"
#include "kernels/registry.hpp"

namespace farfield::cuda {

static constexpr int threads = tuning::direct_sum_threads, shares = tuning::direct_sum_shares;

/// Share blockIdx.y of the sources at target blockIdx.x; lanes are summed in a fixed order.
template <class Kernel, class Real>
__global__ void direct_sums_kernel(NearWork<Real> work, std::int64_t sources, const std::int64_t* targets,
                                   double* out) {
  const std::int64_t t = targets[blockIdx.x], share = (sources + shares - 1) / shares;
  const std::int64_t begin = share * blockIdx.y, end = begin + share < sources ? begin + share : sources;
  const double x[3] = {work.target[0][t], work.target[1][t], work.target[2][t]};
  double sum[with_gradient] = {};
  for (std::int64_t j = begin + threadIdx.x; j < end; j += threads)
    add_source<Kernel>(work, t, j, x[0] - work.source[0][j], x[1] - work.source[1][j], x[2] - work.source[2][j],
                       static_cast<double>(work.strength[j]), sum);
  __shared__ double lane[threads];
  for (int a = 0; a < with_gradient; ++a) {
    lane[threadIdx.x] = sum[a];
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
      if (static_cast<int>(threadIdx.x) < half) lane[threadIdx.x] += lane[threadIdx.x + half];
      __syncthreads();
    }
    if (threadIdx.x == 0) out[(blockIdx.x * shares + blockIdx.y) * with_gradient + a] = lane[0];
    __syncthreads();
  }
}

/// The sums that take moments, at targets in device memory; some at a time, for which 9 MB are enough.
template <class Real>
static std::vector<DirectSum> with_moments_at(const NearWork<Real>& work, const DeviceArray<std::int64_t>& at,
                                              Kernel kernel, DeviceMemory& memory) {
  constexpr std::int64_t most = 1024, each = moment_sums::numbers(false);
  DeviceArray<double> numbers(memory);
  numbers.resize(moment_sums::room(std::min(most, at.size()), false));
  std::vector<double> own(static_cast<std::size_t>(at.size() * each));
  for (std::int64_t k = 0; k < at.size(); k += most) {
    const std::int64_t count = std::min(most, at.size() - k);
    moment_sums::launch(work, kernel, {at.data() + k, count}, numbers.data(), memory.stream);
    download(own.data() + k * each, numbers.data(), count * each, memory.stream);
  }
  require(cudaStreamSynchronize(memory.stream), "cudaStreamSynchronize");
  std::vector<DirectSum> sums(static_cast<std::size_t>(at.size()));
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = moment_sums::of_numbers(&own[k * each], false);
  return sums;
}

template <class Real>
std::vector<DirectSum> direct_sums(const NearWork<Real>& work, int parts_wanted,
                                   const std::vector<std::int64_t>& targets, Kernel kernel, DeviceMemory& memory) {
  std::vector<DirectSum> sums(targets.size());
  if (targets.empty() || work.sources == 0) return sums;
  DeviceArray<std::int64_t> at(memory);
  const auto count = static_cast<std::int64_t>(targets.size());
  upload(at, targets.data(), count, memory.stream);
  if (parts_wanted == with_hessian || takes_moments(work)) return with_moments_at(work, at, kernel, memory);
  DeviceArray<double> parts(memory);
  parts.resize(count * shares * with_gradient);
  const auto sum = with_device_kernel(kernel, [&](auto k) {
    return with_blobs<decltype(k)>(work.parameters, parts_wanted != gradient_alone,
                                   []<class K>(std::type_identity<K>) { return &direct_sums_kernel<K, Real>; });
  });
  sum<<<dim3(static_cast<unsigned>(count), shares), threads, 0, memory.stream>>>(work, work.sources, at.data(),
                                                                                 parts.data());
  require_launch("direct_sums_kernel");
  std::vector<double> part(static_cast<std::size_t>(parts.size()));
  download(part.data(), parts.data(), parts.size(), memory.stream);
  require(cudaStreamSynchronize(memory.stream), "cudaStreamSynchronize");
  for (std::size_t k = 0; k < sums.size(); ++k)
    for (std::size_t s = 0; s < shares; ++s) {
      const double* p = part.data() + (k * shares + s) * with_gradient;
      for (int part = 0; part < with_gradient; ++part) sums[k].part[part] += p[part];
    }
  return sums;
}

template std::vector<DirectSum> direct_sums<float>(const NearWork<float>&, int, const std::vector<std::int64_t>&,
                                                   Kernel, DeviceMemory&);
template std::vector<DirectSum> direct_sums<double>(const NearWork<double>&, int, const std::vector<std::int64_t>&,
                                                    Kernel, DeviceMemory&);

}  // namespace farfield::cuda
