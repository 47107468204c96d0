// Densities: several vectors of strengths, and dipoles, as bodies carry them in further columns.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "io/bodies.hpp"

namespace farfield::io {

/// Names of the column of strengths and of those of dipoles: q, dx, dy, dz of vector 0, q2, dx2, dy2, dz2 of vector 1.
std::string strength_column(std::int64_t vector);
std::vector<std::string> dipole_columns(std::int64_t vector);

/// What bodies carry in a sum. Strengths or dipoles that a vector lacks are 0.
struct Densities {
  std::int64_t vectors = 1;
  std::vector<double> strengths;  ///< n for each vector
  std::vector<double> dipoles;    ///< 3 n for each vector, interleaved; empty: none has any
};
Densities densities_of(const Bodies& bodies);

/// Is this the name of a result of a further vector, as they are written: potential2, gradient2, hxx3? What an earlier
/// run found for these vectors is not compared, and not carried through either.
bool is_further_result(const std::string& name);

/// Adds dipoles of one vector, 3 n interleaved, as columns.
void add_dipoles(Bodies& bodies, const std::vector<double>& dipoles, std::int64_t vector = 0);

}  // namespace farfield::io
