// Upper bound of the memory that an evaluator holds at one time, known before anything runs.
#include <algorithm>

#include "backends/cuda/evaluator.hpp"
#include "backends/cuda/exponentials/line.hpp"
#include "backends/cuda/far/translations.hpp"
#include "backends/cuda/hermite/series.hpp"
#include "backends/cuda/transfer/scatter.hpp"
#include "kernels/traits.hpp"
#include "model/grid/price.hpp"

namespace farfield::cuda {

std::int64_t memory_bound(const Decision& d, std::int64_t sources, std::int64_t targets, bool alike) {
  const std::int64_t real = d.precision == Precision::single_ ? 4 : 8;
  const std::int64_t all = sources + (alike ? 0 : targets), results = alike ? sources : targets;
  // per point: coordinates and order; keys and the sort's second buffer during the build; after it strengths and
  // results, twice, as the caller's may be in host memory; of further densities the shares of their conditions, too
  const std::int64_t moments = d.dipoles ? with_dipole : 1, more = densities_of(d, 1) - 1;
  std::int64_t bytes = all * (3 * 8 + 4 + 40) + sources * moments * (real + 8) + results * d.parts() * (real + 8) +
                       more * (sources * real + results * d.parts() * real + (1 << 18)) + (1 << 20) +
                       Scatter::bytes(results, d.parts(), 8);
  if (d.method == Method::cutoff || d.method == Method::grid)
    bytes += all * 48;  // keys and cells, and tiles of targets
  if (d.method == Method::exponentials) bytes += LineSums::bytes(all, d.gradient);
  if (d.method == Method::hermite) bytes += all * 48 + HermiteSeries::bytes(sources);
  if (d.method == Method::grid)  // the two grids, who uses their blocks, and sums of pieces of 2048 sources
    bytes += 2 * grid_memory(sources, alike ? 0 : targets) + sources * 32 * real;
  if (d.skin > 0) bytes += all * 24;  // where points were
  if (!d.expands()) return bytes;
  const std::int64_t coefficients = traits(d.kernel).coefficients(d.degree);
  const std::int64_t boxes = 64 + 2 * 8 * all / std::max<std::int64_t>(1, d.leaf_size);
  const int sets = traits(d.kernel).scale_invariant ? 1 : most_level_sets;
  const std::int64_t planar = real == 4 ? PlanarTables<float>::bytes(d.degree) : PlanarTables<double>::bytes(d.degree);
  if (d.method == Method::treecode)  // no lists and no locals, tables of m2m alone
    return bytes + boxes * ((coefficients + 16) * real + 160 + 48 + 8) + results * 4 +
           (traits(d.kernel).factors ? planar
            : real == 4              ? sets * Tables<float>::bytes(d.degree, coefficients, true, false)
                                     : sets * Tables<double>::bytes(d.degree, coefficients, true, false));
  bytes += boxes * (2 * (1 + more) * (coefficients + 16) * real + 27 * 4 + 160 + 60 * 4);
  if (traits(d.kernel).factors) return bytes + planar;
  if (real == 4 && !d.rotation && d.degree <= most_tensor_degree)
    bytes +=
        (1 + more) * (boxes * TensorM2l::bytes_of_box(d.degree) +
                      TensorM2l::bytes_of_parts(d.degree, boxes, Translations<float>::heard_share(sources, results))) +
        sets * TensorM2l::bytes_of_operators(d.degree);
  if (!traits(d.kernel).scale_invariant)
    return bytes + (real == 4 ? LevelTables<float>::bytes(d.degree, coefficients, d.rotation, d.reduced)
                              : LevelTables<double>::bytes(d.degree, coefficients, d.rotation, d.reduced));
  if (real == 4) return bytes + Tables<float>::bytes(d.degree, coefficients, d.rotation, d.reduced);
  const std::int64_t rotation = Tables<double>::bytes(d.degree, coefficients, true, d.reduced);
  if (d.rotation) return bytes + rotation;
  const std::int64_t dense = Tables<double>::bytes(d.degree, coefficients, false, d.reduced);
  if (d.degree > most_mirror_degree) return bytes + dense;
  const std::int64_t mirrors =
      (1 + more) * (boxes * MirrorM2l::bytes_of_box(d.degree) +
                    MirrorM2l::bytes_of_parts(d.degree, boxes, Translations<double>::heard_share(sources, results))) +
      MirrorM2l::bytes_of_operators(d.degree);
  return bytes + (d.any_scheme ? rotation + mirrors : std::max(dense, rotation + mirrors));
}

}  // namespace farfield::cuda
