// One writer per format, called by `write` alone.
#pragma once
#include <string>
#include <vector>

#include "io/output.hpp"
#include "io/results.hpp"

namespace farfield::io {

void write_npz(Output& out, const Results& results);
void write_csv(Output& out, const Results& results);
void write_npy(Output& out, const Results& results);

/// Whether a list of `results` is there: one that was asked for is, even where there are no bodies.
bool present(const Results& results, const std::vector<double>* values);

/// Names for the extra columns that every format can hold and that clash neither with each other nor with x, y, z, ...
/// nor with those `also` taken.
std::vector<std::string> column_names(const Bodies& bodies, const std::vector<std::string>& also = {});
/// Names of a vector that is not the gradient, and of its columns.
std::vector<std::string> names_of_vector(const Results& results);

}  // namespace farfield::io
