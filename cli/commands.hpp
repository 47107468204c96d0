// The five subcommands. Each prints what it has to say and returns; trouble of any kind is thrown.
#pragma once
#include "cli/arguments.hpp"

namespace farfield::cli {

void run(const SumArguments& arguments);
void check(const SumArguments& arguments);
void generate(const GenerateArguments& arguments);
void info(const std::string& file);
void bench(const BenchArguments& arguments);

}  // namespace farfield::cli
