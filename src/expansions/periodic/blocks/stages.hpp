// What a backend does for BlockField: m2l between blocks, p2m and l2p of points of one block, block_lanes of them side
// by side.
#pragma once
#include "expansions/periodic/blocks/tables.hpp"

namespace farfield {

/// From the centre of their block, in units of its expansions.
struct BlockRows {
  int degree;
  const double* recurrence;  ///< LaplaceBasis::recurrence_table
  std::int64_t rows;
  const double* u[3];  ///< [row][lane]
};
struct BlockP2m {
  BlockRows points;
  const double* weight;  ///< [row][lane]
  double* sum;           ///< [coefficient][lane], added to
};
struct BlockL2p {
  BlockRows points;
  const double* const* local;  ///< [set][coefficient]
  int sets;                    ///< 1 or 4
  double* value;               ///< [row][set][lane], overwritten
};

struct BlockStages {
  BlockM2lStage m2l = nullptr;
  void (*p2m)(const BlockP2m&) = nullptr;
  void (*l2p)(const BlockL2p&) = nullptr;
};

}  // namespace farfield
