// The options of `farfield kde`.
#include <algorithm>
#include <string_view>

#include "cli/arguments.hpp"
#include "cli/report/values.hpp"

namespace farfield::cli {
namespace {

bool is_of_kde(const OptionText& text) {
  constexpr std::string_view names[] = {"tolerance", "method", "precision", "backend",
                                        "threads",   "check",  "seed",      "simd"};
  return std::find(std::begin(names), std::end(names), std::string_view(text.name)) != std::end(names);
}

void add_grid(CLI::App& app, std::vector<std::int64_t>& grid) {
  const auto take = [&grid](const std::string& text) {
    grid.clear();
    for (const std::string& part : split(text)) grid.push_back(parse_count(part));
    if (grid.size() > 3 || *std::min_element(grid.begin(), grid.end()) < 1)
      throw CLI::ValidationError("'" + text + "' is no grid; write one number of 1 or more for each axis, NX,NY",
                                 CLI::ExitCodes::ValidationError);
  };
  add_parsed(app, "--grid", take, "At a grid of so many places around the points")->type_name("NX,NY");
}

void add_periodic(CLI::App& app, KdeArguments& a) {
  const auto take_axes = [&a](const std::string& text) {
    a.periodic.clear();
    for (const char c : text)
      if (c != ',') a.periodic += c;
    const bool axes = a.periodic.find_first_not_of("xyz") == a.periodic.npos && !a.periodic.empty();
    for (const char c : a.periodic)
      if (!axes || std::count(a.periodic.begin(), a.periodic.end(), c) != 1)
        throw CLI::ValidationError("'" + text + "' is no list of axes; write x, or x,y",
                                   CLI::ExitCodes::ValidationError);
    if (a.periodic.empty())
      throw CLI::ValidationError("no axis is named; write x, or x,y", CLI::ExitCodes::ValidationError);
  };
  add_parsed(app, "--periodic", take_axes, "Axes that are circles: x, or x,y")->type_name("AXES");
  const auto take_cell = [&a](const std::string& text) {
    a.cell.clear();
    for (const std::string& part : split(text)) a.cell.push_back(parse_number(part));
  };
  add_parsed(app, "--cell", take_cell, "Their periods, in this order")->type_name("LENGTHS");
}

}  // namespace

void add_kde(CLI::App& parent, KdeArguments& a) {
  CLI::App& app = *parent.add_subcommand("kde", "Estimate the density of points by Gaussian kernels");
  app.add_option("INPUT", a.input, "Points: csv, npz, ply, ...; - for a pipe")->required()->type_name("");
  app.add_option(
         "--bandwidth", a.bandwidth,
         "Standard deviation of the kernels: a number (on the sphere in degrees), one for each axis, or a rule: "
         "scott, silverman (default), isj")
      ->type_name("X|RULE");
  add_grid(app, a.grid);
  app.add_option("--targets", a.targets, "At these points, not at those of INPUT")->type_name("FILE");
  app.add_option("--weights", a.weights, "A column of INPUT; else each point counts 1")->type_name("COLUMN");
  app.add_flag("--sphere", a.sphere, "x is longitude, y latitude, in degrees; density per steradian");
  add_periodic(app, a);
  app.add_option("-o,--output", a.output, "Density: .npz, .csv or .npy; - for a pipe")->type_name("FILE");
  add_output_format(app, a.format);
  app.add_option("--plot", a.plot, "Draw the density: PNG")->type_name("FILE");
  app.add_option("--coast", a.coast, "Lines to draw over it: TopoJSON or GeoJSON")->type_name("FILE");
  const auto general = [](const OptionText& text) { return is_of_kde(text) && text.where == option::Where::general; };
  add_options(app, a.options, general);
  add_reading(app, a.reading);
  app.add_flag("-q,--quiet", a.quiet, "Print nothing but errors");
  add_options(app, a.options, [&](const OptionText& text) { return is_of_kde(text) && !general(text); });
  app.footer(
      "Points of one, two or three coordinates; the density is 1 over the whole.\n"
      "Without --grid and --targets it is estimated at the points themselves.\n\n"
      "Examples:\n"
      "  farfield kde quakes.csv --sphere --bandwidth 1 --plot q.png --coast world.json\n"
      "  farfield kde iris.csv --columns x=length,y=width --grid 400,300 -o d.npz\n"
      "  farfield kde angles.csv --periodic x --cell 360 --bandwidth isj --grid 720");
}

}  // namespace farfield::cli
