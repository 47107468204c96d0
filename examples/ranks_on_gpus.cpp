#include <cmath>
#include <cstdio>
#include <farfield/distributed.hpp>
#include <farfield/farfield.hpp>
#include <numeric>
#include <vector>

int main() {
  std::vector<int> devices(farfield::devices().size());
  if (devices.empty()) return std::printf("there is no CUDA device\n"), 77;
  std::iota(devices.begin(), devices.end(), 0);  // a device may serve several threads: {0, 0} works on one, too

  const std::size_t n = 100'000;
  std::vector<double> xyz(3 * n), q(n, 1), potential(n);
  for (std::size_t i = 0; i < xyz.size(); ++i) xyz[i] = std::fmod(0.618033988749895 * static_cast<double>(i * i), 1.0);

  farfield::distributed::on_devices(devices, [&](farfield::distributed::Communicator& ranks) {
    const auto rank = static_cast<std::size_t>(ranks.rank()), size = static_cast<std::size_t>(ranks.size());
    const std::size_t first = n * rank / size, end = n * (rank + 1) / size;  // any share of the points
    const auto count = static_cast<std::int64_t>(end - first);
    farfield::Options options;
    options.backend = farfield::Backend::cuda;
    farfield::distributed::Plan plan(ranks, farfield::points(&xyz[3 * first], count), options);
    farfield::Outputs results;
    results.potential = &potential[first];
    const farfield::distributed::Report& report = plan.evaluate(farfield::strengths(&q[first], count), results);
    if (rank == 0) std::printf("%zu devices, degree %d\n", size, report.plan.degree);
  });
  std::printf("the first potential is %.4f\n", potential[0]);
}
