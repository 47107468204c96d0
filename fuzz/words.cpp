// The command line: a word on every line of the input. What parses must be understood or refused by the library too.
#include <CLI/CLI.hpp>

#include "cli/arguments.hpp"
#include "cli/report/explain.hpp"
#include "cli/report/values.hpp"
#include "fuzz/judge.hpp"

namespace farfield::fuzz {
namespace {

std::vector<std::string> lines_of(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words{"farfield", ""};
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n')
      words.emplace_back();
    else if (data[i] != 0)  // a word of a command line ends there
      words.back() += static_cast<char>(data[i]);
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

void sum(Options options) {
  Problem p;
  p.options = affordable(options);
  if (p.options.backend != Backend::automatic) p.options.backend = Backend::cpu;  // a device may be there or not
  p.sources = {0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0.25, 0.75, 1};
  p.strengths = {1, 2, -0.5, 4};
  judge(p);
}

/// The lists of `bench` are taken apart only when it runs.
void take_apart(const cli::BenchArguments& bench) {
  for (const std::string& part : cli::split(bench.counts)) cli::parse_count(part);
  for (const std::string& part : cli::split(bench.tolerances)) cli::parse_number(part);
}

void run(const std::vector<std::string>& words) {
  CLI::App app;
  cli::Arguments arguments;
  cli::declare(app, arguments);
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  try {
    app.parse(static_cast<int>(pointers.size()), pointers.data());
    const std::string name = app.get_subcommands().front()->get_name();
    if (name == "run") sum(arguments.run.options);
    if (name == "check") sum(arguments.check.options);
    if (name == "bench") take_apart(arguments.bench);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) require(!cli::explain(app, error, words).empty(), "a refusal without a sentence");
  }
}

}  // namespace
}  // namespace farfield::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  farfield::fuzz::run(farfield::fuzz::lines_of(data, size));
  return 0;
}
