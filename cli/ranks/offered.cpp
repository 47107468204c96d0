#include <fmt/format.h>

#include <farfield/error.hpp>

#include "cli/ranks/command.hpp"

namespace farfield::cli {

void require_offered(const SumArguments& a) {
  const auto refuse_where = [](bool asked, const char* what) {
    if (asked)
      throw Error(ErrorCode::usage,
                  fmt::format("{} not offered over several processes; leave it out, or start one farfield", what));
  };
  refuse_where(!a.softening.of_types.empty(), "softening by types is");
  refuse_where(!a.plot.empty(), "--plot is");
  refuse_where(a.output == "-", "--output to standard output is");
}

}  // namespace farfield::cli
