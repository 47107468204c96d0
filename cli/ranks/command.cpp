#include "cli/ranks/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <farfield/device.hpp>
#include <iostream>
#include <thread>

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

/// Where a device may be used and nobody said which, the ranks of a machine share its devices out. Their number is not
/// asked of ranks that the CPU serves: asking starts the driver.
void take_device(const SumArguments& asked, const Seat& seat) {
  if (!asked.devices.empty() || asked.options.backend == Backend::cpu || !built_with_cuda()) return;
  const auto found = static_cast<int>(devices().size());
  if (found > 0) distributed::use_device(seat.number % found);
}

}  // namespace

int run_on_devices(const std::vector<std::string>& words, const std::vector<int>& devices) {
  int code = 0;
  const auto cores = static_cast<int>(std::thread::hardware_concurrency()), ranks = static_cast<int>(devices.size());
  distributed::on_devices(devices, [&](distributed::Communicator& communicator) {
    const Ending ending = run_command(words, communicator, {std::max(1, cores / ranks), communicator.rank()});
    if (communicator.rank() == 0) code = ending.code;
  });
  return code;
}

Ending run_command(const std::vector<std::string>& words, distributed::Communicator& communicator, const Seat& seat) {
  Crew crew(communicator);
  CLI::App app;
  Arguments arguments;
  std::ostream nowhere(nullptr);
  declare_for_ranks(app, arguments);
  const Outcome outcome = parse_and_work(app, words, crew.first() ? std::cout : nowhere, [&] {
    const bool checking = app.get_subcommands().front()->get_name() == "check";
    SumArguments asked = checking ? arguments.check : arguments.run;
    if (asked.options.threads == 0) asked.options.threads = seat.threads;
    if (!asked.devices.empty() && asked.options.backend != Backend::hybrid) asked.options.backend = Backend::cuda;
    crew.together([&] { take_device(asked, seat); });
    sum(asked, crew, checking);
  });
  // A rank whose communicator has failed does not know what the others say.
  const int code = crew.first() || crew.broken() ? tell(outcome) : static_cast<int>(outcome.code);
  return {code, crew.broken()};
}

}  // namespace farfield::cli
