// Parallel loops over chunks. The limits of the chunks do not depend on the number of threads, so that partial results
// that are kept per chunk and joined in the order of the chunks are the same for any team.
#pragma once
#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "core/failure.hpp"

namespace farfield {

/// Threads of a team for the option `threads` (0: as many as OpenMP offers).
inline int team_size(int threads) { return threads > 0 ? threads : omp_get_max_threads(); }

/// Number of chunks of `grain` elements that cover `count` elements.
inline std::int64_t chunk_count(std::int64_t count, std::int64_t grain) { return (count + grain - 1) / grain; }

/// Calls body(begin, end, chunk) for every chunk. An exception of a body (memory, as a rule) is rethrown to the caller.
template <class Body>
void for_chunks(std::int64_t count, std::int64_t grain, int threads, const Body& body) {
  const std::int64_t chunks = chunk_count(count, grain);
  // Always the full team: with a smaller one OpenMP would end the threads left out and have to start them again.
  const int team = team_size(threads);
  if (team <= 1 ||
      chunks <= 1) {  // for small work inside a parallel loop, too: opening a team of one costs a microsecond
    for (std::int64_t c = 0; c < chunks; ++c) body(c * grain, std::min(count, (c + 1) * grain), c);
    return;
  }
  Failure failure;
#pragma omp parallel for schedule(dynamic) num_threads(team)
  for (std::int64_t c = 0; c < chunks; ++c) {
    try {
      body(c * grain, std::min(count, (c + 1) * grain), c);
    } catch (...) {
      failure.keep();
    }
  }
  failure.rethrow();
}

/// Calls body(i) for every i below `count`, in parallel by chunks of `grain`.
template <class Body>
void for_each_index(std::int64_t count, std::int64_t grain, int threads, const Body& body) {
  for_chunks(count, grain, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (std::int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace farfield
