#include "cli/launch/outcome.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <ostream>
#include <stdexcept>

#include "cli/report/explain.hpp"
#include "cli/terminal.hpp"

namespace farfield::cli {

Outcome outcome_of_exception() {
  try {
    throw;
  } catch (const Error& error) {
    return {error.code(), error.what()};
  } catch (const std::bad_alloc&) {
    return {ErrorCode::memory, "not enough memory; use fewer bodies or a larger tolerance"};
  } catch (const std::length_error&) {
    return {ErrorCode::memory, "not enough memory: more bodies than any array holds; use fewer"};
  } catch (const std::exception& error) {
    return {ErrorCode::internal, std::string("internal error: ") + error.what() + "; please report it"};
  }
}

Outcome parse_and_work(CLI::App& app, const std::vector<std::string>& words, std::ostream& pages,
                       const std::function<void()>& work) {
  try {
    std::vector<const char*> texts;
    for (const std::string& word : words) texts.push_back(word.c_str());
    app.parse(static_cast<int>(texts.size()), texts.data());
    work();
    return {};
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return {ErrorCode::usage, explain(app, error, words)};
    app.exit(error, pages, pages);  // help and version arrive as exceptions, too
    return {};
  } catch (...) {
    return outcome_of_exception();
  }
}

int tell(const Outcome& outcome) {
  if (outcome.code == ErrorCode::ok) return 0;
  std::string sentence = outcome.sentence;
  for (char& c : sentence)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  sentence = printable(sentence);  // names of files may hold anything
  while (!sentence.empty() && (sentence.back() == '.' || sentence.back() == ' ')) sentence.pop_back();
  std::fprintf(stderr, "farfield: %s\n", sentence.c_str());
  return static_cast<int>(outcome.code);
}

}  // namespace farfield::cli
