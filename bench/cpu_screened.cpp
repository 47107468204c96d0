// Time of kernel yukawa3d beside that of laplace3d on the CPU: uniform points, strengths of mixed sign, kappa times the
// extent 1 and 10.
//
//     build/release/bench/cpu_screened [points] [repetitions] [threads] [stages] [instruction set] [tolerance]
//
// A row has the least seconds of a plan with one evaluation, and of further evaluations, over repetitions in turn with
// laplace3d; their ratios to it; the error of 1000 targets; with `stages` 1 the seconds of each stage.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <farfield/farfield.hpp>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace farfield;

namespace {

struct Cloud {
  std::vector<double> positions, strengths;
};

Cloud make_cloud(std::int64_t count) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> place(0, 1), strength(-1, 1);
  Cloud cloud;
  for (std::int64_t i = 0; i < 3 * count; ++i) cloud.positions.push_back(place(bits));
  for (std::int64_t i = 0; i < count; ++i) cloud.strengths.push_back(strength(bits));
  return cloud;
}

/// The best times of one kernel.
struct Best {
  std::string name;
  Options options;
  double whole = 1e30, again = 1e30, error = 0;
  std::map<std::string, double> stages;
  Report report;
};

template <class Run>
double seconds_of(const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A plan with one evaluation, then one evaluation more.
void measure(const Cloud& cloud, Best& best, bool checked) {
  Options options = best.options;
  options.check = checked ? 1000 : 0;
  Result<double> result;
  double again = 0;
  const double whole = seconds_of([&] {
    Plan plan(points(cloud.positions), options);
    result = plan.evaluate(cloud.strengths);
    if (!checked) again = seconds_of([&] { result = plan.evaluate(cloud.strengths); });
  });
  if (checked) {
    best.report = result.report;
    best.error = std::max(result.report.error->potential, result.report.error->gradient);
    return;
  }
  best.whole = std::min(best.whole, whole - again), best.again = std::min(best.again, again);
  for (const StageReport& stage : result.report.stages) {
    double& least = best.stages.try_emplace(stage.name + (stage.building ? "*" : ""), 1e30).first->second;
    least = std::min(least, stage.seconds);
  }
}

void print(const Best& best, const Best& laplace, bool stages) {
  const Report& r = best.report;
  std::printf("%-11s %-9s %7.0e %-7s %3d %5.0f %8.3f %6.2f %8.3f %6.2f %9.1e\n", best.name.c_str(),
              r.gradient ? "gradient" : "potential", r.tolerance, r.precision.c_str(), r.degree,
              double(r.sources) / double(r.leaves), best.whole, best.whole / laplace.whole, best.again,
              best.again / laplace.again, best.error);
  if (!stages) return;
  std::printf("   ");
  for (const auto& [name, seconds] : best.stages) std::printf(" %s %.3f", name.c_str(), seconds);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i, long long other) { return argc > i ? std::atoll(argv[i]) : other; };
  const Cloud cloud = make_cloud(number(1, 1'000'000));
  std::printf("%-11s %-9s %7s %-7s %3s %5s %8s %6s %8s %6s %9s\n", "kernel", "result", "asked", "real", "d", "leaf",
              "plan+1", "ratio", "one more", "ratio", "error");
  for (const double tolerance : {1e-6, 1e-9})
    for (const bool gradient : {false, true}) {
      if (argc > 6 && std::atof(argv[6]) != tolerance) continue;
      std::vector<Best> all(3);
      for (std::size_t i = 0; i < all.size(); ++i) {
        Options& o = all[i].options;
        o.tolerance = tolerance, o.gradient = gradient, o.threads = static_cast<int>(number(3, 2));
        o.backend = Backend::cpu, o.kernel = i > 0 ? Kernel::yukawa3d : Kernel::laplace3d;
        o.kappa = i == 0 ? 0 : i == 1 ? 1 : 10;
        for (const auto& [simd, word] : words_of(Simd{}))
          if (argc > 5 && !std::strcmp(word, argv[5])) o.simd = simd;
        all[i].name = i == 0 ? "laplace3d" : i == 1 ? "kappa 1" : "kappa 10";
        measure(cloud, all[i], true);
      }
      for (int repeat = 0; repeat < number(2, 3); ++repeat)
        for (Best& best : all) measure(cloud, best, false);
      for (const Best& best : all) print(best, all[0], number(4, 0) != 0);
      std::fflush(stdout);
    }
}
