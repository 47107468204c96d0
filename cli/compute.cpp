#include "cli/compute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <farfield/error.hpp>
#include <filesystem>

#include "cli/report/json.hpp"
#include "cli/report/numbers.hpp"
#include "cli/report/stopwatch.hpp"
#include "cli/softening/lengths.hpp"
#include "io/output.hpp"
#include "io/picture/picture.hpp"
#include "io/results.hpp"

namespace farfield::cli {
namespace {

/// In lower case, with its dot.
std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

/// One spelling for all that lead to the same file; empty for no file, and for pipes and devices, which may be shared.
std::string place_of(const std::string& path) {
  std::error_code trouble;
  const auto status = std::filesystem::status(path, trouble);
  const bool special = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  if (path.empty() || path == "-" || special) return "";
  const auto place = std::filesystem::weakly_canonical(std::filesystem::absolute(path, trouble), trouble);
  return trouble ? path : place.string();
}

/// Results may replace the input, which they contain. A report or a picture may not, nor may one output another.
void require_distinct(const SumArguments& a) {
  struct Use {
    const char* name;
    const std::string* path;
  };
  const std::array<Use, 5> uses = {{{"INPUT", &a.input},
                                    {"--targets", &a.targets},
                                    {"--output", &a.output},
                                    {"--report", &a.report},
                                    {"--plot", &a.plot}}};
  for (std::size_t later = 3; later < uses.size(); ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      if (const std::string place = place_of(*uses[later].path);
          !place.empty() && place == place_of(*uses[earlier].path))
        throw Error(ErrorCode::usage, fmt::format("{} would overwrite {}, the file of {}; give them different names",
                                                  uses[later].name, *uses[earlier].path, uses[earlier].name));
}

/// One standard input and one standard output are there; a results' name tells a format.
void require_names(const SumArguments& a) {
  if (a.input == "-" && a.targets == "-")
    throw Error(ErrorCode::usage, "bodies and targets cannot both come from standard input; name a file for one");
  if ((a.output == "-") + (a.report == "-") + (a.plot == "-") > 1)
    throw Error(ErrorCode::usage,
                "standard output takes one of --output, --report and --plot; name files for the rest");
  if (!a.plot.empty() && a.plot != "-" && extension_of(a.plot) != ".png")
    throw Error(ErrorCode::usage, a.plot + ": pictures are written as PNG only; use a name that ends in .png");
  if (!a.output.empty()) io::output_format(a.output, a.format);
  if (a.output.empty() && !a.format.empty())
    throw Error(ErrorCode::usage,
                "--format is that of the results; name a file for them with --output, or - for a pipe");
}

Points view(const io::Bodies& bodies, const std::vector<double>& lengths) {
  Points p = points(bodies.positions);
  if (!lengths.empty()) p.softening = lengths.data();
  return p;
}

void read_files(const SumArguments& a, Computation& c, Progress& progress) {
  const Stopwatch watch;
  progress("reading " + a.input);
  io::Reading reading = a.reading;
  reading.densities = true;
  c.sources = io::read(a.input, reading);
  c.densities = io::densities_of(c.sources);
  if (!a.targets.empty()) {
    progress("reading " + a.targets);
    c.targets = io::read_points(a.targets, {"", a.reading.delimiter, a.reading.columns});
  }
  c.wall.read = watch.seconds();
}

Plan make_plan(const SumArguments& a, Computation& c, Progress& progress) {
  const Stopwatch watch;
  progress(fmt::format("planning for {} bodies", grouped(c.sources.count())));
  const std::vector<double> lengths = lengths_of(c.sources, a.softening, a.input);
  const Points sources = view(c.sources, lengths);
  const auto at_targets = [&] {
    const auto own = lengths_of_targets(*c.targets, a.softening, a.targets, a.options.softening);
    return Plan(sources, view(*c.targets, own), a.options);
  };
  Plan plan = c.targets ? at_targets() : Plan(sources, a.options);
  c.wall.plan = watch.seconds();
  return plan;
}

/// Of an evaluation and its check, which sums all sources at so many targets one by one, in double.
double expected_seconds(const Report& r, const Options& o) {
  constexpr double checked_pair = 1.5e-8;  // measured on one core; a rough figure that no choice depends on
  const double pairs = static_cast<double>(std::min(o.check, r.targets)) * static_cast<double>(r.sources);
  return r.expected_seconds + pairs * checked_pair / std::max(1, r.threads);
}

void evaluate(const SumArguments& a, Plan& plan, Computation& c, Progress& progress) {
  const Stopwatch watch;
  progress(a.options.check > 0 ? "evaluating and checking" : "evaluating", expected_seconds(plan.report(), a.options));
  c.result = plan.evaluate<double>(strengths_of(c));
  c.wall.evaluate = watch.seconds() - (c.result.report.error ? c.result.report.error->seconds : 0);
}

/// Lengths of vectors of three components.
std::vector<double> sizes(const std::vector<double>& vectors) {
  std::vector<double> lengths;
  for (std::size_t i = 0; i + 2 < vectors.size(); i += 3)
    lengths.push_back(std::hypot(vectors[i], vectors[i + 1], vectors[i + 2]));
  return lengths;
}

void write_text(const std::string& path, const std::string& text) {
  io::Output out(path);
  out.write(text);
  out.commit();
}

void wrote(Computation& c, const std::string& path) { c.written.push_back(path == "-" ? "standard output" : path); }

/// "the potential's error is 3.2e-4" where that exceeds the tolerance, else nothing. A not-a-number exceeds.
std::string excess(const char* what, double error, double tolerance) {
  return error <= tolerance ? "" : fmt::format("the error of the {} is {}", what, scientific(error));
}

}  // namespace

void require_writable(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (path.empty() || (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
                       !std::filesystem::is_directory(status)))
    return;
  io::Output probe(path);
}

/// Components of the cell's vectors, one behind the other.
static std::array<double*, 9> components(Options& o) {
  return {&o.cell_x, &o.cell_ay, &o.cell_az, &o.cell_bx, &o.cell_y, &o.cell_bz, &o.cell_cx, &o.cell_cy, &o.cell_z};
}

/// Are there images that nobody asked for?
static void warn_of_images(const Options& o, io::Bodies& bodies) {
  std::string axes;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (bodies.periodic[axis]) axes += "xyz"[axis];
  if (axes.empty() || o.periodic != Axes::none) return;
  bodies.warnings.push_back(fmt::format(
      "The bodies lie in a cell that is periodic along {}; they are summed as open, and --periodic {} adds "
      "their images.{}",
      axes, axes, bodies.references_apply ? "" : " Reference values of the file are those of the periodic system."));
}

/// Options of the cell: as it is asked for, else as the file states it.
static void set_cell(SumArguments& a, io::Bodies& bodies) {
  const auto periodic = [&](std::size_t axis) { return (static_cast<unsigned>(a.options.periodic) >> axis & 1) != 0; };
  const auto axes = static_cast<std::size_t>(periodic(0)) + periodic(1) + periodic(2);
  std::vector<double> nine(9);
  if (a.cell.size() == 9) {
    nine = a.cell;
  } else if (axes > 0 && a.cell.empty() && bodies.cell.size() == 9) {
    nine = bodies.cell;
    const auto as_stated = [&](std::size_t axis) { return bodies.periodic[axis] == periodic(axis); };
    bodies.references_apply = bodies.references_apply || (as_stated(0) && as_stated(1) && as_stated(2));
  } else if (a.cell.size() == axes) {
    for (std::size_t axis = 0, given = 0; axis < 3; ++axis)
      if (periodic(axis)) nine[4 * axis] = a.cell[given++];
  } else {
    throw Error(ErrorCode::usage,
                fmt::format("--cell has {}, but --periodic {} names {}; give one for each axis, or nine numbers",
                            plural(std::ssize(a.cell), "length", "lengths"), word_of(a.options.periodic),
                            plural(static_cast<std::int64_t>(axes), "axis", "axes")));
  }
  warn_of_images(a.options, bodies);
  const std::array<double*, 9> to = components(a.options);
  for (std::size_t i = 0; i < 9; ++i) *to[i] = periodic(i / 3) ? nine[i] : 0;
}

void require_files(const SumArguments& a) {
  require_names(a);
  require_distinct(a);
}

void settle_options(SumArguments& a, Computation& c) {
  set_cell(a, c.sources);
  a.options.dipoles = !c.densities.dipoles.empty();
  a.options.densities = static_cast<int>(std::clamp<std::int64_t>(c.densities.vectors, 1, 1'000'000));
}

Strengths strengths_of(const Computation& c) {
  const io::Densities& d = c.densities;
  const Strengths charges = strengths(d.strengths, c.sources.count(), d.vectors);
  return d.dipoles.empty() ? charges : with_dipoles(charges, d.dipoles);
}

io::Results results_of(const Computation& c) {
  const Report& r = c.result.report;
  const auto *potential = r.potential ? &c.result.potential : nullptr,
             *gradient = r.gradient ? &c.result.gradient : nullptr, *hessian = r.hessian ? &c.result.hessian : nullptr;
  return {&c.at(), potential, gradient, r.vector, r.components, hessian, r.vectors};
}

Computation compute(const SumArguments& given, Progress& progress) {
  SumArguments a = given;
  require_files(a);
  for (const std::string* path : {&a.output, &a.report, &a.plot}) require_writable(*path);
  Computation c;
  read_files(a, c, progress);
  settle_options(a, c);
  Plan plan = make_plan(a, c, progress);
  evaluate(a, plan, c, progress);
  progress.clear();
  return c;
}

void write_results(const SumArguments& a, Computation& c, Progress& progress) {
  const Stopwatch watch;
  if (!a.output.empty()) {
    progress("writing " + a.output);
    io::write(a.output, results_of(c), a.format);
    wrote(c, a.output);
  }
  if (!a.plot.empty()) {
    progress("drawing " + a.plot);
    io::PictureStyle style;
    const std::string& path = c.targets ? a.targets : a.input;
    if (!a.plot_axis.empty()) style.axis = a.plot_axis[0];
    style.title = (path == "-" ? "" : std::filesystem::path(path).filename().string() + ": ") + told(c.at());
    const bool speeds = c.result.report.vector != "gradient";
    if (speeds) style.label = "size of the " + c.result.report.vector;
    std::vector<double> values = speeds ? sizes(c.result.gradient) : c.result.potential;
    values.resize(static_cast<std::size_t>(c.at().count()));  // of the first vector of strengths
    io::draw(a.plot, c.at(), values, style);
    wrote(c, a.plot);
  }
  c.wall.write = watch.seconds();
  write_report(a, c);
  progress.clear();
}

void write_report(const SumArguments& a, Computation& c) {
  if (a.report.empty()) return;
  wrote(c, a.report);
  write_text(a.report, text_of(run_to_json(a, c)));
}

void require_accuracy(const Report& r) {
  if (!r.error) return;
  std::string text =
      r.potential && r.tolerance_for != "gradient" ? excess("potential", r.error->potential, r.tolerance) : "";
  const auto add = [&](const std::string& one) { text += (text.empty() || one.empty() ? "" : " and ") + one; };
  if (r.gradient) add(excess(r.vector.c_str(), r.error->gradient, r.tolerance));
  if (r.hessian) add(excess("Hessian", r.error->hessian, r.tolerance));
  if (!text.empty())
    throw Error(ErrorCode::accuracy, fmt::format("{}, more than the tolerance {}", text, shortest(r.tolerance)));
}

}  // namespace farfield::cli
