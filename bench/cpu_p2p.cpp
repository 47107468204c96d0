// The near field of the CPU backend: interactions per second of one core, and the error of its arithmetic, for each
// instruction set, precision and number of refining terms (src/model/pair_terms.hpp).
//
//     build/release/bench/cpu_p2p [points] [points per leaf] [instruction set]
//
// Uniform points in a cube with an even tree; the sum is that over the near lists, staging of sources and delivery of
// results included. Errors are relative L2 errors of 1000 targets against sums in long double; strengths of mixed sign.
// The last columns: three densities, all of the same strengths, and charges with dipoles, over charges.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "backends/cpu/boxes/tree.hpp"
#include "backends/cpu/stages.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "model/pair_terms.hpp"

using namespace farfield;

namespace {

struct Cloud {
  cpu::CpuTree tree;
  std::vector<double> strength;  // of the sorted sources; their dipoles, too, component by component
  std::int64_t pairs = 0;
};

Cloud make_cloud(std::int64_t count, std::int64_t per_leaf) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> points(static_cast<std::size_t>(3 * count));
  for (double& x : points) x = number(bits);
  Cloud cloud;
  const int across = std::max(3, static_cast<int>(std::lround(std::cbrt(double(count) / double(per_leaf)))));
  TreeOptions options;
  int& k = options.root.k;
  while ((1 << k) < across) ++k;
  options.root.m = across, options.depth = k, options.threads = 1;
  const Points view = farfield::points(points.data(), count);
  cpu::build(cloud.tree, view, nullptr, cpu::survey(view, nullptr, 1), options);
  for (std::int64_t i = 0; i < count + 64; ++i) cloud.strength.push_back(number(bits));
  return cloud;
}

/// Calls f(source) for every source in the near list of `box`.
template <class F>
void for_each_near(const Cloud& cloud, BoxId box, F&& f) {
  const TreeView tree = cloud.tree.tree.view();
  const ListView near = cloud.tree.lists.view().near;
  for (std::int64_t i = near.begin[box]; i < near.begin[box + 1]; ++i)
    for (std::int64_t s = tree.source_begin[near.items[i]]; s < tree.source_end[near.items[i]]; ++s) f(s);
}

struct Sum {
  long double u = 0, g[3] = {};
};

Sum exact_sum(const Cloud& cloud, BoxId box, std::int64_t target) {
  Sum sum;
  for_each_near(cloud, box, [&](std::int64_t s) {
    long double d[3], r2 = 0;
    for (int a = 0; a < 3; ++a) {
      d[a] = static_cast<long double>(cloud.tree.sources.axis[a].data()[target]) - cloud.tree.sources.axis[a].data()[s];
      r2 += d[a] * d[a];
    }
    if (r2 == 0) return;
    const long double w = cloud.strength[static_cast<std::size_t>(s)] / std::sqrt(r2);
    sum.u += w;
    for (int a = 0; a < 3; ++a) sum.g[a] -= w / r2 * d[a];
  });
  return sum;
}

/// One precision's arrays, bound as a stage wants them.
template <class Real>
struct Bound {
  std::vector<Real> strength, result[4];
  cpu::Work<Real> work;

  void with_dipoles(bool yes) {
    for (const Real*& axis : work.dipole) axis = yes ? strength.data() : nullptr;
  }

  Bound(const Cloud& cloud, bool gradient) {
    for (int v = 0; v < cpu::densities_together; ++v)
      strength.insert(strength.end(), cloud.strength.begin(), cloud.strength.end());
    for (auto& r : result) r.assign(strength.size(), Real(0));
    work.strength_pitch = work.result_pitch = static_cast<std::int64_t>(cloud.strength.size());
    work.tree = cloud.tree.tree.view();
    work.lists = cloud.tree.lists.view();
    for (int a = 0; a < 3; ++a) work.source[a] = work.target[a] = cloud.tree.sources.axis[a].data();
    work.strength = strength.data();
    for (int part = 0; part < parts_with(gradient); ++part) work.result.part[part] = result[part].data();
  }
};

struct Errors {
  double potential, gradient;
};

