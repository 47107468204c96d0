// What comes out: the density at the places asked for, and its way into a file.
#pragma once
#include "cli/kde/question.hpp"
#include "density/estimate.hpp"

namespace farfield::cli {

/// The density at `targets`, or at the points themselves; on the sphere per steradian.
density::Estimate answer(const Question& question, const std::optional<std::vector<double>>& targets,
                         const Options& options);

/// csv: a row for each place with its density. npz: `density`, of a grid of shape (NY, NX), and the places along each
/// axis; else (N,) and `positions` (N, d); and `bandwidth`, (d, d), the matrix H of the kernels, or on the sphere the
/// degrees. npy: the density alone.
void write_density(const KdeArguments& arguments, const Question& question, const std::vector<double>& density);

/// For --plot: one axis: a line over x; two: a map; three: the points, coloured by their density.
void draw_density(const KdeArguments& arguments, const Question& question, const std::vector<double>& density);

/// What `kde` prints.
struct Told {
  double seconds = 0;  ///< of the sums
  std::vector<std::string> written;
};
std::string describe_kde(const KdeArguments& arguments, const Question& question, const density::Estimate& estimate,
                         const Told& told);

}  // namespace farfield::cli
