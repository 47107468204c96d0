// `farfield bench`: speed and error on generated bodies. Repetitions of all cases are interleaved, so that a machine
// that slows down while it runs hurts all alike; the median of each counts.
#include <fmt/format.h>

#include <chrono>
#include <farfield/farfield.hpp>
#include <map>

#include "cli/bench_table.hpp"
#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/report/json.hpp"
#include "cli/report/numbers.hpp"
#include "cli/report/values.hpp"
#include "io/output.hpp"

namespace farfield::cli {
namespace {

using Clouds = std::map<std::pair<std::string, std::int64_t>, io::Bodies>;
constexpr std::uint64_t seed = 1;
constexpr std::int64_t samples = 1000;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<BenchCase> cases_of(const BenchArguments& a) {
  std::vector<BenchCase> cases;
  for (const std::string& kind : split(a.kinds))
    for (const std::string& n : split(a.counts))
      for (const std::string& tolerance : split(a.tolerances)) {
        BenchCase item;
        item.kind = kind, item.n = parse_count(n), item.tolerance = parse_number(tolerance);
        cases.push_back(std::move(item));
      }
  return cases;
}

const io::Bodies& cloud(Clouds& clouds, const BenchCase& item, Progress& progress) {
  const auto key = std::make_pair(item.kind, item.n);
  if (!clouds.contains(key)) {
    progress(fmt::format("making {} bodies, {}", grouped(item.n), item.kind));
    clouds[key] = io::generate(item.kind, item.n, seed);
  }
  return clouds[key];
}

/// One plan and one evaluation; timed ones (no check) are booked in `item`, the other gives it its report.
void measure(BenchCase& item, const io::Bodies& bodies, Options options) {
  options.tolerance = item.tolerance;
  auto start = std::chrono::steady_clock::now();
  Plan plan(points(bodies.positions), options);
  const double planned = seconds_since(start);
  start = std::chrono::steady_clock::now();
  Result<double> result = plan.evaluate(bodies.strengths);
  const double evaluated = seconds_since(start);
  if (options.check > 0) {
    item.report = std::move(result.report);
  } else {
    item.plan.push_back(planned), item.evaluate.push_back(evaluated);
  }
}

void measure_all(std::vector<BenchCase>& cases, const BenchArguments& a, Progress& progress) {
  Clouds clouds;
  for (std::int64_t round = 0; round <= a.repeat; ++round)
    for (BenchCase& item : cases) {
      const io::Bodies& bodies = cloud(clouds, item, progress);
      Options options = a.options;
      options.check = round == 0 ? samples : 0;  // the first round warms the machine up and measures errors
      progress(fmt::format("{} {}: {}, {}, tolerance {}", round == 0 ? "checking" : "round",
                           round == 0 ? "errors" : fmt::format("{} of {}", round, a.repeat), item.kind, grouped(item.n),
                           shortest(item.tolerance)));
      measure(item, bodies, options);
    }
  progress.clear();
}

std::string conclusion(const std::vector<BenchCase>& cases, const BenchArguments& a, const Terminal& t) {
  const Report& r = cases.front().report;
  return t.wrap(fmt::format("Median of {} on {}, {}, {}; {}. Reached: relative L2 error, the larger of potential and "
                            "gradient, on {} targets.",
                            plural(a.repeat, "run", "runs"), r.backend, r.simd, plural(r.threads, "thread", "threads"),
                            r.gradient ? "potential and gradient" : "potential only", grouped(samples)),
                0) +
         "\n";
}

}  // namespace

void bench(const BenchArguments& a) {
  if (a.repeat < 1) throw Error(ErrorCode::usage, "repeat 0 measures nothing; use 1 or more");
  if (!a.json.empty()) io::Output probe(a.json);  // refuse before the work, not after it
  Progress progress(false);
  std::vector<BenchCase> cases = cases_of(a);
  measure_all(cases, a, progress);
  const Terminal terminal = Terminal::of(stdout);
  std::string text = bench_heading(terminal);
  for (const BenchCase& item : cases) text += bench_row(item, terminal);
  print(text + "\n" + conclusion(cases, a, terminal));
  if (a.json.empty()) return;
  io::Output out(a.json);
  out.write(text_of(bench_to_json(cases)));
  out.commit();
}

}  // namespace farfield::cli
