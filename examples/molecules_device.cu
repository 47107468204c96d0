// Two molecules of water in a periodic cube, with arrays in device memory: nm, elementary charges, kJ/mol.
#include <cstdint>
#include <cstdio>
#include <farfield/farfield.hpp>
#include <vector>

double* on_device(const std::vector<double>& values) {
  double* data = nullptr;
  cudaMalloc(&data, values.size() * sizeof(double));
  cudaMemcpy(data, values.data(), values.size() * sizeof(double), cudaMemcpyHostToDevice);
  return data;
}

int main() {
  if (farfield::devices().empty()) return std::printf("there is no CUDA device\n"), 77;
  const double* x = on_device({0.10, 0.10, 0.10, 0.20, 0.10, 0.10, 0.07, 0.19, 0.10,    // O H H
                               0.45, 0.10, 0.15, 0.50, 0.18, 0.15, 0.50, 0.02, 0.15});  // O H H
  const double* q = on_device({-0.82, 0.41, 0.41, -0.82, 0.41, 0.41});
  double* forces = on_device(std::vector<double>(18));  // float arrays are taken, too
  cudaStream_t stream = nullptr;                        // any stream of yours

  farfield::Points positions = farfield::points(x, 6);
  positions.space = farfield::MemorySpace::device, positions.stream = stream;
  farfield::Strengths charges = farfield::strengths(q, 6);
  charges.space = farfield::MemorySpace::device, charges.stream = stream;
  farfield::CoulombOutputs outputs{.forces = forces};
  outputs.space = farfield::MemorySpace::device, outputs.stream = stream;

  const farfield::Options options{
      .tolerance = 1e-8, .periodic = farfield::Axes::xyz, .cell_x = 1, .cell_y = 1, .cell_z = 1};
  const std::vector<std::int64_t> bonds = {0, 1, 0, 2, 3, 4, 3, 5};
  farfield::Coulomb sum(positions, options, {.coulomb_constant = 138.93545764438198},
                        farfield::Exclusions::of_bonds(6, bonds));
  const double energy = sum.evaluate(charges, outputs).energy;  // sum.move(positions) for the next time step

  double first[3];
  cudaMemcpy(first, forces, sizeof first, cudaMemcpyDeviceToHost);
  std::printf("energy %.6f kJ/mol, force on the first atom %.4f %.4f %.4f\n", energy, first[0], first[1], first[2]);
}
