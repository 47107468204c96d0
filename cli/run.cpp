// `farfield run` and `farfield check`.
#include "cli/commands.hpp"
#include "cli/compute.hpp"
#include "cli/report/text.hpp"

namespace farfield::cli {
namespace {

using Describe = std::string (*)(const SumArguments&, const Computation&, const Terminal&);

/// A missed accuracy is told last: by then the results are written and a person can look at them.
void sum(const SumArguments& arguments, Describe describe) {
  Progress progress(arguments.quiet);
  Computation computation = compute(arguments, progress);
  write_results(arguments, computation, progress);
  const bool taken = arguments.output == "-" || arguments.report == "-" || arguments.plot == "-";
  std::FILE* const stream = taken ? stderr : stdout;  // results in a pipe must not have a report among them
  if (!arguments.quiet) print(describe(arguments, computation, Terminal::of(stream)), stream);
  require_accuracy(computation.result.report);
}

}  // namespace

void run(const SumArguments& arguments) { sum(arguments, describe_run); }
void check(const SumArguments& arguments) { sum(arguments, describe_check); }

}  // namespace farfield::cli