template <class Real>
Errors errors_of(const Cloud& cloud, const Bound<Real>& bound) {
  const TreeView& tree = bound.work.tree;
  long double wrong[2] = {}, norm[2] = {};
  const std::int64_t step = std::max<std::int64_t>(1, cloud.tree.sources.count / 1000);
  for (BoxId box = 0; box < tree.boxes; ++box) {
    if (!tree.is_leaf(box)) continue;
    for (std::int64_t t = (tree.target_begin[box] + step - 1) / step * step; t < tree.target_end[box]; t += step) {
      const Sum sum = exact_sum(cloud, box, t);
      const auto i = static_cast<std::size_t>(t);
      norm[0] += sum.u * sum.u, wrong[0] += std::pow(bound.result[0][i] - sum.u, 2);
      for (int a = 0; a < 3; ++a)
        norm[1] += sum.g[a] * sum.g[a], wrong[1] += std::pow(bound.result[a + 1][i] - sum.g[a], 2);
    }
  }
  return {double(std::sqrt(wrong[0] / norm[0])), double(std::sqrt(wrong[1] / norm[1]))};
}

template <class Stage>
double seconds_of(const Stage& stage) {
  const auto start = std::chrono::steady_clock::now();
  stage();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The least of five, of so many densities, or with dipoles.
template <class Real, class Stages>
double least_of(const Stages& stages, Bound<Real>& bound, int densities, bool dipoles = false) {
  double best = 1e30;
  bound.work.densities = densities;
  bound.with_dipoles(dipoles);
  for (int repeat = 0; repeat < 5; ++repeat) best = std::min(best, seconds_of([&] { stages.p2p(bound.work); }));
  return best;
}

template <class Real>
void row(const Cloud& cloud, Simd level, const char* name, bool gradient, int terms) {
  const auto stages = cpu::stages<Real>(Kernel::laplace3d, level);
  Bound<Real> bound(cloud, gradient);
  bound.work.pair_terms = terms;
  stages.p2p(bound.work);
  const Errors errors = errors_of(cloud, bound);
  const double best = least_of(stages, bound, 1), three = least_of(stages, bound, cpu::densities_together),
               dipoles = least_of(stages, bound, 1, true);
  std::printf("%-9s %-7s %-9s %5d %12.2f %12.1e %12.1e %12.2f %14.2f\n", name, sizeof(Real) == 4 ? "single" : "double",
              gradient ? "gradient" : "potential", terms, 1e-9 * double(cloud.pairs) / best, errors.potential,
              gradient ? errors.gradient : 0.0, three / best, dipoles / best);
}

template <class Real>
void rows(const Cloud& cloud, Simd level, const char* name) {
  const bool avx512 = level == Simd::avx512, single = sizeof(Real) == 4;
  for (bool gradient : {true, false})
    for (int terms = cpu::full_terms(avx512, single); terms >= cpu::fewest_terms(avx512, single); --terms)
      row<Real>(cloud, level, name, gradient, terms);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t count = argc > 1 ? std::atoll(argv[1]) : 100000, per_leaf = argc > 2 ? std::atoll(argv[2]) : 128;
  Cloud cloud = make_cloud(count, per_leaf);
  const TreeView tree = cloud.tree.tree.view();
  for (BoxId box = 0; box < tree.boxes; ++box)
    for_each_near(cloud, box, [&](std::int64_t) { cloud.pairs += tree.target_count(box); });
  std::printf("%lld points, %lld near pairs, one thread\n", static_cast<long long>(count),
              static_cast<long long>(cloud.pairs));
  std::printf("%-9s %-7s %-9s %5s %12s %12s %12s %12s %14s\n", "simd", "real", "result", "terms", "1e9 pairs/s",
              "potential", "gradient", "three / one", "dipoles / one");
  const std::pair<Simd, const char*> levels[] = {
      {Simd::avx512, "avx512"}, {Simd::avx2, "avx2"}, {Simd::baseline, "baseline"}};
  for (const auto& [level, name] : levels) {
    if (argc > 3 && std::strcmp(argv[3], name)) continue;
    if (cpu::resolve_simd(Simd::automatic) < level) continue;
    rows<double>(cloud, level, name);
    rows<float>(cloud, level, name);
  }
}
