#include <cstdio>
#include <farfield/farfield.hpp>
#include <vector>

int main() {
  const std::vector<double> xyz = {0, 0, 0, 2, 0, 0, 0, 3, 0};  // three points: x y z, x y z, ...
  const std::vector<double> q = {3, -4, 1};                     // their strengths (charges, masses)
  farfield::Plan plan(farfield::points(xyz), {.tolerance = 1e-6, .gradient = true});
  const auto result = plan.evaluate(q);  // again and again, for other strengths
  for (std::size_t i = 0; i < q.size(); ++i)
    std::printf("potential %9.6f   d/dx %9.6f\n", result.potential[i], result.gradient[3 * i]);
}
