// Step 7: one multipole. From afar, a crowd of bodies is a few numbers. With c the crowd's centre, y a body and x a
// target, Taylor's theorem about x - c says
//
//     1/|x - y| = 1/|(x - c) + (c - y)| = sum_k (c - y)^k / k!  D_k(x - c),      D_k: the derivatives of 1/r,
//
// where k stands for three numbers i, j, k, and d^k / k! for x^i y^j z^k / (i! j! k!). The bodies appear in the first
// factor alone, so that their sum, the multipole M, is made once and serves every target:
//
//     M_k = sum_y q_y (c - y)^k / k!   (p2m)         u(x) = sum_k M_k D_k(x - c)   (m2p)
//
// Both factors are series of taylor.hpp. Degrees i + j + k = 0, 1, 2 are the ten terms of Yokota's step 10. If no body
// is further than a from c and x is at the distance R, then all that is left out above the degree p is at most sum |q|
// (a/R)^(p+1) / (R - a).
#include "chart.hpp"
#include "taylor.hpp"

using namespace course;

Series p2m(const Bodies& bodies, Vec centre) {
  Series m{};
  for (const Body& b : bodies) {
    const Series p = powers(centre - b.at, highest);
    for (std::size_t t = 0; t < m.size(); ++t) m[t] += b.q * p[t];
  }
  return m;
}

double m2p(const Series& m, Vec d, int degree) {
  const Series derivative = derivatives(d, degree);
  double u = 0;
  for (int t = 0; t < terms(degree); ++t) u += m[t] * derivative[t];  // sorted by degree: cut by reading fewer
  return u;
}

/// The largest error for targets at the distance R from c. Each lies beyond a body, where the error is largest.
double worst_error(const Bodies& bodies, Vec c, double R, int degree) {
  const Series m = p2m(bodies, c);
  double worst = 0;
  for (std::size_t i = 0; i < bodies.size() && i < 100; ++i) {
    const Vec d = (R / length(bodies[i].at - c)) * (bodies[i].at - c);
    double exact = 0;
    for (const Body& b : bodies) exact += b.q / length(c + d - b.at);
    worst = std::fmax(worst, std::fabs(m2p(m, d, degree) - exact));
  }
  return worst;
}

/// The ten terms of degree 0 to 2, written out, against the recurrence.
double ten_terms(Vec d) {
  const double r = length(d), r3 = r * r * r, r5 = r3 * r * r;
  const Series s = derivatives(d, 2);
  return relative_error(
      std::vector<double>(s.begin(), s.begin() + terms(2)),
      {1 / r, -d.x / r3, -d.y / r3, -d.z / r3, 3 * d.x * d.x / r5 - 1 / r3, 3 * d.x * d.y / r5, 3 * d.x * d.z / r5,
       3 * d.y * d.y / r5 - 1 / r3, 3 * d.y * d.z / r5, 3 * d.z * d.z / r5 - 1 / r3});
}

int main(int argc, char** argv) {
  const auto [n, seed, figure] = arguments(argc, argv, 1000);
  const Bodies bodies = random_bodies(n, seed);
  const Vec c{0.5, 0.5, 0.5};
  double a = 0, mass = 0, over = 0, sharp = 0;
  for (const Body& b : bodies) a = std::fmax(a, length(b.at - c)), mass += b.q;
  Chart chart("One multipole: largest error / total mass", "degree");
  for (const double far : {1.25, 2.0, 4.0}) {
    std::vector<Point> errors, bounds;
    for (int p = 0; p <= 8; ++p) {
      const double bound = std::pow(1 / far, p + 1) / (far * a - a);
      errors.push_back({double(p), worst_error(bodies, c, far * a, p) / mass}), bounds.push_back({double(p), bound});
      over = std::fmax(over, errors.back().y / bound);
      sharp = std::fmax(sharp, std::fabs(worst_error({{c + Vec{a, 0, 0}, 1}}, c, far * a, p) / bound - 1));
    }
    chart.line("R = " + std::to_string(far).substr(0, 4) + " a", errors), chart.bound("", bounds);
  }
  chart.print();
  return judge("derivatives against Yokota's ten terms", ten_terms({0.3, -0.5, 0.8}), 1e-14) +
         judge("error against step 1 over the bound", over, 1) +
         judge("one body facing the target: error against the bound", sharp, 1e-6) + chart.write(figure);
}
