// The subcommands. Each prints what it has to say and returns; trouble of any kind is thrown.
#pragma once
#include "cli/arguments.hpp"

namespace farfield::cli {

void run(const SumArguments& arguments);
void check(const SumArguments& arguments);
void simulate(const SimulateArguments& arguments);
void kde(const KdeArguments& arguments);
void coulomb(const CoulombArguments& arguments);
void biot_savart(const BiotSavartArguments& arguments);
void generate(const GenerateArguments& arguments);
void info(const std::string& file, const io::Reading& reading);
void bench(const BenchArguments& arguments);
void help(const CLI::App& app, const std::string& command);  ///< of all where `command` is empty
void completion(const CLI::App& app);                        ///< for bash
void man(const CLI::App& app);

}  // namespace farfield::cli
