// Step 6: softening. A body of a simulation stands for a cloud of stars of some length e. Plummer's softening takes
//
//     1 / sqrt(r^2 + e^2)   in place of   1 / r,
//
// which is finite at r = 0. The loop then needs no branch for j == i: the body's own term is q_i / e, and it can be
// subtracted afterwards, or the sum started at its negative. That is quick, but not free: the sum first grows by a
// large number which then goes away, together with the digits that had to make room for it.
#include "course.hpp"

using namespace course;

enum class Own { skipped, subtracted };

/// The softened sum, in single or in double precision.
template <class Real>
std::vector<Real> softened_sum(const Bodies& bodies, double softening, Own own) {
  const Real e2 = static_cast<Real>(softening * softening);
  std::vector<Real> u(bodies.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    if (own == Own::subtracted) u[i] = -static_cast<Real>(bodies[i].q) / std::sqrt(e2);
    for (std::size_t j = 0; j < u.size(); ++j) {
      if (own == Own::skipped && j == i) continue;
      const Vec d = bodies[i].at - bodies[j].at;
      u[i] += static_cast<Real>(bodies[j].q) / std::sqrt(static_cast<Real>(dot(d, d)) + e2);
    }
  }
  return u;
}

int main(int argc, char** argv) {
  const auto [n, seed, figure] = arguments(argc, argv, 1000);
  const Bodies bodies = random_bodies(n, seed);
  const std::vector<double> unsoftened = direct_sum(bodies);
  std::printf("               difference    error in single, own term\n");
  std::printf("   softening  from step 1      skipped   subtracted\n");
  double before = 0, ratio = 0, worst_skipped = 0, subtracted = 0;
  for (int quarters = 0; quarters < 7; ++quarters) {
    const double e = std::ldexp(0.01, -2 * quarters);
    const std::vector<double> u = softened_sum<double>(bodies, e, Own::skipped);
    const double difference = relative_error(u, unsoftened);
    const double skipped = relative_error(softened_sum<float>(bodies, e, Own::skipped), u);
    subtracted = relative_error(softened_sum<float>(bodies, e, Own::subtracted), u);
    std::printf("%12.2e %12.2e %12.2e %12.2e\n", e, difference, skipped, subtracted);
    ratio = before / difference, before = difference, worst_skipped = std::fmax(worst_skipped, skipped);
  }
  const std::vector<double> skipped = softened_sum<double>(bodies, 1e-3, Own::skipped);
  const double own_terms = relative_error(softened_sum<double>(bodies, 1e-3, Own::subtracted), skipped);
  // 1/sqrt(r^2 + e^2) = 1/r - e^2 / (2 r^3) + ...: the difference falls with e squared, once e is far below the closest
  // pair's distance. Double: own terms of 1e3 beside sums of 1e3 cost nothing.
  return judge("a quarter of the softening, 1/16 of the difference", std::fabs(ratio / 16 - 1), 0.01) +
         judge("own term skipped or subtracted, in double", own_terms, 1e-13) +
         judge("single precision, own term skipped", worst_skipped, 1e-5);
}
