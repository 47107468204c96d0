// The one enum of error codes; it is also the table of the command line's exit codes.
#pragma once
#include <farfield/export.h>

#include <stdexcept>
#include <string>

namespace farfield {

/// What went wrong. Values are stable across releases and equal the exit codes of the `farfield` command.
enum class ErrorCode : int {
  ok = 0,
  accuracy = 1,  ///< the measured error exceeds the tolerance (command line only)
  usage = 2,     ///< an option is wrong or cannot be honoured; an unreachable tolerance included
  input = 3,     ///< points, strengths or a file are malformed: wrong length, NaN, infinity, truncated
  device = 4,    ///< the backend asked for is missing or failed
  memory = 5,    ///< not enough memory; the sentence states bytes needed and free where known
  output = 6,    ///< a result could not be written
  internal = 7,  ///< a broken invariant of the library: please report it
};

/// Thrown by every C++ entry point. `what()` is one sentence: what is wrong, where, and what to do.
class FARFIELD_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace farfield
