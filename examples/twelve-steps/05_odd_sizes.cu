// Step 5: any number of bodies. The last block has threads without a target, the last tile has places without a source.
//
// A thread without a target must not leave: it still loads its part of each tile and stops at each __syncthreads(),
// where the others wait for it. So it computes along, from a body that exists, and only does not write. A place without
// a source gets a body of mass zero, which adds nothing, so that the inner loop keeps its fixed length.
#include "course.cuh"

using namespace course;

constexpr unsigned threads = 128;

__global__ void potentials(const float4* bodies, float* u, unsigned n) {
  __shared__ float4 tile[threads];
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  const float4 target = bodies[min(i, n - 1)];
  float sum = 0;
  for (unsigned first = 0; first < n; first += threads) {
    const unsigned j = first + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : float4{0, 0, 0, 0};
    __syncthreads();
    for (unsigned k = 0; k < threads; ++k) sum += pair(target, tile[k]);
    __syncthreads();
  }
  if (i < n) u[i] = sum;
}

/// The error against step 1 for the first n bodies, and in `beyond` what the kernel wrote behind the n-th result.
double error_of(const Bodies& bodies, std::size_t n, float& beyond) {
  const Bodies some(bodies.begin(), bodies.begin() + static_cast<std::ptrdiff_t>(n));
  const OnDevice<float4> on_device(single(some));
  const OnDevice<float> u(std::vector<float>(n + threads));  // room behind the results, to see that it stays untouched
  const unsigned count = static_cast<unsigned>(n);
  potentials<<<(count + threads - 1) / threads, threads>>>(on_device.data(), u.data(), count);
  require(cudaGetLastError());
  const std::vector<float> all = u.read();
  for (std::size_t i = n; i < all.size(); ++i) beyond += std::fabs(all[i]);
  return relative_error(all, direct_sum(some));
}

int main(int argc, char** argv) {
  const auto [n, seed, figure] = arguments(argc, argv, 4099);
  require_device();
  const Bodies bodies = random_bodies(n, seed);
  int failures = 0;
  float beyond = 0;
  for (const std::size_t size : {std::size_t{2}, std::size_t{127}, std::size_t{128}, std::size_t{129}, n}) {
    if (size > n) continue;
    char what[64];
    std::snprintf(what, sizeof what, "N = %zu against step 1", size);
    failures += judge(what, error_of(bodies, size, beyond), 1e-5);
  }
  return failures + judge("written behind the last result", static_cast<double>(beyond), 0);
}
