#include "distributed/evaluation/scatter.hpp"

#include "distributed/evaluation/result_sets.hpp"
#include "distributed/strengths.hpp"

namespace farfield::distributed {

/// [own targets][1 + 3 + 6], potential, gradient and Hessian, those that are summed.
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
void scatter_results(RankPlaced& placed, const Decision& decision, const ResultArrays<Real>& result, const OneVector& v,
                     const ResultFactors& factors, const Delivery& delivery) {
  const int parts = decision.parts(), first = first_part(parts), width = end_part(parts) - first;
  const VectorResult& made = traits(decision.kernel).vector;
  const Scalar scalar = delivery.outputs.scalar;
  const std::vector<double> rows = rows_of(placed.share->targets(), result, factors, parts);
  for (const ResultSet& set : result_sets(placed, v.strengths.count, delivery))
    set.deliver(*placed.ranks, width, rows.data(), [&](std::int64_t i, const double* row) {
      const std::int64_t at = v.index * set.pitch + i;
      if (first == 0) write(set.potential, scalar, at, row[0]);
      if (parts > 1)
        for (int axis = 0; axis < 3; ++axis)
          write(set.gradient, scalar, 3 * at + axis, made.sign[axis] * row[made.part[axis] - first]);
      for (int part = with_gradient; part < end_part(parts); ++part)
        write(set.hessian, scalar, 6 * at + part - with_gradient, row[part - first]);
    });
}

template void scatter_results(RankPlaced&, const Decision&, const ResultArrays<float>&, const OneVector&,
                              const ResultFactors&, const Delivery&);
template void scatter_results(RankPlaced&, const Decision&, const ResultArrays<double>&, const OneVector&,
                              const ResultFactors&, const Delivery&);

}  // namespace farfield::distributed
