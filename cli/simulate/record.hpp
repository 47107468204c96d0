// What a snapshot tells of the run that wrote it, so that the run can go on: time, step, course, options of the forces.
#pragma once
#include <farfield/options.hpp>
#include <optional>
#include <string>

#include "io/snapshot.hpp"
#include "motion/diagnostics.hpp"
#include "motion/leapfrog.hpp"

namespace farfield::cli {

/// Options of the library that `simulate` takes: those of 1/r and its sums.
bool is_of_motion(const OptionText& text);
/// Those of them that decide the bits of a run.
bool is_recorded(const OptionText& text);
/// "--leaf-size"
std::string flag_of(const OptionText& text);

inline constexpr const char* length_column = "softening_length";

struct Record {
  std::int64_t step = 0;
  motion::Course course;
  Options options;
  bool lengths = false;  ///< bodies have softening lengths of their own, in the column `length_column`
  std::optional<motion::Diagnostics> first;  ///< energies at step 0; none before they are known
  std::vector<double> look;                  ///< of the frames, as io::Series has it; empty where there are none

  double time() const { return static_cast<double>(step) * course.dt; }
};

io::Numbers numbers_of(const Record& record);

/// The record in the numbers of a snapshot. Threads are those of `options`, and what the snapshot, of an older version,
/// does not tell has its default. Throws Error(input) where it is no snapshot of a run, or damaged.
Record record_of(const std::string& path, const io::Numbers& numbers, const Options& options);

}  // namespace farfield::cli
