#include "cli/kde/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <farfield/error.hpp>

#include "cli/report/numbers.hpp"
#include "cli/report/values.hpp"
#include "cli/terminal.hpp"
#include "density/rules/rules.hpp"
#include "density/sphere.hpp"

namespace farfield::cli {
namespace {

/// Places of a raster across a bandwidth: what lies between is drawn as lines, off by (1/6)^2 / 8 of the peak, 0.3 %.
constexpr double per_bandwidth = 6;
constexpr std::int64_t most_across = 1000, least_across = 120;

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::usage, sentence); }

/// How many coordinates the points have: those behind the last that is not zero everywhere do not count.
int dimension_of(const io::Bodies& bodies) {
  for (int axis = 2; axis > 0; --axis)
    for (std::size_t i = static_cast<std::size_t>(axis); i < bodies.positions.size(); i += 3)
      if (bodies.positions[i] != 0) return axis + 1;
  return 1;
}

std::vector<double> narrowed(const std::vector<double>& xyz, int dimension) {
  const auto d = static_cast<std::size_t>(dimension);
  std::vector<double> positions;
  positions.reserve(xyz.size() / 3 * d);
  for (std::size_t i = 0; i < xyz.size(); i += 3)
    positions.insert(positions.end(), xyz.begin() + static_cast<std::ptrdiff_t>(i),
                     xyz.begin() + static_cast<std::ptrdiff_t>(i + d));
  return positions;
}

bool same_name(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::vector<double> weights_of(const KdeArguments& a, const io::Bodies& bodies) {
  if (a.weights.empty()) return std::vector<double>(static_cast<std::size_t>(bodies.count()), 1.0);
  std::vector<std::string> names;
  for (const io::Column& column : bodies.extra) {
    if (same_name(column.name, a.weights)) return column.values;
    names.push_back(printable(column.name));
  }
  const auto strengths = {"q", "strength", "strengths", "mass", "masses", "charge", "charges"};
  const bool asked =
      std::any_of(strengths.begin(), strengths.end(), [&](const char* n) { return same_name(n, a.weights); });
  if (asked && !bodies.strengths.empty()) return bodies.strengths;
  if (!bodies.strengths.empty()) names.push_back("q");
  throw Error(ErrorCode::input,
              fmt::format("{}: there is no column {} of numbers, which --weights names; {}", printable(a.input),
                          printable(a.weights),
                          names.empty() ? "there are coordinates alone" : "there is " + joined(names, ", ")));
}

io::Reading reading_of(const KdeArguments& a) {
  io::Reading reading = a.reading;
  reading.line = !a.sphere, reading.globe = a.sphere;
  return reading;
}

void read_sample(const KdeArguments& a, Question& q) {
  io::Bodies bodies = io::read_points(a.input, reading_of(a));
  q.sample.dimension = a.sphere ? 2 : dimension_of(bodies);
  q.sample.weights = weights_of(a, bodies);
  if (a.sphere && dimension_of(bodies) == 3)
    throw Error(ErrorCode::input, printable(a.input) +
                                      ": points on the sphere have no third coordinate; name the columns "
                                      "of longitude and latitude with --columns x=LONGITUDE,y=LATITUDE,z=0");
  q.sample.positions = narrowed(bodies.positions, q.sample.dimension);
  q.description = told(bodies);
  if (const auto at = q.description.find(" bodies"); at != std::string::npos) q.description.replace(at, 7, " points");
  density::require_sample(q.sample);
  if (a.sphere) density::unit_vectors(q.sample.positions, "Point");  // refuses places that are none
}

void read_targets(const KdeArguments& a, Question& q) {
  if (a.targets.empty()) return;
  io::Reading reading = reading_of(a);
  reading.format.clear();
  const io::Bodies bodies = io::read_points(a.targets, reading);
  if (bodies.count() > 0 && dimension_of(bodies) > q.dimension())
    throw Error(ErrorCode::input, fmt::format("{}: the targets have {} coordinates, but the points {}; give both alike",
                                              printable(a.targets), dimension_of(bodies), q.dimension()));
  q.targets = narrowed(bodies.positions, q.dimension());
  for (std::size_t i = 0; i < q.targets->size(); ++i)
    if (!std::isfinite((*q.targets)[i]))
      throw Error(ErrorCode::input, fmt::format("{}: target {} is at no finite place; correct it or remove it",
                                                printable(a.targets), i / static_cast<std::size_t>(q.dimension())));
  if (a.sphere) density::unit_vectors(*q.targets, "Target");
}

void set_cell(const KdeArguments& a, Question& q) {
  if (a.periodic.size() != a.cell.size())
    refuse(fmt::format("--periodic names {}, --cell {}; give one length for each axis",
                       plural(static_cast<std::int64_t>(a.periodic.size()), "axis", "axes"),
                       plural(static_cast<std::int64_t>(a.cell.size()), "length", "lengths")));
  if (a.sphere && !a.periodic.empty()) refuse("--periodic is for axes; the sphere closes by itself: leave it out");
  for (std::size_t i = 0; i < a.periodic.size(); ++i) {
    const int axis = a.periodic[i] - 'x';
    if (axis >= q.dimension())
      refuse(fmt::format("--periodic {}: the points have {} alone", a.periodic[i],
                         plural(q.dimension(), "coordinate", "coordinates")));
    if (!(a.cell[i] > 0) || !std::isfinite(a.cell[i]))
      refuse(fmt::format("--cell: {} is no length of a period; it must be a finite number above 0", a.cell[i]));
    q.cell.length[static_cast<std::size_t>(axis)] = a.cell[i];
  }
}

bool starts_as_number(const std::string& text) {
  return !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '.' || text[0] == '-' ||
                           text[0] == '+' || same_name(text, "nan") || same_name(text.substr(0, 3), "inf"));
}

