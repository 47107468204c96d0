// Softening lengths of bodies themselves: by their types, or from a column of the file.
#pragma once
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "io/bodies.hpp"

namespace farfield::cli {

/// --softening, one length or one for each type, and --softening-column.
void add_softening(CLI::App& app, Options& options, SofteningArguments& arguments);

/// The values of a column; null where there is none of that name, in any case.
const std::vector<double>* find_column(const io::Bodies& bodies, const std::string& name);

/// A length for each body; empty where Options::softening is that of all. Throws Error(usage) where the arguments do
/// not fit the bodies of file `path`.
std::vector<double> lengths_of(const io::Bodies& bodies, const SofteningArguments& arguments, const std::string& path);

/// The same for targets apart from the bodies: where they lack the column, `softening`, if above 0, is theirs.
std::vector<double> lengths_of_targets(const io::Bodies& targets, const SofteningArguments& arguments,
                                       const std::string& path, double softening);

}  // namespace farfield::cli
