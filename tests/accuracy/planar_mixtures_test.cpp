// The promise of the kernels of the plane on random problems (support/mixtures.hpp), laid flat. Fresh ones:
//   FARFIELD_TEST_SEED=first FARFIELD_TEST_PROBLEMS=count test_planar_mixtures

#include "support/mixtures.hpp"
#include "support/vortices.hpp"

namespace farfield::testing {
namespace {

Problem flat_problem(std::uint64_t seed) {
  Problem p = make_problem(seed, 2e4);
  lay_flat(p.cloud);
  p.cloud.label = "flat problem " + std::to_string(seed);
  Stream random(seed + 1);
  const double drawn = random.unit();
  p.options.kernel = drawn < 0.4 ? Kernel::laplace2d : drawn < 0.8 ? Kernel::vortex : Kernel::cauchy;
  p.options.stream_function = p.options.kernel == Kernel::vortex && random.unit() < 0.3;
  if (p.options.kernel != Kernel::laplace2d) p.options.gradient = false;  // velocities come in any case
  p.options = on_tested_backend(p.options);
  return p;
}

Outcome measured(const Problem& p) {
  return p.options.kernel == Kernel::laplace2d ? measure_flat(p.cloud, p.options)
                                               : measure_vortices(p.cloud, p.options);
}

/// Over all targets: on a sample a single one may look like a miss.
double error_at_all_targets(const Problem& p) {
  Options exact = p.options;
  exact.method = Method::direct, exact.precision = Precision::double_;
  const Result<double> found = make_plan(p.cloud, p.options).evaluate(p.cloud.strengths),
                       truth = make_plan(p.cloud, exact).evaluate(p.cloud.strengths);
  return std::max(relative_difference(found.potential, truth.potential),
                  relative_difference(found.gradient, truth.gradient));
}

TEST(PlanarMixtures, KeepThePromise) {
  const std::uint64_t first = number_from("FARFIELD_TEST_SEED", 1), count = number_from("FARFIELD_TEST_PROBLEMS", 60);
  int warned = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Problem p = flat_problem(seed);
    try {
      const Outcome o = measured(p);
      if (!o.report.warnings.empty()) {
        ++warned;
        continue;
      }
      const double worst = o.worst() <= p.options.tolerance ? o.worst() : error_at_all_targets(p);
      EXPECT_LE(worst, p.options.tolerance)
          << "seed " << seed << ", " << p.label << ", " << o.report.kernel << ", " << o.report.method << ", "
          << o.report.precision << ", degree " << o.report.degree;
    } catch (const Error& error) {
      ADD_FAILURE() << "seed " << seed << ", " << p.label << ": " << error.what();
    }
  }
  std::printf("# %d of them warned\n", warned);
}

}  // namespace
}  // namespace farfield::testing
