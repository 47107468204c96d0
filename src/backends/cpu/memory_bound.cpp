// Upper bound of the memory that an evaluator holds at one time, known before anything runs.
#include <algorithm>
#include <cmath>
#include <thread>

#include "backends/cpu/evaluator.hpp"
#include "backends/cpu/exponentials/transform.hpp"
#include "backends/cpu/far/tables.hpp"
#include "expansions/hermite/series.hpp"
#include "kernels/traits.hpp"
#include "model/grid/price.hpp"

namespace farfield::cpu {

/// Of the fast Gaussian transform: points sorted by box, a series for each `many` sources, which are 8 sqrt(4 p^2 / 3)
/// bytes a source at most, tables of 17 offsets, and three series for each thread.
static std::int64_t transform_bound(std::int64_t sources, std::int64_t results, int parts) {
  constexpr std::int64_t p = hermite::most_terms, series = p * p * p * 8;
  const std::int64_t threads = std::max(16u, std::thread::hardware_concurrency());
  return sources * (60 + 10 * p) + results * (44 + 8 * parts) + 17 * p * p * 8 + 3 * series * threads + 4096;
}

/// Boxes in a row of a treecode: on every level those within 2 / theta of their edges of a leaf, but no box twice.
static std::int64_t row_entries(const Decision& d, std::int64_t boxes) {
  if (d.method != Method::treecode) return 0;
  const double levels = std::log2(static_cast<double>(boxes)) / 3 + 4;
  return std::min<std::int64_t>(boxes, std::llround(levels * std::pow(2 + 4 / d.theta, 3)));
}

std::int64_t memory_bound(const Decision& d, std::int64_t sources, std::int64_t targets, bool alike) {
  const std::int64_t real = d.precision == Precision::single_ ? 4 : 8;
  const std::int64_t all = sources + (alike ? 0 : targets), results = alike ? sources : targets;
  // per point: coordinates and order; keys and the sort's second buffer while building; strengths and results while
  // evaluating, in single also the strengths in double
  std::int64_t bytes = all * (3 * 8 + 4 + 24) + sources * (real == 4 ? 12 : 8) * (d.dipoles ? with_dipole : 1) +
                       results * (end_part(d.parts()) - first_part(d.parts())) * real;
  const int more = densities_of(d) - 1;
  bytes += more * (sources * real + results * d.parts() * real);
  if (d.method == Method::cutoff || d.method == Method::grid) bytes += all * 24;         // keys and cells
  if (d.method == Method::grid) bytes += 2 * grid_memory(sources, alike ? 0 : targets);  // blocks, and who uses them
  if (d.method == Method::hermite) return bytes + transform_bound(sources, results, d.parts());
  if (d.method == Method::exponentials) bytes += LineTransform<double>::bytes(all, d.gradient);
  if (d.skin > 0) bytes += all * 24;  // where points were
  if (!d.expands()) return bytes;
  const std::int64_t coefficients = traits(d.kernel).coefficients(d.degree);
  // worst case: all leaves an eighth full, with their ancestors; lists of 60 near boxes per leaf
  const std::int64_t boxes = 64 + 2 * 8 * all / std::max<std::int64_t>(1, d.leaf_size);
  bytes += boxes * (2 * (1 + more) * (coefficients + 8) * real + 27 * 4 + 80);
  bytes += boxes * (d.method == Method::fmm ? 60 : 0) * 4;
  // rows of a small theta: at most 2^61, more than any memory and less than overflows
  const double rows = 4.0 * static_cast<double>(std::min(boxes, results)) * static_cast<double>(row_entries(d, boxes));
  bytes += std::llround(std::min(rows, 0x1p61));
  const bool slim = d.rotation || d.method == Method::treecode;  // a treecode has no tables of m2l
  // a kernel with a length: boxes of 2^-30 of the extent hold points that all but coincide
  const int levels = traits(d.kernel).scale_invariant ? 1 : 32;
  return bytes + (real == 4 ? Tables<float>::bytes(d.degree, coefficients, slim, d.reduced, levels)
                            : Tables<double>::bytes(d.degree, coefficients, slim, d.reduced, levels));
}

}  // namespace farfield::cpu
