// One sum from files to files: read, plan, evaluate, write. `run` and `check` differ only in what they print.
#pragma once
#include <farfield/plan.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/progress.hpp"
#include "cli/report/sums.hpp"
#include "io/bodies.hpp"
#include "io/columns/densities.hpp"
#include "io/results.hpp"

namespace farfield::cli {

struct WallTimes {
  double read = 0, plan = 0, evaluate = 0, write = 0;  ///< seconds; `evaluate` without the check
};

struct Computation {
  io::Bodies sources;
  std::optional<io::Bodies> targets;  ///< none: the sources themselves
  io::Densities densities;            ///< what the sources carry
  Result<double> result;
  WallTimes wall;
  std::vector<std::string> written;  ///< paths, in the order in which they appeared
  std::optional<AcrossRanks> ranks;  ///< where processes share the sum: then bodies and results are one rank's part

  const io::Bodies& at() const { return targets ? *targets : sources; }
};

/// Reads and computes. Files that cannot be written are refused before the work, not after it.
Computation compute(const SumArguments& arguments, Progress& progress);

/// Writes what `arguments` ask for, the JSON report last.
void write_results(const SumArguments& arguments, Computation& computation, Progress& progress);

// The steps of these, for processes that share them.
/// Refuses names of files that exclude each other.
void require_files(const SumArguments& arguments);
/// What the bodies say of the options: cell, dipoles, densities.
void settle_options(SumArguments& arguments, Computation& computation);
Strengths strengths_of(const Computation& computation);
io::Results results_of(const Computation& computation);  ///< views of what is written
void write_report(const SumArguments& arguments, Computation& computation);

/// Makes and removes a file beside `path`, so that what cannot be written is refused before the work. Pipes and devices
/// are left alone: opening them may block.
void require_writable(const std::string& path);

/// Throws Error(accuracy) where the measured error exceeds the tolerance.
void require_accuracy(const Report& report);

}  // namespace farfield::cli
