#include "distributed/evaluation/result_sets.hpp"

namespace farfield::distributed {

std::vector<ResultSet> result_sets(RankPlaced& placed, std::int64_t sources, const Delivery& delivery) {
  const Share& share = placed.routes();
  const std::optional<Both>& both = share.own.both;
  const Outputs& o = delivery.outputs;
  std::vector<ResultSet> sets{{share.target_carrier(placed.order), 0, both ? &both->targets : nullptr,
                               delivery.pitch_or_split(), o.potential, o.gradient, o.hessian}};
  if (both)
    sets.push_back({share.source_carrier(placed.order), 0, &both->sources, delivery.source_pitch_or(sources),
                    o.source_potential, o.source_gradient, o.source_hessian});
  return sets;
}

}  // namespace farfield::distributed
