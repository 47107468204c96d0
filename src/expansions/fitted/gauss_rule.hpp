// Quadrature on [-1, 1] by the zeros of Legendre polynomials.
#pragma once
#include <cmath>
#include <vector>

namespace farfield {

struct GaussRule {
  /// Nodes and weights on [-1, 1], by Newton's method on Legendre's polynomials.
  explicit GaussRule(int size) {
    for (int i = 0; i < size; ++i) {
      long double at = std::cos(3.14159265358979323846L * (i + 0.75L) / (size + 0.5L)), slope = 1;
      for (int step = 0; step < 6; ++step) {
        long double p = 1, before = 0;
        for (int n = 1; n <= size; ++n) {
          const long double next = ((2 * n - 1) * at * p - (n - 1) * before) / n;
          before = p;
          p = next;
        }
        slope = size * (at * p - before) / (at * at - 1);
        at -= p / slope;
      }
      x.push_back(at);
      weight.push_back(2 / ((1 - at * at) * slope * slope));
    }
  }
  std::vector<long double> x, weight;
};

}  // namespace farfield
