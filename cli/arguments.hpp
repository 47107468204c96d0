// The grammar of the command line: subcommands, options, help. What they mean is the business of the files they name.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <farfield/options.hpp>
#include <string>
#include <vector>

#include "io/bodies.hpp"
#include "io/generate/generate.hpp"

namespace farfield::cli {

struct SumArguments {  ///< of `run` and `check`
  std::string input, targets, output, format, report, plot, plot_axis;
  io::Reading reading;
  Options options;
  bool quiet = false;
};

struct GenerateArguments {
  std::string kind, output, format;
  std::int64_t n = 0;
  std::uint64_t seed = 0;
  io::Strengths strengths = io::Strengths::natural;
};

struct BenchArguments {
  std::string counts = "1e5,1e6", kinds = "uniform,sphere,plummer", tolerances = "1e-3,1e-6,1e-9", json;
  std::int64_t repeat = 3;
  Options options;
};

struct Arguments {
  SumArguments run, check;
  GenerateArguments generate;
  BenchArguments bench;
  std::string info_file, help_of;
  io::Reading info_reading;
  int shell = 0;
};

/// Declares everything; `arguments` must live as long as `app`.
void declare(CLI::App& app, Arguments& arguments);

}  // namespace farfield::cli
