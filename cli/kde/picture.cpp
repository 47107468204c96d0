#include "io/picture/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/error.hpp>
#include <filesystem>

#include "cli/kde/results.hpp"
#include "cli/report/numbers.hpp"
#include "io/chart/chart.hpp"
#include "io/map/heat.hpp"

namespace farfield::cli {
namespace {

std::string name_of(const KdeArguments& a) {
  return a.input == "-" ? "" : std::filesystem::path(a.input).filename().string() + ": ";
}

std::string bandwidth_words(const Question& q) {
  std::string text = "bandwidth " + shortest(q.bandwidth.along(0)) +
                     (!q.sphere                   ? ""
                      : q.bandwidth.along(0) == 1 ? " degree"
                                                  : " degrees");
  for (int axis = 1; axis < q.bandwidth.dimension; ++axis)
    if (!q.sphere && (q.bandwidth.slanted() || q.bandwidth.along(axis) != q.bandwidth.along(0)))
      text += fmt::format("{} {}", axis == 1 ? " along x," : ",", shortest(q.bandwidth.along(axis))) +
              std::string(" along ") + "xyz"[axis];
  return q.rule.empty() ? text : text + " by the rule " + q.rule;
}

std::string title_of(const KdeArguments& a, const Question& q) {
  return name_of(a) + plural(q.sample.count(), "point", "points") + ", " + bandwidth_words(q);
}

void draw_line_chart(const KdeArguments& a, const Question& q, const density::Grid& grid,
                     const std::vector<double>& values) {
  io::Chart chart;
  chart.title = title_of(a, q), chart.axis = "x";
  chart.places = grid.places(0);
  chart.panels = {{"density", {{"", values}}}};
  io::draw_chart(a.plot, chart);
}

void draw_map(const KdeArguments& a, const Question& q, const density::Grid& grid, const std::vector<double>& values) {
  const io::Raster raster{
      grid.count[0], grid.count[1], {grid.low[0], grid.high[0], grid.low[1], grid.high[1]}, values, q.sphere};
  io::HeatStyle style;
  style.title = title_of(a, q);
  style.label = q.sphere ? "density\nper\nsteradian" : "density";
  if (!a.coast.empty()) style.outlines = io::read_outlines(a.coast);
  q.sphere ? io::draw_globe(a.plot, raster, style) : io::draw_heat(a.plot, raster, style);
}

/// Points in space, coloured by the logarithm of their density.
void draw_points(const KdeArguments& a, const Question& q, const std::vector<double>& density) {
  io::Bodies bodies;
  bodies.positions = q.at();
  std::vector<double> values;
  for (const double p : density) values.push_back(p > 0 ? std::log10(p) : NAN);
  io::PictureStyle style;
  style.title = title_of(a, q), style.label = "log10 density";
  io::draw(a.plot, bodies, values, style);
}

}  // namespace

void draw_density(const KdeArguments& a, const Question& q, const std::vector<double>& density) {
  if (q.dimension() == 3) return draw_points(a, q, density);
  const density::Grid grid = q.grid ? *q.grid : picture_grid(q);
  const std::vector<double> own = q.grid ? std::vector<double>{} : answer(q, grid.points(), a.options).density;
  const std::vector<double>& values = q.grid ? density : own;
  q.dimension() == 1 ? draw_line_chart(a, q, grid, values) : draw_map(a, q, grid, values);
}

}  // namespace farfield::cli
