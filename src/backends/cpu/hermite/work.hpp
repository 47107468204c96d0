// What the fast Gaussian transform's stage reads and writes, as plain pointers.
#pragma once
#include "backends/cpu/hermite/boxes.hpp"
#include "core/results.hpp"

namespace farfield::cpu {

/// Boxes of one cloud and its sorted points.
struct HermiteBoxes {
  std::int64_t count;
  const std::uint64_t* key;
  const std::int64_t* begin;
  const std::uint32_t* order;
  const double* coordinate[3];
};

template <class Real>
struct HermiteWork {
  const HermiteGrid* grid = nullptr;
  HermiteBoxes source{}, target{};
  const double* strength = nullptr;         ///< of sorted sources, padded as the coordinates are
  const std::int64_t* series_of = nullptr;  ///< [source boxes]: which series, -1 for none
  std::int64_t series = 0;
  double* multipole = nullptr;      ///< [series][shape.count()]
  const double* matrix = nullptr;   ///< [2 reach + 1][p][p]: from a source box to one that many boxes further
  double* room = nullptr;           ///< [threads][3 shape.count()]
  std::int64_t many = 0;            ///< points from which on a box has a series of its own
  double* sum[with_gradient] = {};  ///< of sorted targets
  ResultArrays<Real> result;        ///< in the plan's order
  int threads = 1;
};

}  // namespace farfield::cpu
