// The `farfield` command: parses, runs one subcommand, turns whatever goes wrong into one sentence and an exit code.
#include <algorithm>
#include <iostream>

#include "cli/commands.hpp"
#include "cli/launch/launch.hpp"
#include "cli/launch/outcome.hpp"
#include "cli/ranks/command.hpp"
#include "cli/report/explain.hpp"

namespace farfield::cli {
namespace {

void dispatch(const CLI::App& app, const std::string& name, const Arguments& arguments) {
  if (name == "run") run(arguments.run);
  if (name == "check") check(arguments.check);
  if (name == "simulate") simulate(arguments.simulate);
  if (name == "kde") kde(arguments.kde);
  if (name == "coulomb") coulomb(arguments.coulomb);
  if (name == "biot-savart") biot_savart(arguments.biot_savart);
  if (name == "generate") generate(arguments.generate);
  if (name == "info") info(arguments.info_file, arguments.info_reading);
  if (name == "bench") bench(arguments.bench);
  if (name == "help") help(app, arguments.help_of);
  if (name == "completion") completion(app);
  if (name == "man") man(app);
}

/// Those that share a sum; most subcommands have none.
const std::vector<int>& devices_of(const std::string& name, const Arguments& a) {
  return name == "check" ? a.check.devices : a.run.devices;
}

/// Of several ranks the first one speaks and has the exit code: were another to fail before it has spoken, the launcher
/// would end it.
int main(int count, char** words) {
  const Launch launch = launched();
  std::ostream nowhere(nullptr);
  CLI::App app;
  Arguments arguments;
  declare(app, arguments);
  int code = 0;
  const std::vector<std::string> typed(words, words + count);
  const Outcome outcome = parse_and_work(app, typed, launch.first() ? std::cout : nowhere, [&] {
    const std::string name = app.get_subcommands().front()->get_name();
    if (!settle_launch(launch, name, words)) return;
    if (const std::vector<int>& devices = devices_of(name, arguments); !devices.empty())
      code = run_on_devices(typed, devices);
    else
      dispatch(app, name, arguments);
  });
  return launch.first() ? std::max(code, tell(outcome)) : 0;
}

}  // namespace
}  // namespace farfield::cli

int main(int count, char** words) { return farfield::cli::main(count, words); }
