// `farfield biot-savart`: velocities that vortex particles induce, and how these stretch them.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <farfield/biot_savart.hpp>
#include <farfield/error.hpp>
#include <optional>

#include "cli/commands.hpp"
#include "cli/compute.hpp"
#include "cli/report/numbers.hpp"
#include "cli/report/text.hpp"
#include "cli/softening/lengths.hpp"
#include "io/arrays.hpp"
#include "io/results.hpp"

namespace farfield::cli {
namespace {

struct Particles {
  io::Bodies bodies;
  std::vector<double> strengths;  ///< 3 n, interleaved
  std::optional<io::Bodies> targets;
  const io::Bodies& at() const { return targets ? *targets : bodies; }
};

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::usage, sentence); }

void require_names(const BiotSavartArguments& a) {
  if (!a.output.empty()) io::output_format(a.output, a.format);
  if (a.output.empty() && !a.format.empty())
    refuse("--format is that of the velocities; name a file for them with --output, or - for a pipe");
  if (a.input == "-" && a.targets == "-")
    refuse("particles and targets cannot both come from standard input; name a file for one");
  if (a.core.empty() && a.options.softening != 0)
    refuse("--sigma is the length of a core; name one with --core, or leave it out");
  if (!a.core.empty() && a.options.softening == 0)
    refuse(fmt::format("--core {} has no length; give one with --sigma, or leave the core out", a.core));
  if (!a.targets.empty() && a.options.hessian)
    refuse("--stretching is that of the particles; leave it out, or --targets");
}

Options options_of(const BiotSavartArguments& a) {
  Options o = a.options;
  for (const Word<SofteningKind>& one : words_of(SofteningKind{}))
    if (one.word == a.core) o.softening_kind = one.value;
  return o;
}

Particles read(const BiotSavartArguments& a) {
  Particles p;
  p.bodies = io::read_points(a.input, a.reading);
  const std::vector<double>* components[3];
  const char* const names[3] = {"ax", "ay", "az"};
  for (int i = 0; i < 3; ++i) {
    components[i] = find_column(p.bodies, names[i]);
    if (!components[i])
      throw Error(ErrorCode::input, fmt::format("{}: there is no column {}; the strengths of vortex particles stand in "
                                                "columns, or arrays, ax, ay and az",
                                                printable(a.input), names[i]));
  }
  for (std::size_t i = 0; i < components[0]->size(); ++i)
    for (const auto* component : components) p.strengths.push_back((*component)[i]);
  if (!a.targets.empty()) p.targets = io::read_points(a.targets, {"", a.reading.delimiter, a.reading.columns});
  return p;
}

/// A vector for each place, and how tables call its components.
struct Vectors {
  const char* name;
  std::string prefix;
  const std::vector<double>* values;
};

std::vector<Vectors> results_of(const VortexField<double>& field) {
  std::vector<Vectors> results{{"velocity", "u", &field.velocity}};
  if (!field.stretching.empty()) results.push_back({"stretching", "s", &field.stretching});
  return results;
}

bool is_result(const std::string& name, const std::vector<Vectors>& results) {
  return std::any_of(results.begin(), results.end(), [&](const Vectors& v) {
    return name == v.name || name == v.prefix + "x" || name == v.prefix + "y" || name == v.prefix + "z";
  });
}

/// What INPUT brought, but for results of an earlier run.
std::vector<io::Column> carried(const io::Bodies& bodies, const std::vector<Vectors>& results) {
  std::vector<io::Column> columns;
  for (const io::Column& column : bodies.extra)
    if (!is_result(column.name, results)) columns.push_back(column);
  return columns;
}

io::Table table_of(const io::Bodies& at, const std::vector<Vectors>& results) {
  io::Table table{{"x", "y", "z"}, {}};
  const std::vector<io::Column> columns = carried(at, results);
  for (const io::Column& column : columns) table.names.push_back(column.name);
  for (const Vectors& v : results)
    for (const char axis : {'x', 'y', 'z'}) table.names.push_back(v.prefix + axis);
  for (std::size_t i = 0; i < at.positions.size() / 3; ++i) {
    const auto put = [&](const std::vector<double>& vectors) {
      table.values.insert(table.values.end(), {vectors[3 * i], vectors[3 * i + 1], vectors[3 * i + 2]});
    };
    put(at.positions);
    for (const io::Column& column : columns) table.values.push_back(column.values[i]);
    for (const Vectors& v : results) put(*v.values);
  }
  return table;
}

void write(const BiotSavartArguments& a, const io::Bodies& at, const VortexField<double>& field) {
  const std::vector<Vectors> results = results_of(field);
  if (io::output_format(a.output, a.format) == "csv")
    return io::write_arrays(a.output, a.format, {}, table_of(at, results));
  const std::int64_t n = at.count();
  std::vector<io::Array> arrays;  // npy has the first of them
  for (const Vectors& v : results) arrays.push_back({v.name, *v.values, {n, 3}});
  arrays.push_back({"positions", at.positions, {n, 3}});
  for (const io::Column& column : carried(at, results)) arrays.push_back({column.name, column.values, {n}});
  io::write_arrays(a.output, a.format, arrays, {});
}

std::string describe(const BiotSavartArguments& a, const Particles& p, const Report& r, double seconds) {
  const Terminal t = Terminal::of(a.output == "-" ? stderr : stdout);
  std::string text = section("Particles", printable(a.input) + ": " + printable(p.bodies.description), t);
  text += section(
      "Core",
      a.core.empty() ? "none: point vortices" : fmt::format("{}, sigma {}", a.core, shortest(a.options.softening)), t);
  text += section("Velocities",
                  fmt::format("at {}, method {} on {}, {}, in {}; relative error at most {}",
                              p.targets ? plural(p.at().count(), "target", "targets") : std::string("the particles"),
                              r.method, r.backend, r.precision, duration(seconds), shortest(r.tolerance)),
                  t);
  if (r.error)
    text += section("Error",
                    fmt::format("{} of the derivatives of the first component of the vector potential, on {}",
                                scientific(r.error->gradient), plural(r.error->samples, "place", "places")),
                    t);
  for (const std::string& warning : r.warnings) text += section("", t.warn("warning: ") + printable(warning), t);
  return text + section("Written", a.output.empty() ? "nothing; -o FILE does" : printable(a.output), t);
}

VortexField<double> field_of(const BiotSavartArguments& a, const Particles& p) {
  const Points at = points(p.at().positions);
  BiotSavart sum =
      p.targets ? BiotSavart(points(p.bodies.positions), at, options_of(a)) : BiotSavart(at, options_of(a));
  return sum.evaluate(p.strengths);
}

}  // namespace

void biot_savart(const BiotSavartArguments& a) {
  require_names(a);
  require_writable(a.output);
  Progress progress(a.quiet);
  progress("reading " + a.input);
  const Particles particles = read(a);
  progress("summing");
  const auto start = std::chrono::steady_clock::now();
  const VortexField<double> field = field_of(a, particles);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!a.output.empty()) write(a, particles.at(), field);
  progress.clear();
  if (!a.quiet) print(describe(a, particles, field.report, seconds), a.output == "-" ? stderr : stdout);
  require_accuracy(field.report);
}

}  // namespace farfield::cli
