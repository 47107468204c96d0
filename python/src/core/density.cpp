// Densities of points: rules for the bandwidth, grids, and the sums. Matrices are the factor L of H = L L^T, row by
// row.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <density/estimate.hpp>
#include <density/grid.hpp>
#include <density/rules/rules.hpp>
#include <density/sphere.hpp>

#include "owned.hpp"

namespace farfield::python {

namespace {

using Lengths = std::array<double, 3>;
using Counts = std::array<std::int64_t, 3>;

density::Sample sample_of(const Doubles& points, const Doubles& weights) {
  density::Sample sample{static_cast<int>(points.shape(1)), as_list(points), as_list(weights)};
  density::require_sample(sample);
  return sample;
}

/// Degrees as unit vectors.
density::Sample on_sphere(const Doubles& points, const Doubles& weights) {
  return {3, density::unit_vectors(as_list(points), "Point"), as_list(weights)};
}

density::Bandwidth bandwidth_of(const Doubles& factor) {
  const auto d = static_cast<int>(factor.shape(0));
  density::Bandwidth bandwidth{d, {}};
  for (int row = 0; row < d; ++row)
    for (int column = 0; column <= row; ++column) bandwidth.set(row, column, factor.data()[row * d + column]);
  return bandwidth;
}

density::Bandwidth by_rule(const std::string& rule, const density::Sample& sample, const Lengths& cell) {
  const density::Cell periodic{cell};
  if (rule == "scott") return density::scott(sample, periodic);
  if (rule == "silverman") return density::silverman(sample, periodic);
  if (rule == "isj") return density::improved_sheather_jones(sample, periodic);
  throw Error(ErrorCode::usage, "bandwidth is '" + rule + "'; pass a number, a matrix, or scott, silverman or isj");
}

nb::object bandwidth_factor(const std::string& rule, const Doubles& points, const Doubles& weights,
                            const Lengths& cell) {
  const density::Sample sample = sample_of(points, weights);
  density::Bandwidth found;
  {
    const nb::gil_scoped_release unlocked;
    found = by_rule(rule, sample, cell);
  }
  const auto d = static_cast<std::size_t>(sample.dimension);
  std::vector<double> factor;
  for (int row = 0; row < sample.dimension; ++row)
    for (int column = 0; column < sample.dimension; ++column) factor.push_back(found.get(row, column));
  return as_array(std::move(factor), {d, d});
}

/// In degrees.
double bandwidth_on_sphere(const std::string& rule, const Doubles& points, const Doubles& weights) {
  const density::Sample sample = on_sphere(points, weights);
  const nb::gil_scoped_release unlocked;
  if (rule == "isj") return density::degrees(density::sphere_isj(sample));
  if (rule == "scott" || rule == "silverman") return density::degrees(density::sphere_rule(sample));
  throw Error(ErrorCode::usage, "bandwidth is '" + rule + "'; pass a number of degrees, or scott, silverman or isj");
}

/// Density, points that were summed, report.
nb::tuple told(density::Estimate&& estimate, Report& report) {
  report = std::move(estimate.report);
  const std::size_t count = estimate.density.size();
  return nb::make_tuple(as_array(std::move(estimate.density), {count}), estimate.sources);
}

std::optional<std::vector<double>> targets_of(const std::optional<Doubles>& targets) {
  if (!targets) return std::nullopt;
  return as_list(*targets);
}

nb::tuple estimate(const Doubles& points, const Doubles& weights, const std::optional<Doubles>& targets,
                   const Doubles& factor, const Lengths& cell, const nb::dict& keywords, Report& report) {
  const density::Sample sample = sample_of(points, weights);
  const auto at = targets_of(targets);
  const density::Bandwidth bandwidth = bandwidth_of(factor);
  const Options options = options_of(keywords);
  density::Estimate found;
  {
    const nb::gil_scoped_release unlocked;
    found = density::estimate(sample, at, bandwidth, density::Cell{cell}, options);
  }
  return told(std::move(found), report);
}

nb::tuple estimate_on_sphere(const Doubles& points, const Doubles& weights, const std::optional<Doubles>& targets,
                             double degrees, const nb::dict& keywords, Report& report) {
  const density::Sample sample = on_sphere(points, weights);
  std::optional<std::vector<double>> at = targets_of(targets);
  if (at) at = density::unit_vectors(*at, "Target");
  const Options options = options_of(keywords);
  density::Estimate found;
  {
    const nb::gil_scoped_release unlocked;
    found = density::estimate_on_sphere(sample, at, density::radians(degrees), options);
  }
  return told(std::move(found), report);
}

class OwnGrid {
 public:
  explicit OwnGrid(const density::Grid& grid, bool globe) : grid_(grid), globe_(globe) {}
  nb::object places(int axis) const {
    std::vector<double> places = grid_.places(axis);
    const std::size_t count = places.size();
    return as_array(std::move(places), {count});
  }
  nb::object points() const {
    return as_array(grid_.points(),
                    {static_cast<std::size_t>(grid_.size()), static_cast<std::size_t>(grid_.dimension)});
  }
  std::vector<double> limits() const {
    std::vector<double> limits;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(grid_.dimension); ++axis)
      limits.insert(limits.end(), {grid_.low[axis], grid_.high[axis]});
    return limits;
  }
  double integral(const Doubles& density) const {
    return globe_ ? density::integral_over_globe(grid_, as_list(density)) : density::integral(grid_, as_list(density));
  }

 private:
  density::Grid grid_;
  bool globe_;
};

}  // namespace

void bind_density(nb::module_& module) {
  nb::class_<OwnGrid>(module, "Grid")
      .def("places", &OwnGrid::places, nb::arg("axis"))
      .def("points", &OwnGrid::points)
      .def("limits", &OwnGrid::limits)
      .def("integral", &OwnGrid::integral, nb::arg("density"));
  module.def(
      "grid_around",
      [](const Doubles& points, const Doubles& weights, const Doubles& factor, const Lengths& cell,
         const Counts& count) {
        return OwnGrid(density::grid_around(sample_of(points, weights), bandwidth_of(factor), {cell}, count), false);
      },
      nb::arg("points"), nb::arg("weights"), nb::arg("factor"), nb::arg("cell"), nb::arg("count"));
  module.def(
      "grid_of_globe",
      [](std::int64_t longitudes, std::int64_t latitudes) {
        return OwnGrid(density::grid_of_globe(longitudes, latitudes), true);
      },
      nb::arg("longitudes"), nb::arg("latitudes"));
  module.def("bandwidth_factor", &bandwidth_factor, nb::arg("rule"), nb::arg("points"), nb::arg("weights"),
             nb::arg("cell"));
  module.def("bandwidth_on_sphere", &bandwidth_on_sphere, nb::arg("rule"), nb::arg("points"), nb::arg("weights"));
  module.def("density", &estimate, nb::arg("points"), nb::arg("weights"), nb::arg("targets").none(), nb::arg("factor"),
             nb::arg("cell"), nb::arg("options"), nb::arg("report"));
  module.def("density_on_sphere", &estimate_on_sphere, nb::arg("points"), nb::arg("weights"), nb::arg("targets").none(),
             nb::arg("degrees"), nb::arg("options"), nb::arg("report"));
}

}  // namespace farfield::python
