// Step 4: tiles in shared memory. In step 3 every thread reads every body from the GPU's large, slow memory. Now the
// threads of a block read a tile of 128 bodies together, one body each, into the small, fast memory that they share,
// and each of them then uses all 128: one read from afar for 128 pairs.
//
// __syncthreads() stands twice: nobody reads the tile before all of it is there, nobody overwrites it before all have
// read it.
#include "course.cuh"

using namespace course;

constexpr unsigned threads = 128;  // in a block, and bodies in a tile; N must be a multiple of it

/// Step 3's kernel, to be compared with.
__global__ void plain(const float4* bodies, float* u, unsigned n) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  const float4 target = bodies[i];
  float sum = 0;
  for (unsigned j = 0; j < n; ++j) sum += pair(target, bodies[j]);
  u[i] = sum;
}

__global__ void tiled(const float4* bodies, float* u, unsigned n) {
  __shared__ float4 tile[threads];
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  const float4 target = bodies[i];
  float sum = 0;
  for (unsigned first = 0; first < n; first += threads) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    for (unsigned j = 0; j < threads; ++j) sum += pair(target, tile[j]);
    __syncthreads();
  }
  u[i] = sum;
}

int main(int argc, char** argv) {
  const auto [n, seed, figure] = arguments(argc, argv, 4096);
  if (n % threads != 0) return std::printf("N must be a multiple of %u; step 5 takes any\n", threads), 2;
  require_device();
  const Bodies bodies = random_bodies(n, seed);
  const OnDevice<float4> on_device(single(bodies));
  const OnDevice<float> before{std::vector<float>(n)}, now{std::vector<float>(n)};
  const unsigned count = static_cast<unsigned>(n), blocks = count / threads;
  const double slow = device_seconds([&] { plain<<<blocks, threads>>>(on_device.data(), before.data(), count); });
  const double fast = device_seconds([&] { tiled<<<blocks, threads>>>(on_device.data(), now.data(), count); });
  const double pairs = static_cast<double>(n * n);
  std::printf("step 3: %9.2e s, %8.2e pairs/s\ntiled:  %9.2e s, %8.2e pairs/s\n", slow, pairs / slow, fast,
              pairs / fast);
  const std::vector<float> u = before.read();
  // The same terms in the same order; only what is fused into one instruction may differ.
  return judge("tiles against step 3", relative_error(now.read(), std::vector<double>(u.begin(), u.end())), 1e-6) +
         judge("tiles against step 1", relative_error(now.read(), direct_sum(bodies)), 1e-5);
}
