// What is asked: points, weights, bandwidth, and the places at which their density is wanted.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/progress.hpp"
#include "density/bandwidth.hpp"
#include "density/cell.hpp"
#include "density/grid.hpp"
#include "density/sample.hpp"

namespace farfield::cli {

struct Question {
  density::Sample sample;   ///< as the file has them; on the sphere longitude and latitude in degrees
  std::string description;  ///< of the file
  std::vector<std::string> warnings;
  density::Cell cell;
  density::Bandwidth bandwidth;                ///< on the sphere of one dimension, in degrees
  std::string rule;                            ///< that found it; empty: it was given
  std::optional<density::Grid> grid;           ///< with --grid, or where a picture alone is wanted
  std::optional<std::vector<double>> targets;  ///< of the grid or --targets; none: the points themselves
  bool sphere = false;

  int dimension() const { return sample.dimension; }
  const std::vector<double>& at() const { return targets ? *targets : sample.positions; }
};

/// Reads the files and finds the bandwidth. Throws Error(usage) for arguments that contradict each other or the points,
/// Error(input) for points that have no density.
Question read_question(const KdeArguments& arguments, Progress& progress);

/// A grid around the points, or of the globe, for a picture: some places to a bandwidth, as many as can be seen.
density::Grid picture_grid(const Question& question);

/// The names of the coordinates: x, y, z, or lon, lat.
std::vector<std::string> axis_names(const Question& question);

}  // namespace farfield::cli
