#include <cmath>
#include <cstdio>
#include <farfield/devices_plan.hpp>
#include <farfield/farfield.hpp>
#include <numeric>
#include <vector>

int main() {
  std::vector<int> devices(farfield::devices().size());
  if (devices.empty()) return std::printf("there is no CUDA device\n"), 77;
  std::iota(devices.begin(), devices.end(), 0);  // {0, 1} on two; {0, 0} are two parts on one

  const std::size_t n = 100'000;
  std::vector<double> xyz(3 * n), q(n, 1), potential(n);
  for (std::size_t i = 0; i < xyz.size(); ++i) xyz[i] = std::fmod(0.618033988749895 * static_cast<double>(i * i), 1.0);

  farfield::distributed::DevicesPlan plan(farfield::points(xyz), devices);
  farfield::Outputs results;
  results.potential = potential.data();
  const farfield::distributed::Report& report = plan.evaluate(farfield::strengths(q), results);
  std::printf("%zu devices, the first potential is %.4f\n", report.ranks.size(), potential[0]);
}
