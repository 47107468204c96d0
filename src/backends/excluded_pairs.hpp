// What excluded pairs have in a Coulomb sum, for one of their particles: in loops of the host or kernels.
#pragma once
#include <cstdint>

#include "core/hd.hpp"
#include "tree/cell/cell_view.hpp"

namespace farfield {

/// Of a displacement its shortest image.
struct PairImages {
  CellView cell;  ///< of no vectors: open space
  double near2;   ///< within half of the lattice's shortest vector no image is shorter

  explicit PairImages(const CellView& view) : cell(view) {
    const double* a = view.vector[0];
    near2 = 0.25 * (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  }
  /// From particle j to i. From the higher to the lower of the two it is minus that from the lower: of two images that
  /// are equally long both see the same, or their forces would not be opposite.
  FARFIELD_HD void between(const double* x, std::int64_t i, std::int64_t j, double d[3]) const {
    const double *low = x + 3 * (i < j ? i : j), *high = x + 3 * (i < j ? j : i);
    for (int a = 0; a < 3; ++a) d[a] = low[a] - high[a];
    if (cell.count > 0 && d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > near2) cell.shorten(d);
    for (int a = 0; i > j && a < 3; ++a) d[a] = -d[a];
  }
};

/// Compressed rows, as Exclusions has them.
template <class Index>
struct ExcludedRows {
  const std::int64_t* starts;
  const Index* others;
  const double* kept;
};

/// What is to be taken off the potential and the force of a particle.
struct ExcludedSum {
  double potential = 0, force[3] = {};
};

/// Of particle i, positions x (N, 3) and charges q: u loses (1 - kept) q_j / r, the force q_i times this d / r^2. Its
/// half of each pair's virial, xx yy zz xy xz yz, is added.
template <class Index>
FARFIELD_HD ExcludedSum excluded_sum(const ExcludedRows<Index>& pairs, const PairImages& images, const double* x,
                                     const double* q, std::int64_t i, double* virial) {
  ExcludedSum sum;
  for (std::int64_t k = pairs.starts[i]; k < pairs.starts[i + 1]; ++k) {
    const auto j = static_cast<std::int64_t>(pairs.others[k]);
    double d[3];
    images.between(x, i, j, d);
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (r2 == 0) continue;  // particles at the same place have nothing in the sum either
    const double shared = (1 - pairs.kept[k]) * q[j] / std::sqrt(r2), pull = q[i] * shared / r2;
    sum.potential += shared;
    for (int a = 0; a < 3; ++a) sum.force[a] = std::fma(pull, d[a], sum.force[a]);
    const double half = 0.5 * pull;
    virial[0] += half * d[0] * d[0], virial[1] += half * d[1] * d[1], virial[2] += half * d[2] * d[2];
    virial[3] += half * d[0] * d[1], virial[4] += half * d[0] * d[2], virial[5] += half * d[1] * d[2];
  }
  return sum;
}

}  // namespace farfield
