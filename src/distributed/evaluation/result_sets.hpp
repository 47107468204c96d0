// ResultSet: points at which results are wanted, targets or sources, and the caller's arrays for them.
#pragma once
#include "backends/evaluator.hpp"
#include "distributed/evaluation/placed.hpp"

namespace farfield::distributed {

struct ResultSet {
  Carrier carrier;
  std::int64_t first = 0;                             ///< of this rank's results, in the order of the sums
  const std::vector<std::int64_t>* places = nullptr;  ///< of each of them, where they do not follow each other
  std::int64_t pitch = 0;                             ///< of the caller's points from one vector to the next
  void *potential = nullptr, *gradient = nullptr, *hessian = nullptr;  ///< null: not wanted

  /// `all`: rows in the order of the sums. Calls take(index, const T*) for each of the caller's points.
  template <class T, class Take>
  void deliver(Ranks& ranks, std::int64_t width, const T* all, const Take& take) const {
    if (!places) return carrier.to_caller(ranks, width, all + first * width, take);
    std::vector<T> rows;
    rows.reserve(places->size() * static_cast<std::size_t>(width));
    for (const std::int64_t place : *places) rows.insert(rows.end(), all + place * width, all + (place + 1) * width);
    carrier.to_caller(ranks, width, rows.data(), take);
  }
};

/// Of a rank's own targets, in the order of its tree; `sources`: of the caller.
std::vector<ResultSet> result_sets(RankPlaced& placed, std::int64_t sources, const Delivery& delivery);

}  // namespace farfield::distributed
