// The parallel loop of the stages: blocks of work, and memory of its own for every thread.
#pragma once
#include <cstdint>
#include <optional>

#include "core/failure.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// Starts of blocks: begin, begin + step, ... below end; a thread takes `taken` of them at a time.
struct Blocks {
  std::int64_t begin, end, step = 1;
  int taken = 1;
};

/// Calls body(own, start) for every block, where `own` is the thread's own Own(arguments...). An exception of a body is
/// rethrown to the caller; blocks that have not begun by then are left out.
template <class Own, class Body, class... Arguments>
void for_blocks(const Blocks& blocks, int threads, const Body& body, const Arguments&... arguments) {
  Failure failure;
#pragma omp parallel num_threads(threads)
  {
    std::optional<Own> own;  // constructed inside the try block, which catches its failure
#pragma omp for schedule(dynamic, blocks.taken)
    for (std::int64_t start = blocks.begin; start < blocks.end; start += blocks.step) {
      if (failure.any()) continue;
      try {
        if (!own) own.emplace(arguments...);
        body(*own, start);
      } catch (...) {
        failure.keep();
      }
    }
  }
  failure.rethrow();
}

}  // namespace farfield::cpu::FARFIELD_ISA
