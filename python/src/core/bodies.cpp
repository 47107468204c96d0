// Files of bodies, generators and pictures: io/, where its libraries were found at the build.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <io/bodies.hpp>
#include <io/chart/chart.hpp>
#include <io/columns/densities.hpp>
#include <io/generate/generate.hpp>
#include <io/map/heat.hpp>
#include <io/picture/picture.hpp>
#include <io/results.hpp>
#include <io/snapshot.hpp>
#include <set>

#include "owned.hpp"

namespace farfield::python {

namespace {

nb::object unless_empty(std::vector<double>& numbers, const Shape& shape) {
  return numbers.empty() && shape[0] > 0 ? nb::none() : as_array(std::move(numbers), shape);
}

/// (N, ...), or (vectors, N, ...) where there are several.
nb::object densities_array(std::vector<double>& numbers, std::size_t vectors, std::size_t n, bool moments) {
  Shape shape{n};
  if (vectors > 1) shape.insert(shape.begin(), vectors);
  if (moments) shape.push_back(3);
  return unless_empty(numbers, shape);
}

/// Columns that were made to strengths and dipoles.
std::set<std::string> taken_columns(const io::Densities& densities) {
  std::set<std::string> names;
  for (std::int64_t vector = 0; vector < densities.vectors; ++vector) {
    if (vector > 0) names.insert(io::strength_column(vector));
    if (densities.dipoles.empty()) continue;
    for (const std::string& name : io::dipole_columns(vector)) names.insert(name);
  }
  return names;
}

/// What farfield.Bodies is made of.
nb::dict as_members(io::Bodies&& bodies) {
  const auto n = static_cast<std::size_t>(bodies.count());
  io::Densities densities = io::densities_of(bodies);
  const auto vectors = static_cast<std::size_t>(densities.vectors);
  const std::set<std::string> taken = taken_columns(densities);
  nb::dict members, columns, numbers;
  for (io::Column& column : bodies.extra)
    if (!taken.contains(column.name)) columns[column.name.c_str()] = as_array(std::move(column.values), {n});
  for (const auto& [name, value] : bodies.numbers) numbers[name.c_str()] = value;
  const bool has_strengths = !bodies.strengths.empty() || n == 0;
  members["positions"] = as_array(std::move(bodies.positions), {n, 3});
  members["strengths"] = has_strengths ? densities_array(densities.strengths, vectors, n, false) : nb::none();
  members["dipoles"] = densities.dipoles.empty() ? nb::none() : densities_array(densities.dipoles, vectors, n, true);
  members["potential"] =
      bodies.reference_potential.empty() ? nb::none() : as_array(std::move(bodies.reference_potential), {n});
  members["gradient"] =
      bodies.reference_gradient.empty() ? nb::none() : as_array(std::move(bodies.reference_gradient), {n, 3});
  members["hessian"] =
      bodies.reference_hessian.empty() ? nb::none() : as_array(std::move(bodies.reference_hessian), {n, 6});
  members["columns"] = columns;
  members["numbers"] = numbers;
  members["description"] = bodies.description;
  members["warnings"] = bodies.warnings;
  return members;
}

nb::dict read(const std::string& path, bool needs_strengths, const std::string& format, const std::string& delimiter,
              const std::vector<std::pair<std::string, std::string>>& columns, bool line, bool globe) {
  io::Reading reading;
  reading.format = format;
  reading.delimiter = delimiter.empty() ? '\0' : delimiter.front();
  reading.columns = columns;
  reading.line = line, reading.globe = globe, reading.densities = needs_strengths;
  io::Bodies bodies;
  {
    const nb::gil_scoped_release unlocked;
    bodies = needs_strengths ? io::read(path, reading) : io::read_points(path, reading);
  }
  return as_members(std::move(bodies));
}

nb::dict generate(const std::string& kind, std::int64_t n, std::uint64_t seed, const std::string& strengths,
                  bool dipoles) {
  static constexpr std::pair<const char*, io::Strengths> words[] = {{"natural", io::Strengths::natural},
                                                                    {"unit", io::Strengths::unit},
                                                                    {"positive", io::Strengths::positive},
                                                                    {"mixed", io::Strengths::mixed}};
  const auto* word =
      std::find_if(std::begin(words), std::end(words), [&](const auto& w) { return strengths == w.first; });
  if (word == std::end(words))
    throw Error(ErrorCode::usage, "strengths is '" + strengths + "'; pass natural, unit, positive or mixed");
  io::Bodies bodies = io::generate(kind, n, seed, word->second);
  if (dipoles) io::add_random_dipoles(bodies, seed);
  return as_members(std::move(bodies));
}

using Columns = std::vector<std::pair<std::string, Doubles>>;

/// Strengths and dipoles of further vectors as the columns that `densities_of` reads.
io::Bodies bodies_of(const Doubles& positions, const std::optional<Doubles>& strengths,
                     const std::optional<Doubles>& dipoles, const Columns& columns, const std::string& description) {
  io::Bodies bodies;
  bodies.positions = as_list(positions);
  bodies.description = description;
  const std::size_t n = positions.shape(0);
  if (strengths) {
    const double* numbers = strengths->data();
    bodies.strengths.assign(numbers, numbers + n);
    for (std::size_t vector = 1; n > 0 && vector < strengths->size() / n; ++vector)
      bodies.extra.push_back(
          {io::strength_column(static_cast<std::int64_t>(vector)), {numbers + vector * n, numbers + (vector + 1) * n}});
  } else {
    bodies.strengths.assign(n, 0.0);
  }
  for (std::size_t vector = 0; dipoles && n > 0 && vector < dipoles->size() / (3 * n); ++vector)
    io::add_dipoles(bodies, {dipoles->data() + 3 * n * vector, dipoles->data() + 3 * n * (vector + 1)},
                    static_cast<std::int64_t>(vector));
  for (const auto& [name, values] : columns) bodies.extra.push_back({name, as_list(values)});
  return bodies;
}

void write(const std::string& path, const std::string& format, const Doubles& positions,
           const std::optional<Doubles>& strengths, const std::optional<Doubles>& dipoles, const Columns& columns,
           const std::optional<Doubles>& potential, const std::optional<Doubles>& gradient,
           const std::optional<Doubles>& hessian) {
  const io::Bodies bodies = bodies_of(positions, strengths, dipoles, columns, {});
  const std::vector<double> u = as_list(potential), g = as_list(gradient), h = as_list(hessian);
  io::Results results;
  results.bodies = &bodies;
  if (potential) results.potential = &u;
  if (gradient) results.gradient = &g;
  if (hessian) results.hessian = &h;
  if (positions.shape(0) > 0 && potential)
    results.vectors = static_cast<std::int64_t>(potential->size() / positions.shape(0));
  const nb::gil_scoped_release unlocked;
  io::write(path, results, format);
}

void draw(const std::string& path, const Doubles& positions, const std::optional<Doubles>& values,
          const std::string& title, const std::string& label, std::array<int, 2> size, const std::string& axis,
          const std::optional<std::array<double, 4>>& limits) {
  const io::Bodies bodies = bodies_of(positions, {}, {}, {}, title);
  const io::PictureStyle style{title, label, size[0], size[1], axis.empty() ? '\0' : axis.front(), limits};
  const nb::gil_scoped_release unlocked;
  io::draw(path, bodies, as_list(values), style);
}

/// On a line, in the plane, or on the globe.
void draw_density(const std::string& path, const Doubles& density, const Doubles& places,
                  const std::vector<double>& limits, bool globe, const std::string& title, const std::string& coast) {
  if (limits.size() == 2) {
    io::Chart chart{title, "x", as_list(places), {{"density", {{"", as_list(density)}}}}};
    return io::draw_chart(path, chart);
  }
  const io::Raster raster{static_cast<std::int64_t>(density.shape(1)),
                          static_cast<std::int64_t>(density.shape(0)),
                          {limits[0], limits[1], limits[2], limits[3]},
                          as_list(density),
                          globe};
  io::HeatStyle style;
  style.title = title;
  if (globe) style.label = "density\nper\nsteradian";
  if (!coast.empty()) style.outlines = io::read_outlines(coast);
  globe ? io::draw_globe(path, raster, style) : io::draw_heat(path, raster, style);
}

}  // namespace

void bind_bodies(nb::module_& module) {
  module.def("read", &read, nb::arg("path"), nb::arg("needs_strengths"), nb::arg("format"), nb::arg("delimiter"),
             nb::arg("columns"), nb::arg("line"), nb::arg("globe"));
  module.def("generate", &generate, nb::arg("kind"), nb::arg("n"), nb::arg("seed"), nb::arg("strengths"),
             nb::arg("dipoles"));
  module.def(
      "generator_kinds",
      [] {
        nb::dict kinds;
        for (const io::GeneratorKind& kind : io::generator_kinds()) kinds[kind.name.c_str()] = kind.summary;
        return kinds;
      },
      nb::sig("def generator_kinds() -> dict[str, str]"));
  module.def("input_formats", &io::input_formats);
  module.def("write", &write, nb::arg("path"), nb::arg("format"), nb::arg("positions"), nb::arg("strengths").none(),
             nb::arg("dipoles").none(), nb::arg("columns"), nb::arg("potential").none(), nb::arg("gradient").none(),
             nb::arg("hessian").none());
  module.def("draw", &draw, nb::arg("path"), nb::arg("positions"), nb::arg("values").none(), nb::arg("title"),
             nb::arg("label"), nb::arg("size"), nb::arg("axis"), nb::arg("limits").none());
  module.def("draw_density", &draw_density, nb::arg("path"), nb::arg("density"), nb::arg("places"), nb::arg("limits"),
             nb::arg("globe"), nb::arg("title"), nb::arg("coast"));
}

}  // namespace farfield::python
