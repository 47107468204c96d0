// Charges and dipoles over one set of points, several densities at once, and second derivatives of the potential.
#include <cstdio>
#include <farfield/farfield.hpp>
#include <vector>

int main() {
  const std::vector<double> sources = {0, 0, 0, 1, 0, 0, 0, 2, 0}, targets = {3, 0, 0, 0, 0, 4};
  const std::vector<double> q = {1, 2, 4}, p = {0, 0, 1, 0, 1, 0, 1, 0, 0};  // a charge and a vector for each source

  farfield::Options options;
  options.hessian = true;  // and the gradient
  options.dipoles = true;
  farfield::Plan plan(farfield::points(sources), farfield::points(targets), options);

  const auto both = plan.evaluate<double>(farfield::with_dipoles(farfield::strengths(q), p));
  const auto alone = plan.evaluate<double>(farfield::dipoles(p));

  // Three densities, one behind the other: charges (3, sources), results (3, targets), (3, targets, 3), (3, targets, 6).
  const std::vector<double> three = {1, 2, 4, 1, 0, 0, 0, 0, 1};
  const auto results = plan.evaluate<double>(farfield::strengths(three, 3, 3));

  for (std::size_t i = 0; i < 2; ++i) {
    const double* h = &both.hessian[6 * i];  // xx yy zz xy xz yz
    std::printf("potential %.6f, of the dipoles alone %.6f, of density 2 %.6f, trace of the Hessian %.0e\n",
                both.potential[i], alone.potential[i], results.potential[2 * 2 + i], h[0] + h[1] + h[2]);
  }
}
