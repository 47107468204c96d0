// Slices: a rank's part of arrays that the caller holds whole. Views of them, no copies.
#pragma once
#include <farfield/views.hpp>

namespace farfield::distributed {

/// Rank `rank` of `ranks` has the numbers [begin, begin + count) of `all`.
struct Slice {
  std::int64_t begin, count;
};
Slice slice_of(std::int64_t all, int rank, int ranks);

Points part_of(const Points& points, Slice slice);
Strengths part_of(const Strengths& strengths, Slice slice);
/// Results at these targets, and at these sources.
Outputs part_of(const Outputs& outputs, Slice targets, Slice sources);

/// What a rank cannot see in its part. Throws Error(input) for a count or a stride that cannot be, Error(device) for
/// arrays in device memory.
void require_whole(const Points& points, const char* what);
void require_on_host(MemorySpace space, const char* what);

}  // namespace farfield::distributed
