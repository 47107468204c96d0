// What the stages of method hermite read and write, as plain device pointers.
#pragma once
#include "backends/cuda/work.hpp"
#include "expansions/hermite/grid.hpp"
#include "tree/grid/cells.hpp"

namespace farfield::cuda {

using HermiteRoots = hermite::Roots<double, hermite::most_terms + 1>;

/// All in double. Points lie in the order of the boxes, which are the cells of one lattice.
struct HermiteView {
  hermite::Grid grid;
  HermiteRoots roots;
  CellsView sources, targets;
  const std::int32_t* series_before = nullptr;  ///< [source boxes + 1]: how many boxes before it have a series
  double* multipole = nullptr;                  ///< [series][shape.count()]
  const double* matrix = nullptr;  ///< [2 reach + 1][p][p]: from a source box to one that many boxes further
  double* room = nullptr;          ///< [blocks][3 shape.count()]
  std::int64_t many = 0;           ///< points from which on a box has a series of its own
  int blocks = 0;

  FARFIELD_HD bool has_series(std::int64_t box) const { return series_before[box + 1] > series_before[box]; }
};

}  // namespace farfield::cuda
