// Step 3: the same sum on a GPU. Tens of thousands of threads run one function, the kernel, each for one target.
//
// The GPU has a memory of its own: allocate there, copy the bodies to it, launch the kernel, copy the results back. In
// single precision, the usual choice on a GPU: 7 digits, and numbers of half the length. pair(), one term of the sum,
// is in course.cuh.
#include "course.cuh"

using namespace course;

constexpr unsigned threads = 128;  // in a block; this step wants N to be a multiple of it

__global__ void potentials(const float4* bodies, float* u, unsigned n) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;  // this thread's target
  const float4 target = bodies[i];
  float sum = 0;
  for (unsigned j = 0; j < n; ++j) sum += pair(target, bodies[j]);
  u[i] = sum;
}

int main(int argc, char** argv) {
  const auto [n, seed, figure] = arguments(argc, argv, 4096);
  if (n % threads != 0) return std::printf("N must be a multiple of %u; step 5 takes any\n", threads), 2;
  require_device();
  const Bodies bodies = random_bodies(n, seed);
  const std::vector<float4> on_host = single(bodies);
  std::vector<float> u(n);

  float4* on_device = nullptr;
  float* u_on_device = nullptr;
  require(cudaMalloc(&on_device, n * sizeof(float4)));
  require(cudaMalloc(&u_on_device, n * sizeof(float)));
  require(cudaMemcpy(on_device, on_host.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
  const unsigned count = static_cast<unsigned>(n);
  const double time = device_seconds([&] { potentials<<<count / threads, threads>>>(on_device, u_on_device, count); });
  require(cudaMemcpy(u.data(), u_on_device, n * sizeof(float), cudaMemcpyDeviceToHost));
  require(cudaFree(on_device));
  require(cudaFree(u_on_device));

  std::vector<double> before;
  const double slow = seconds([&] { before = direct_sum(bodies); });
  std::printf("step 1: %9.2e s\nGPU:    %9.2e s, %8.2e pairs/s\n", slow, time, static_cast<double>(n * n) / time);
  // Single precision: a term errs by 1e-7 (rsqrtf by 2 units in the last place), and close pairs by the rounding of
  // their coordinates, 3e-8 over a distance of 1/100; sums of 4096 terms add some more.
  return judge("GPU, single precision, against step 1", relative_error(u, before), 1e-5);
}
