// Few targets among many sources: seconds of a plan and one evaluation by fmm, treecode and all pairs, as a JSON line
// per case. Targets lie among the sources.
//
//     build/release/bench/cpu_treecode [sources 1000000] [cloud uniform] [tolerances 1e-3,1e-6] [repeat 3] [threads 2]
//                                      [targets 10,100,1000,10000,100000]
//
// figure.py beside this file draws them. `again`: another evaluation with the same plan. Methods take turns; the least
// time of each counts. Method auto is timed with the others, and what it took is named.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <farfield/farfield.hpp>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/clouds.hpp"

using namespace farfield;
using farfield::testing::Cloud;

namespace {

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::stringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Times {
  double whole = 1e300, again = 1e300;
  Report report;
};

void time_once(const Cloud& cloud, const Options& o, Times& times) {
  const double begin = now();
  Plan plan(points(cloud.sources), points(cloud.targets), o);
  const Report report = plan.evaluate(cloud.strengths).report;
  const double middle = now();
  plan.evaluate(cloud.strengths);
  times.whole = std::min(times.whole, middle - begin);
  times.again = std::min(times.again, now() - middle);
  times.report = report;
}

double error_of(const Cloud& cloud, Options o) {
  o.check = std::min<std::int64_t>(100, std::ssize(cloud.targets) / 3);
  const Report r = Plan(points(cloud.sources), points(cloud.targets), o).evaluate(cloud.strengths).report;
  return std::max(r.error->potential, r.error->gradient);
}

void run(const Cloud& cloud, double tolerance, int repeat, int threads) {
  const double pairs = static_cast<double>(cloud.count()) * static_cast<double>(cloud.targets.size() / 3);
  const Method methods[] = {Method::fmm, Method::treecode, Method::direct, Method::automatic};
  std::map<Method, Times> times;
  std::map<Method, Options> options;
  for (const Method method : methods) {
    Options o;
    o.method = method, o.tolerance = tolerance, o.gradient = true, o.threads = threads, o.backend = Backend::cpu;
    options[method] = o;
  }
  for (int r = 0; r < repeat; ++r)
    for (const Method method : methods)
      if (method != Method::direct || pairs < 2e10) time_once(cloud, options[method], times[method]);
  for (const Method method : methods) {
    if (times.find(method) == times.end()) continue;
    const Times& t = times[method];
    std::printf(
        "{\"cloud\": \"%s\", \"sources\": %lld, \"targets\": %zu, \"tolerance\": %g, \"method\": \"%s\", \"ran\": "
        "\"%s\", \"seconds\": %.6f, \"again\": %.6f, \"error\": %.3g, \"degree\": %d, \"leaf_size\": %lld, "
        "\"near_pairs\": %lld, \"m2p_boxes\": %lld, \"expected\": %.6f}\n",
        cloud.label.c_str(), static_cast<long long>(cloud.count()), cloud.targets.size() / 3, tolerance,
        word_of(method), t.report.method.c_str(), t.whole, t.again, error_of(cloud, options[method]), t.report.degree,
        static_cast<long long>(t.report.leaf_size), static_cast<long long>(t.report.near_pairs),
        static_cast<long long>(t.report.m2p_boxes), t.report.expected_seconds);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> given = {
      {"sources", "1000000"}, {"cloud", "uniform"}, {"tolerances", "1e-3,1e-6"},
      {"repeat", "3"},        {"threads", "2"},     {"targets", "10,100,1000,10000,100000"}};
  for (int i = 1; i + 1 < argc; i += 2) given[argv[i]] = argv[i + 1];
  const auto kind = given["cloud"] == "plummer" ? farfield::testing::Kind::plummer : farfield::testing::Kind::uniform;
  const std::int64_t sources = std::stoll(given["sources"]);
  Cloud cloud = farfield::testing::make_cloud(kind, sources, farfield::testing::Signs::mixed);
  cloud.label = given["cloud"];
  for (const std::string& count : split(given["targets"])) {
    const Cloud where = farfield::testing::make_cloud(kind, std::stoll(count), farfield::testing::Signs::mixed, 2);
    cloud.targets = where.sources;
    for (const std::string& tolerance : split(given["tolerances"]))
      run(cloud, std::stod(tolerance), std::stoi(given["repeat"]), std::stoi(given["threads"]));
  }
}