void set_numbers(const std::string& text, Question& q) {
  std::vector<double> numbers;
  for (const std::string& part : split(text)) numbers.push_back(parse_number(part));
  const int d = q.sphere ? 1 : q.dimension();
  if (numbers.size() != 1 && static_cast<int>(numbers.size()) != d)
    refuse(fmt::format("--bandwidth {}: give one number, or one for each of {}", text, plural(d, "axis", "axes")));
  for (const double number : numbers)
    if (!(number > 0) || !std::isfinite(number))
      refuse(fmt::format("--bandwidth {}: a bandwidth must be a finite number above 0", text));
  q.bandwidth = density::Bandwidth::of(d, numbers[0]);
  for (int axis = 0; axis < d && numbers.size() > 1; ++axis)
    q.bandwidth.set(axis, axis, numbers[static_cast<std::size_t>(axis)]);
}

void set_rule(const std::string& rule, Question& q) {
  if (rule != "scott" && rule != "silverman" && rule != "isj")
    refuse(fmt::format("--bandwidth: '{}' is neither a number nor one of scott, silverman, isj", printable(rule)));
  q.rule = rule;
  if (q.sphere) {
    const density::Sample unit{3, density::unit_vectors(q.sample.positions, "Point"), q.sample.weights};
    const double found = rule == "isj" ? density::sphere_isj(unit) : density::sphere_rule(unit);
    q.bandwidth = density::Bandwidth::of(1, density::degrees(found));
  } else {
    q.bandwidth = rule == "scott"       ? density::scott(q.sample, q.cell)
                  : rule == "silverman" ? density::silverman(q.sample, q.cell)
                                        : density::improved_sheather_jones(q.sample, q.cell);
  }
}

void set_bandwidth(const KdeArguments& a, Question& q) {
  if (!starts_as_number(a.bandwidth)) return set_rule(a.bandwidth, q);
  try {
    set_numbers(a.bandwidth, q);
  } catch (const CLI::ValidationError& error) {
    refuse(std::string("--bandwidth: ") + error.what());
  }
}

std::int64_t across(double length, double sigma) {
  const double wanted = std::ceil(per_bandwidth * length / sigma);
  return std::clamp(wanted > 1e6 ? most_across : static_cast<std::int64_t>(wanted), least_across, most_across);
}

/// Where nothing but a picture is wanted its grid is what is asked for.
void set_picture_grid(const KdeArguments& a, Question& q) {
  if (!a.targets.empty() || !a.output.empty() || a.plot.empty() || q.dimension() == 3) return;
  q.grid = picture_grid(q);
  q.targets = q.grid->points();
}

void set_grid(const KdeArguments& a, Question& q) {
  if (a.grid.empty()) return set_picture_grid(a, q);
  if (static_cast<int>(a.grid.size()) != q.dimension())
    refuse(fmt::format("--grid has {}, but the points have {}; give one for each coordinate",
                       plural(static_cast<std::int64_t>(a.grid.size()), "number", "numbers"),
                       plural(q.dimension(), "coordinate", "coordinates")));
  std::array<std::int64_t, 3> count{1, 1, 1};
  std::copy(a.grid.begin(), a.grid.end(), count.begin());
  if (static_cast<double>(count[0]) * static_cast<double>(count[1]) * static_cast<double>(count[2]) > 2e9)
    refuse("--grid: more than 2e9 places; ask for fewer");
  q.grid = a.sphere ? density::grid_of_globe(count[0], count[1])
                    : density::grid_around(q.sample, q.bandwidth, q.cell, count);
  q.targets = q.grid->points();
}

}  // namespace

density::Grid picture_grid(const Question& q) {
  if (q.sphere) {
    const std::int64_t n = across(360, q.bandwidth.along(0));
    return density::grid_of_globe(n, n / 2);
  }
  density::Grid grid = density::grid_around(q.sample, q.bandwidth, q.cell, {1, 1, 1});
  for (int axis = 0; axis < q.dimension(); ++axis)
    grid.count[static_cast<std::size_t>(axis)] = across(grid.step(axis), q.bandwidth.along(axis));
  return grid;
}

std::vector<std::string> axis_names(const Question& q) {
  if (q.sphere) return {"lon", "lat"};
  std::vector<std::string> names = {"x", "y", "z"};
  names.resize(static_cast<std::size_t>(q.dimension()));
  return names;
}

Question read_question(const KdeArguments& a, Progress& progress) {
  if (!a.grid.empty() && !a.targets.empty()) refuse("--grid and --targets both say where; give one of them");
  Question q;
  q.sphere = a.sphere;
  progress("reading " + a.input);
  read_sample(a, q);
  set_cell(a, q);
  progress("finding the bandwidth");
  set_bandwidth(a, q);
  read_targets(a, q);
  set_grid(a, q);
  progress.clear();
  return q;
}

}  // namespace farfield::cli
