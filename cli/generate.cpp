// `farfield generate`: bodies into a file.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/report/numbers.hpp"
#include "cli/terminal.hpp"
#include "io/results.hpp"

namespace farfield::cli {

void generate(const GenerateArguments& a) {
  Progress progress(false);
  progress(fmt::format("making {} bodies", grouped(a.n)));
  io::output_format(a.output, a.format);
  io::Bodies bodies = io::generate(a.kind, a.n, a.seed, a.strengths);
  if (a.dipoles) io::add_random_dipoles(bodies, a.seed);
  progress("writing " + a.output);
  io::write(a.output, {&bodies, nullptr, nullptr}, a.format);
  progress.clear();
  if (a.output == "-") return;
  print(Terminal::of(stdout).wrap(printable(a.output) + ": " + told(bodies), 0) + "\n");
}

}  // namespace farfield::cli
