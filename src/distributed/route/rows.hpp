// Rows: a caller's own arrays, one row of bytes for each point, carried to where points are owned or back.
#pragma once
#include <cstddef>
#include <span>

#include "distributed/route/carrier.hpp"

namespace farfield::distributed {

struct Rows {
  std::span<const std::byte> from;
  std::span<std::byte> to;
  std::size_t bytes;  ///< of a row
};

/// Into the order `wanted`; `given`: points that this rank passed. Throws Error where arrays are of another size.
void carry_rows(Ranks& ranks, const Carrier& carrier, std::int64_t given, const Rows& rows, Order wanted,
                int threads = 1);

}  // namespace farfield::distributed
