// The `farfield` command: parses, runs one subcommand, turns whatever goes wrong into one sentence and an exit code.
#include <cstdio>
#include <exception>
#include <farfield/error.hpp>
#include <new>
#include <stdexcept>
#include <string>

#include "cli/commands.hpp"
#include "cli/report/explain.hpp"
#include "cli/terminal.hpp"

namespace farfield::cli {
namespace {

int fail(ErrorCode code, std::string sentence) {
  for (char& c : sentence)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  sentence = printable(sentence);  // names of files may hold anything
  while (!sentence.empty() && (sentence.back() == '.' || sentence.back() == ' ')) sentence.pop_back();
  std::fprintf(stderr, "farfield: %s\n", sentence.c_str());
  return static_cast<int>(code);
}

/// Help and version arrive as exceptions, too: they print and succeed.
int parse_failed(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words) {
  if (error.get_exit_code() == 0) return app.exit(error);
  return fail(ErrorCode::usage, explain(app, error, words));
}

void dispatch(const CLI::App& app, const Arguments& arguments) {
  const std::string name = app.get_subcommands().front()->get_name();
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

int main(int count, const char* const* words) {
  CLI::App app;
  Arguments arguments;
  try {
    declare(app, arguments);
    app.parse(count, words);
    dispatch(app, arguments);
    return 0;
  } catch (const CLI::ParseError& error) {
    return parse_failed(app, error, {words, words + count});
  } catch (const Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::memory, "not enough memory; use fewer bodies or a larger tolerance");
  } catch (const std::length_error&) {
    return fail(ErrorCode::memory, "not enough memory: more bodies than any array holds; use fewer");
  } catch (const std::exception& error) {
    return fail(ErrorCode::internal, std::string("internal error: ") + error.what() + "; please report it");
  }
}

}  // namespace
}  // namespace farfield::cli

int main(int count, char** words) { return farfield::cli::main(count, words); }
