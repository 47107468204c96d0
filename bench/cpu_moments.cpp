// What dipoles, Hessians and densities cost on the CPU, over one density of charges with gradient.
//
//     build/release/bench/cpu_moments [points] [cloud] [tolerance] [threads] [rounds] [checked targets]
//
// Strengths of mixed sign; cloud: uniform, plummer or another of tests/support/clouds.hpp. Each round runs every sum
// once, plan and evaluation, in turn, after one that also measures the errors, unless 0 targets are checked. A row has
// the least seconds of all rounds, these over those of the charges, the largest of the relative L2 errors of potential,
// gradient and Hessian, and the longest stages of the last round in milliseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <farfield/farfield.hpp>
#include <map>
#include <string>
#include <vector>

#include "support/clouds.hpp"

using namespace farfield;

namespace {

struct Sum {
  const char* name;
  bool dipoles, hessian;
  int densities;
};
constexpr Sum sums[] = {{"charges", false, false, 1},
                        {"dipoles", true, false, 1},
                        {"Hessian", false, true, 1},
                        {"dipoles, Hessian", true, true, 1},
                        {"three densities", false, false, 3}};

struct Input {
  std::vector<double> points, strengths, dipoles, potential, gradient, hessian;  // the last three: results
};

Input make_input(const std::string& cloud, std::int64_t count) {
  for (const testing::Kind kind : testing::all_kinds)
    if (cloud == testing::name(kind)) {
      testing::Stream random(2);
      const auto numbers = [&](std::int64_t n) {
        std::vector<double> all(static_cast<std::size_t>(n));
        for (double& x : all) x = random.between(-0.5, 0.5);
        return all;
      };
      return {testing::make_cloud(kind, count, testing::Signs::mixed).sources,
              numbers(3 * count),
              numbers(3 * count),
              numbers(3 * count),
              numbers(9 * count),
              numbers(6 * count)};
    }
  std::fprintf(stderr, "cpu_moments: no cloud %s\n", cloud.c_str());
  std::exit(2);
}

struct Ran {
  double seconds;
  Report report;
};

/// `check`: targets at which the error is measured, which takes longer.
Ran run(Input& in, const Sum& sum, Options o, std::int64_t check) {
  o.backend = Backend::cpu, o.gradient = true, o.hessian = sum.hessian, o.dipoles = sum.dipoles,
  o.densities = sum.densities, o.check = check;
  const auto n = static_cast<std::int64_t>(in.points.size() / 3);
  Strengths carried = strengths(in.strengths.data(), n, sum.densities);
  if (sum.dipoles) carried = with_dipoles(carried, in.dipoles.data());
  void* const hessian = sum.hessian ? in.hessian.data() : nullptr;
  const auto begin = std::chrono::steady_clock::now();
  Plan plan(points(in.points), o);
  Report report =
      plan.evaluate(carried, {.potential = in.potential.data(), .gradient = in.gradient.data(), .hessian = hessian});
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), std::move(report)};
}

void print_stages(const Report& report) {
  std::vector<std::pair<double, std::string>> stages;
  for (const StageReport& s : report.stages) stages.emplace_back(-1e3 * s.seconds, s.name);
  std::sort(stages.begin(), stages.end());
  for (std::size_t i = 0; i < std::min<std::size_t>(stages.size(), 6); ++i)
    std::printf(" %s %.0f", stages[i].second.c_str(), -stages[i].first);
}

}  // namespace

int main(int count, char** words) try {
  const auto word = [&](int i, const char* otherwise) { return std::string(count > i ? words[i] : otherwise); };
  Input in = make_input(word(2, "uniform"), std::atoll(word(1, "1000000").c_str()));
  Options options;
  options.tolerance = std::atof(word(3, "1e-6").c_str()), options.threads = std::atoi(word(4, "2").c_str());
  const int rounds = std::max(1, std::atoi(word(5, "3").c_str()));
  const std::int64_t checked = std::atoll(word(6, "1000").c_str());

  std::map<std::string, double> error;
  for (const Sum& sum : sums) {
    if (checked == 0) break;
    const ErrorReport found = *run(in, sum, options, checked).report.error;
    error[sum.name] = std::max({found.potential, found.gradient, found.hessian});
  }
  std::map<std::string, double> seconds;
  std::map<std::string, Report> reports;
  for (int round = 0; round < rounds; ++round)
    for (const Sum& sum : sums) {
      Ran ran = run(in, sum, options, 0);
      double& least = seconds.try_emplace(sum.name, ran.seconds).first->second;
      least = std::min(least, ran.seconds);
      reports[sum.name] = std::move(ran.report);
    }
  std::printf("%s points, %s, asked %g, %d threads, %d rounds\n", word(1, "1000000").c_str(),
              word(2, "uniform").c_str(), options.tolerance, options.threads, rounds);
  std::printf("%-17s %8s %7s %9s  %s\n", "sum", "seconds", "ratio", "error",
              "precision, degree, leaf size, simd; stages, ms");
  for (const Sum& sum : sums) {
    const Report& r = reports[sum.name];
    std::printf("%-17s %8.3f %7.3f %9.1e  %s %d %lld %s;", sum.name, seconds[sum.name],
                seconds[sum.name] / seconds[sums[0].name], error[sum.name], r.precision.c_str(), r.degree,
                static_cast<long long>(r.leaf_size), r.simd.c_str());
    print_stages(r);
    std::puts("");
  }
} catch (const Error& error) {
  std::fprintf(stderr, "cpu_moments: %s\n", error.what());
  return 1;
}
