// Does method automatic choose well on the CPU? Seconds of a first plan and one evaluation as Farfield chooses, beside
// direct sums and the FMM with leaf size, scheme and precision forced.
//
//     build/release/bench/cpu_choice [counts 500,20000] [tolerances 1e-3,1e-9] [clouds uniform,plummer] [repeat 5]
//                                    [threads 1] [gradient 1] [verbose 0]
//
// A row: the ratio, seconds as chosen and what was chosen, seconds of the best of the forced ones and what it was.
// Candidates take turns, so that a busy machine disturbs all alike, and each keeps the least of its times: of the
// process where it has one thread, else of the clock. Those twice as slow as the best leave after their first turn.
// Translation tables, which a process makes once, are timed by themselves and added.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <farfield/farfield.hpp>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "backends/cpu/far/tables.hpp"
#include "expansions/laplace_basis.hpp"
#include "support/clouds.hpp"

using namespace farfield;
using farfield::testing::Cloud;

namespace {

struct Settings {
  std::vector<std::string> counts{"500", "1000", "2000", "5000", "10000", "20000", "50000", "100000"};
  std::vector<std::string> tolerances{"1e-2", "1e-4", "1e-6", "1e-8", "1e-10", "1e-12"}, clouds{"uniform", "plummer"};
  int repeat = 5, threads = 1;
  bool gradient = true, verbose = false;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::stringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

Settings read_settings(int argc, char** argv) {
  Settings s;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i], value = argv[i + 1];
    if (key == "counts") s.counts = split(value);
    if (key == "tolerances") s.tolerances = split(value);
    if (key == "clouds") s.clouds = split(value);
    if (key == "repeat") s.repeat = std::atoi(value.c_str());
    if (key == "threads") s.threads = std::atoi(value.c_str());
    if (key == "gradient") s.gradient = value != "0";
    if (key == "verbose") s.verbose = value != "0";
  }
  return s;
}

double now(int threads) {
  timespec t{};
  clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class Real>
double table_seconds(int degree, bool rotation, int threads) {
  double best = 1e300;
  for (int i = 0; i < 3; ++i) {
    cpu::Tables<Real> tables;
    const double start = now(threads);
    tables.build(Kernel::laplace3d, degree, rotation, false, threads);
    best = std::min(best, now(threads) - start);
  }
  return best;
}

/// Seconds of the tables that `report`'s plan needs.
double table_seconds(const Report& report, int threads) {
  static std::map<std::tuple<int, bool, bool>, double> known;
  if (report.method != "fmm") return 0;
  const bool rotation = report.m2l == "rotation", single = report.precision == "single";
  const auto [place, missing] = known.try_emplace({report.degree, rotation, single}, 0.0);
  if (missing)
    place->second = single ? table_seconds<float>(report.degree, rotation, threads)
                           : table_seconds<double>(report.degree, rotation, threads);
  return place->second;
}

struct Candidate {
  Options options;
  double best = 1e300;
  bool running = true;
  Report report = {};

  void run(const Cloud& cloud) {
    if (report.method.empty()) report = Plan(points(cloud.sources), options).report();  // its tables exist from now on
    const double start = now(options.threads);
    Plan plan(points(cloud.sources), options);
    report = plan.evaluate(std::span<const double>(cloud.strengths)).report;
    const double seconds = now(options.threads) - start;
    const StageReport* tables = report.stage("tables");
    const bool found = tables && tables->seconds < 1e-3;  // else they are too large to be kept, and in `seconds`
    best = std::min(best, seconds + (found ? table_seconds(report, options.threads) : 0));
  }
  std::string what() const {
    std::string text = report.method + " " + report.precision;
    if (report.method == "fmm")
      text +=
          " " + report.m2l + " degree " + std::to_string(report.degree) + " leaf " + std::to_string(report.leaf_size);
    return text;
  }
  /// What the constants of model/cost_model.cpp are fitted to: seconds, those expected, and what they were spent on.
  void print() const {
    const auto count = [](std::int64_t n) { return static_cast<long long>(n); };
    std::printf("#   %8.5f %8.5f %s; near pairs %lld, boxes %lld, leaves %lld, p2p %lld, m2l %lld\n", best,
                report.expected_seconds, what().c_str(), count(report.near_pairs), count(report.boxes),
                count(report.leaves), count(report.p2p_boxes), count(report.m2l_boxes));
  }
};

/// The first is Farfield's own choice.
std::vector<Candidate> candidates(const Settings& s, double tolerance) {
  Options o;
  o.tolerance = tolerance, o.gradient = s.gradient, o.threads = s.threads, o.backend = Backend::cpu;
  std::vector<Candidate> list{{o}};
  for (const Precision precision : {Precision::double_, Precision::single_}) {
    if (precision == Precision::single_ && tolerance < 1e-6) continue;
    o.precision = precision, o.method = Method::direct, o.leaf_size = 0, o.m2l = M2l::automatic;
    list.push_back({o});
    o.method = Method::fmm;
    for (const M2l scheme : {M2l::dense, M2l::rotation}) {
      if (scheme == M2l::dense && tolerance < 1e-8) continue;  // a second for the tables alone
      for (const int leaf : {0, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384}) {
        o.leaf_size = leaf, o.m2l = scheme;
        list.push_back({o});
      }
    }
  }
  return list;
}

void compare(const Settings& s, const Cloud& cloud, double tolerance) {
  std::vector<Candidate> all = candidates(s, tolerance);
  for (int turn = 0; turn < s.repeat; ++turn) {
    double best = 1e300;
    for (Candidate& c : all) {
      if (c.running) c.run(cloud);
      if (&c != &all[0]) best = std::min(best, c.best);
    }
    for (Candidate& c : all) c.running = &c == &all[0] || c.best < (turn == 0 ? 2 : 1.3) * best;
  }
  const Candidate& best =
      *std::min_element(all.begin() + 1, all.end(), [](const auto& a, const auto& b) { return a.best < b.best; });
  std::printf("%-8s %7lld %7.0e  %5.2f  %8.4f %-44s %8.4f %s\n", cloud.label.substr(0, 7).c_str(),
              static_cast<long long>(cloud.count()), tolerance, all[0].best / best.best, all[0].best,
              all[0].what().c_str(), best.best, best.what().c_str());
  for (const Candidate& c : all)
    if (s.verbose) c.print();
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const Settings s = read_settings(argc, argv);
  std::printf("# cloud       N tolerance ratio  as chosen, best of the forced ones; seconds, %d thread(s)\n",
              s.threads);
  for (const std::string& name : s.clouds)
    for (const std::string& count : s.counts)
      for (const std::string& tolerance : s.tolerances)
        for (const farfield::testing::Kind kind : farfield::testing::all_kinds)
          if (name == farfield::testing::name(kind))
            compare(s, farfield::testing::make_cloud(kind, std::atoll(count.c_str()), farfield::testing::Signs::mixed),
                    std::atof(tolerance.c_str()));
}
