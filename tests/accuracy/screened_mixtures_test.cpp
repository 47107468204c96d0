// The promise of kernel yukawa3d on random problems (support/mixtures.hpp). Fresh ones:
//   FARFIELD_TEST_SEED=first FARFIELD_TEST_PROBLEMS=count test_yukawa --gtest_filter='Screened*'

#include "support/mixtures.hpp"
#include "support/screened.hpp"

namespace farfield::testing {
namespace {

TEST(ScreenedMixtures, KeepThePromise) {
  const std::uint64_t first = number_from("FARFIELD_TEST_SEED", 1), count = number_from("FARFIELD_TEST_PROBLEMS", 40);
  int warned = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Problem p = make_problem(seed, 2e4);
    Stream random(seed + 1);
    const double screening = random.unit() < 0.1 ? 0 : log_between(random, 0.02, 300);
    p.options.kernel = Kernel::yukawa3d, p.options.kappa = screening / extent_of(p.cloud);
    try {
      const Outcome o = measure_screened(p.cloud, p.options);
      warned += !o.report.warnings.empty();
      if (!o.report.warnings.empty()) continue;
      EXPECT_LE(o.worst(), p.options.tolerance)
          << "seed " << seed << ", " << p.label << ", kappa times extent " << screening << ", " << o.report.method
          << ", " << o.report.precision << ", degree " << o.report.degree;
    } catch (const Error& error) {
      ADD_FAILURE() << "seed " << seed << ", " << p.label << ": " << error.what();
    }
  }
  std::printf("# %d of them warned\n", warned);
}

}  // namespace
}  // namespace farfield::testing
