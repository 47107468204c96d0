// Step 1: the direct sum. Every body feels every other one: two loops, N (N - 1) pairs.
//
//     u_i = sum over j != i of q_j / |x_i - x_j|
//
// Nothing came before that could judge it, so it is judged by mathematics: N bodies of mass 1, evenly spaced on a
// circle of radius 1, are 2 sin(pi k / N) apart, so that each has the potential sum_k 1 / (2 sin(pi k / N)).
#include <numbers>

#include "course.hpp"

using namespace course;

std::vector<double> potentials(const Bodies& bodies) {
  std::vector<double> u(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t j = 0; j < bodies.size(); ++j) {
      if (j == i) continue;  // a body does not act on itself
      const Vec d = bodies[i].at - bodies[j].at;
      u[i] += bodies[j].q / std::sqrt(dot(d, d));
    }
  return u;
}

double angle(std::size_t k, std::size_t n) {
  return 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
}

Bodies polygon(std::size_t n) {
  Bodies bodies;
  for (std::size_t k = 0; k < n; ++k) bodies.push_back({{std::cos(angle(k, n)), std::sin(angle(k, n)), 0}, 1});
  return bodies;
}

double polygon_potential(std::size_t n) {
  double u = 0;
  for (std::size_t k = 1; k < n; ++k) u += 1 / (2 * std::sin(angle(k, n) / 2));
  return u;
}

int main(int argc, char** argv) {
  const auto [n, seed, figure] = arguments(argc, argv, 3000);
  const Bodies bodies = random_bodies(n, seed);
  for (const std::size_t part : {n / 4, n / 2, n}) {  // twice as many bodies take four times as long
    const Bodies some(bodies.begin(), bodies.begin() + static_cast<std::ptrdiff_t>(part));
    const double time = seconds([&] { potentials(some); });
    std::printf("N = %6zu: %9.2e s, %8.2e pairs/s\n", part, time, static_cast<double>(part * part) / time);
  }
  constexpr std::size_t corners = 1000;
  const std::vector<double> exact(corners, polygon_potential(corners));
  // Rounding of 1000 terms: each error is about 1e-16 of the sum, and neighbours on the circle cancel 3 digits.
  return judge("polygon of 1000 against its formula", relative_error(potentials(polygon(corners)), exact), 1e-12);
}
