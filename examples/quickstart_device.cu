#include <cstdio>
#include <farfield/farfield.hpp>
#include <vector>

template <class T>
T* on_device(const std::vector<T>& values) {
  T* data = nullptr;
  cudaMalloc(&data, values.size() * sizeof(T));
  cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return data;
}

int main() {
  if (farfield::devices().empty()) return std::printf("there is no CUDA device\n"), 77;
  const float* xyz = on_device<float>({0, 0, 0, 2, 0, 0, 0, 3, 0});  // three points: x y z, x y z, ...
  const float* q = on_device<float>({3, -4, 1});                     // their strengths
  float *potential = on_device<float>({0, 0, 0}), *gradient = on_device<float>(std::vector<float>(9));
  cudaStream_t stream = nullptr;  // any stream of yours

  farfield::Points points = farfield::points(xyz, 3);
  points.space = farfield::MemorySpace::device, points.stream = stream;
  farfield::Strengths strengths = farfield::strengths(q, 3);
  strengths.space = farfield::MemorySpace::device, strengths.stream = stream;
  farfield::Outputs results{potential, gradient};
  results.scalar = farfield::scalar_of<float>;
  results.space = farfield::MemorySpace::device, results.stream = stream;

  farfield::Plan plan(points, {.tolerance = 1e-6, .gradient = true});
  plan.evaluate(strengths, results);  // again and again, for other strengths
  plan.move(points);                  // new positions; memory and tables are kept

  float u[3];
  cudaMemcpy(u, potential, sizeof u, cudaMemcpyDeviceToHost);
  for (const float value : u) std::printf("potential %9.6f\n", static_cast<double>(value));
}
