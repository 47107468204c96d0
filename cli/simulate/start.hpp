// What a simulation begins with.
#pragma once
#include "cli/arguments.hpp"
#include "cli/progress.hpp"
#include "cli/simulate/record.hpp"
#include "io/bodies.hpp"
#include "motion/host_arrays.hpp"

namespace farfield::cli {

struct Start {
  io::Bodies bodies;  ///< as they were read; what moves is in `arrays`
  motion::HostArrays arrays;
  Record record;
  bool at_rest = false;  ///< the file has no velocities
};

/// Reads INPUT; with --resume the record as well. Throws Error(usage) for a course that is none, Error(input) for
/// bodies that cannot be moved.
Start read_start(const SimulateArguments& arguments, Progress& progress);

}  // namespace farfield::cli
