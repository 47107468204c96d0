// A rank's part of a sum from files to files: each reads its rows, all sum together, each writes its rows.
#include "cli/compute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <farfield/error.hpp>
#include <regex>

#include "cli/ranks/command.hpp"
#include "cli/ranks/crew.hpp"
#include "cli/report/numbers.hpp"
#include "cli/report/stopwatch.hpp"
#include "cli/softening/lengths.hpp"
#include "io/parts/part.hpp"
#include "io/parts/write.hpp"

namespace farfield::cli {
namespace {

/// The parts check together what none of them has read whole.
void check_pieces(const std::string& path, const std::vector<io::Piece>& pieces, Crew& crew) {
  std::vector<io::Checksum> own;
  for (const io::Piece& piece : pieces) own.push_back(piece.own);
  io::require_checksums(path, pieces, crew.gather_all(own));
}

void read_files(const SumArguments& a, Crew& crew, Progress& progress, Computation& c) {
  const Stopwatch watch;
  progress("reading " + a.input);
  io::Reading reading = a.reading;
  reading.densities = true;
  std::vector<io::Piece> pieces;
  c.sources = io::read_part(a.input, reading, crew.part(), pieces);
  check_pieces(a.input, pieces, crew);
  c.densities = io::densities_of(c.sources);
  if (!a.targets.empty()) {
    progress("reading " + a.targets);
    pieces.clear();
    c.targets = io::read_points_part(a.targets, {"", a.reading.delimiter, a.reading.columns}, crew.part(), pieces);
    check_pieces(a.targets, pieces, crew);
  }
  c.wall.read = watch.seconds();
}

/// "rank 2: source 7: coordinate x is nan" with the number in the file behind that in the rank's part.
std::string with_place(const std::string& sentence, const SumArguments& a, const Crew& crew, const Computation& c) {
  static const std::regex pattern("^rank ([0-9]+): (source|target) ([0-9]+)");
  std::smatch found;
  if (!std::regex_search(sentence, found, pattern)) return sentence;
  const bool source = found[2] == "source" || !c.targets;
  const io::Bodies& bodies = source ? c.sources : *c.targets;
  const std::int64_t begin = io::rows_of({std::stoll(found[1]), crew.size()}, bodies.all()).begin;
  return fmt::format("{} ({} of {}){}", found.str(), begin + std::stoll(found[3]), source ? a.input : a.targets,
                     found.suffix().str());
}

/// A rank without rows has no lengths to pass.
Points with_lengths(Points points, const std::vector<double>& lengths) {
  if (!lengths.empty()) points.softening = lengths.data();
  return points;
}

distributed::Plan plan_for(const SumArguments& a, Crew& crew, const Computation& c) {
  const std::vector<double> lengths = lengths_of(c.sources, a.softening, a.input);
  const std::vector<double> of_targets =
      c.targets ? lengths_of_targets(*c.targets, a.softening, a.targets, a.options.softening) : std::vector<double>();
  const Points sources = with_lengths(points(c.sources.positions), lengths);
  crew.meet();
  try {
    if (!c.targets) return {crew.communicator(), sources, a.options};
    const Points targets = with_lengths(points(c.targets->positions), of_targets);
    return {crew.communicator(), sources, targets, a.options};
  } catch (const Error& error) {
    throw Error(error.code(), with_place(error.what(), a, crew, c));
  }
}

distributed::Plan make_plan(const SumArguments& a, Crew& crew, Progress& progress, Computation& c) {
  const Stopwatch watch;
  progress(fmt::format("planning for {} bodies", grouped(c.sources.all())));
  distributed::Plan plan = plan_for(a, crew, c);
  c.wall.plan = watch.seconds();
  return plan;
}

void evaluate(distributed::Plan& plan, Crew& crew, Progress& progress, Computation& c) {
  const Stopwatch watch;
  progress("evaluating");
  const Report& planned = plan.report().plan;
  const auto values = static_cast<std::size_t>(c.densities.vectors * c.at().count());
  c.result.potential.resize(planned.potential ? values : 0);
  c.result.gradient.resize(planned.gradient ? 3 * values : 0);
  c.result.hessian.resize(planned.hessian ? 6 * values : 0);
  c.result.virial.resize(planned.virial ? 6 * static_cast<std::size_t>(c.densities.vectors) : 0);
  Outputs outputs;
  if (planned.virial) outputs.virial = c.result.virial.data();
  if (planned.potential) outputs.potential = c.result.potential.data();
  if (planned.gradient) outputs.gradient = c.result.gradient.data();
  if (planned.hessian) outputs.hessian = c.result.hessian.data();
  const Strengths strengths = strengths_of(c);
  crew.meet();
  const distributed::Report& report = plan.evaluate(strengths, outputs);
  c.result.report = report.plan;
  c.ranks = AcrossRanks{report.ranks, report.imbalance};
  c.wall.evaluate = watch.seconds() - (c.result.report.error ? c.result.report.error->seconds : 0);
}

}  // namespace

void compute_part(SumArguments& a, Crew& crew, Progress& progress, Computation& c) {
  require_files(a);
  if (crew.first())
    for (const std::string* path : {&a.output, &a.report}) require_writable(*path);
  read_files(a, crew, progress, c);
  settle_options(a, c);
  require_offered(a);  // of what the file holds
  distributed::Plan plan = make_plan(a, crew, progress, c);
  evaluate(plan, crew, progress, c);
  Sums sums;
  for (const Sums& one : crew.gather(sums_of(c))) add(sums, one);
  c.ranks->sums = sums;
  for (const std::int64_t peak : crew.gather(peak_of_process()))
    c.ranks->most_memory = std::max(c.ranks->most_memory, peak);
  progress.clear();
}

void write_part_of_results(const SumArguments& a, Crew& crew, Progress& progress, Computation& c) {
  const Stopwatch watch;
  if (!a.output.empty()) {
    progress("writing " + a.output);
    io::write_part(a.output, results_of(c), a.format, crew.part(), crew.gatherer());
    c.written.push_back(a.output);
  }
  c.wall.write = watch.seconds();
  if (crew.first()) write_report(a, c);
  progress.clear();
}

}  // namespace farfield::cli
