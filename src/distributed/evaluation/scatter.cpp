#include "distributed/evaluation/scatter.hpp"

#include "distributed/strengths.hpp"

namespace farfield::distributed {

/// [own targets][1 + 3], potential and gradient, those that are summed.
template <class Real>
static std::vector<double> rows_of(std::int64_t targets, const ResultArrays<Real>& result, const ResultFactors& factors,
                                   int parts) {
  const int first = first_part(parts), width = end_part(parts) - first;
  std::vector<double> rows(static_cast<std::size_t>(targets * width));
  for (std::int64_t i = 0; i < targets; ++i)
    for (int part = first; part < end_part(parts); ++part)
      rows[static_cast<std::size_t>(i * width + part - first)] =
          factors[part](static_cast<double>(result.any(part)[i]));
  return rows;
}

template <class Real>
void scatter_results(const RankPlaced& placed, const Decision& decision, const ResultArrays<Real>& result,
                     const OneVector& v, const ResultFactors& factors, const Delivery& delivery) {
  const int parts = decision.parts(), first = first_part(parts), width = end_part(parts) - first;
  const VectorResult& made = traits(decision.kernel).vector;
  const Share& share = *placed.share;
  const Outputs& outputs = delivery.outputs;
  const std::vector<double> rows = rows_of(share.targets(), result, factors, parts);
  share.target_carrier(placed.order)
      .to_caller(*placed.ranks, width, rows.data(), [&](std::int64_t i, const double* row) {
        const std::int64_t at = v.index * delivery.split + i;
        if (first == 0) write(outputs.potential, outputs.scalar, at, row[0]);
        if (parts > 1)
          for (int axis = 0; axis < 3; ++axis)
            write(outputs.gradient, outputs.scalar, 3 * at + axis, made.sign[axis] * row[made.part[axis] - first]);
      });
}

template void scatter_results(const RankPlaced&, const Decision&, const ResultArrays<float>&, const OneVector&,
                              const ResultFactors&, const Delivery&);
template void scatter_results(const RankPlaced&, const Decision&, const ResultArrays<double>&, const OneVector&,
                              const ResultFactors&, const Delivery&);

}  // namespace farfield::distributed
