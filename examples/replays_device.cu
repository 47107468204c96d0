// Time steps in a CUDA graph: the plan's calls are captured once and replayed as the positions change.
#include <cstdio>
#include <farfield/farfield.hpp>
#include <random>
#include <vector>

template <class T>
T* on_device(const std::vector<T>& values) {
  T* data = nullptr;
  cudaMalloc(&data, values.size() * sizeof(T));
  cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return data;
}

__global__ void drift(float* xyz, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) xyz[i] += 1e-4f;
}

int main() {
  if (farfield::devices().empty()) return std::printf("there is no CUDA device\n"), 77;
  const int n = 16384;
  std::mt19937 bits(1);
  std::uniform_real_distribution<float> place(0, 1);
  std::vector<float> places(3 * n);
  for (float& x : places) x = place(bits);
  float *xyz = on_device(places), *gradient = on_device(std::vector<float>(3 * n));
  const float* q = on_device(std::vector<float>(n, 1));
  cudaStream_t stream;  // not the default stream, which cannot be captured
  cudaStreamCreate(&stream);

  farfield::Points points = farfield::points(xyz, n);
  points.space = farfield::MemorySpace::device, points.stream = stream;
  farfield::Strengths strengths = farfield::strengths(q, n);
  strengths.space = farfield::MemorySpace::device, strengths.stream = stream;
  farfield::Outputs results{nullptr, gradient};
  results.scalar = farfield::scalar_of<float>;
  results.space = farfield::MemorySpace::device, results.stream = stream;

  farfield::Options options;
  options.method = farfield::Method::fmm, options.precision = farfield::Precision::single_;
  options.degree = 5, options.gradient = true, options.skin = 0.01;
  farfield::Plan plan(points, options);
  plan.evaluate(strengths, results);  // once after the last move: memory grows, kernels are loaded

  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  drift<<<(3 * n + 255) / 256, 256, 0, stream>>>(xyz, 3 * n);
  plan.move(points);  // within the skin: points follow in the tree that there is
  plan.evaluate(strengths, results);
  cudaGraph_t graph;
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t step;
  cudaGraphInstantiate(&step, graph, 0);

  for (int i = 0; i < 50; ++i) cudaGraphLaunch(step, stream);
  cudaStreamSynchronize(stream);
  plan.check_replays();  // throws where a point went farther than the skin
  std::printf("50 steps of %d points\n", n);
}
