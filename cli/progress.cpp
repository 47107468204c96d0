#include "cli/progress.hpp"

#include <cstdio>

#include "cli/terminal.hpp"

namespace farfield::cli {

Progress::Progress(bool quiet) : shown_(!quiet && is_terminal(stderr)) {}

void Progress::operator()(const std::string& what) {
  if (!shown_) return;
  std::fprintf(stderr, "\r\033[K%s ...", what.c_str());
  std::fflush(stderr);
  dirty_ = true;
}

void Progress::clear() {
  if (dirty_) std::fputs("\r\033[K", stderr);
  dirty_ = false;
}

}  // namespace farfield::cli
