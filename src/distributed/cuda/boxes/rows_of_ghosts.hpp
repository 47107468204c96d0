// Rows that came for ghosts (box_rows.hpp), by boxes of the essential tree.
#pragma once
#include "distributed/cuda/placed.hpp"

namespace farfield::distributed {

/// [boxes]: the row of each box, -1 for none. Of boxes of the top none are written.
struct RowsOfGhosts {
  const BoxId* received;
  std::int32_t* row;
  std::int32_t first = 0;  ///< of these rows
  __device__ void operator()(std::int64_t k) const {
    if (received[k] >= 0) row[received[k]] = first + static_cast<std::int32_t>(k);
  }
};

}  // namespace farfield::distributed
