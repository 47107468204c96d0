// What a program of the command ends with, whatever happened in it: one sentence and an exit code.
#pragma once
#include <farfield/error.hpp>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace farfield::cli {

struct Outcome {
  ErrorCode code = ErrorCode::ok;
  std::string sentence = {};
};

/// Of the exception that is being handled.
Outcome outcome_of_exception();

/// Parses `words`, the program's name first, and then works. Help and version go to `pages` and succeed.
Outcome parse_and_work(CLI::App& app, const std::vector<std::string>& words, std::ostream& pages,
                       const std::function<void()>& work);

/// On standard error, where there is something to tell. Returns the exit code.
int tell(const Outcome& outcome);

}  // namespace farfield::cli
