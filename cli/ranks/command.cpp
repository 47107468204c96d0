#include "cli/ranks/command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/compute.hpp"
#include "cli/ranks/crew.hpp"
#include "cli/report/text.hpp"

namespace farfield::cli {
namespace {

void sum(SumArguments arguments, Crew& crew, bool checking) {
  Progress progress(arguments.quiet || !crew.first());
  Computation computation;
  crew.together([&] { require_offered(arguments); });
  crew.together([&] { compute_part(arguments, crew, progress, computation); });
  crew.together([&] { write_part_of_results(arguments, crew, progress, computation); });
  crew.together([&] {
    if (arguments.quiet || !crew.first()) return;
    std::FILE* const stream = arguments.report == "-" ? stderr : stdout;
    const auto describe = checking ? describe_check : describe_run;
    print(describe(arguments, computation, Terminal::of(stream)), stream);
  });
  crew.together([&] { require_accuracy(computation.result.report); });
}

}  // namespace

Ending run_command(const std::vector<std::string>& words, distributed::Communicator& communicator, int threads) {
  Crew crew(communicator);
  CLI::App app;
  Arguments arguments;
  std::ostream nowhere(nullptr);
  declare_for_ranks(app, arguments);
  const Outcome outcome = parse_and_work(app, words, crew.first() ? std::cout : nowhere, [&] {
    const bool checking = app.get_subcommands().front()->get_name() == "check";
    SumArguments asked = checking ? arguments.check : arguments.run;
    if (asked.options.threads == 0) asked.options.threads = threads;
    sum(asked, crew, checking);
  });
  // A rank whose communicator has failed does not know what the others say.
  const int code = crew.first() || crew.broken() ? tell(outcome) : static_cast<int>(outcome.code);
  return {code, crew.broken()};
}

}  // namespace farfield::cli
