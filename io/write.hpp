// One writer per format, called by `write` alone.
#pragma once
#include <string>
#include <vector>

#include "io/parts/sink.hpp"
#include "io/results.hpp"

namespace farfield::io {

void write_npz(Sink& out, const Results& results);
void write_csv(Sink& out, const Results& results);
void write_npy(Sink& out, const Results& results);

/// Whether a list of `results` is there: one that was asked for is, even where there are no bodies.
bool present(const Results& results, const std::vector<double>* values);

/// The same of strengths, alike in all parts: one without bodies cannot tell by itself.
bool has_strengths(Sink& out, const Results& results);

/// Names for the extra columns that every format can hold and that clash neither with each other nor with x, y, z, ...
/// nor with those `also` taken.
std::vector<std::string> column_names(const Bodies& bodies, const std::vector<std::string>& also = {});
/// Names of arrays and columns of the results that not all results have: of a vector that is not the gradient, of a
/// Hessian, of further vectors of strengths.
std::vector<std::string> names_of_results(const Results& results);

/// One kind of result of one vector of strengths.
struct ResultList {
  std::string name;                  ///< of the array
  std::vector<std::string> columns;  ///< names of those that tables have, perhaps not of all
  const double* values;              ///< n times `width`, interleaved; null where there are no bodies
  std::int64_t width;
};
/// All results that are there, in the order in which they are written.
std::vector<ResultList> lists_of(const Results& results);

}  // namespace farfield::io
