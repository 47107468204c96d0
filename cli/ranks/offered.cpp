#include <fmt/format.h>

#include <farfield/error.hpp>

#include "cli/ranks/command.hpp"

namespace farfield::cli {

void require_offered(const SumArguments& a) {
  const Options& o = a.options;
  const auto refuse_where = [](bool asked, const char* what) {
    if (asked)
      throw Error(ErrorCode::usage,
                  fmt::format("{} not offered over several processes; leave it out, or start one farfield", what));
  };
  refuse_where(o.softening != 0 || !a.softening.of_types.empty() || !a.softening.column.empty(), "softening is");
  refuse_where(o.core != Core::none, "--core is");
  refuse_where(o.periodic != Axes::none, "--periodic is");
  refuse_where(o.hessian, "--hessian is");
  refuse_where(o.virial, "--virial is");
  refuse_where(o.dipoles, "a sum of dipoles is");
  refuse_where(!a.plot.empty(), "--plot is");
  refuse_where(a.output == "-", "--output to standard output is");
}

}  // namespace farfield::cli
