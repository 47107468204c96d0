// Tables that plans of a process share on a device. Skips without one, or fails where FARFIELD_REQUIRE_GPU=1.
#include <thread>

#include "backends/cuda/far/tables/table_cache.hpp"
#include "backends/cuda/m2l/mirror/mirror_m2l.hpp"
#include "support/gpu.hpp"
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

using cuda::M2lScheme;
using cuda::shared_tables;

class CudaTableCache : public GpuTest {};

TEST_F(CudaTableCache, OneSetForAllThatAskForTheSame) {
  const M2lScheme dense{false, false}, rotation{true, false};
  const auto first = shared_tables<float>(Kernel::laplace3d, 6, dense, nullptr, 1);
  EXPECT_EQ(shared_tables<float>(Kernel::laplace3d, 6, dense, nullptr, 1), first);
  EXPECT_NE(shared_tables<float>(Kernel::laplace3d, 7, dense, nullptr, 1), first);
  EXPECT_NE(shared_tables<float>(Kernel::laplace3d, 6, rotation, nullptr, 1), first);
  EXPECT_NE(shared_tables<float>(Kernel::laplace3d, 6, {false, true}, nullptr, 1), first);
  EXPECT_GT(first->held_bytes(), 0);
  if (!cuda::MirrorM2l::available(9)) return;
  const auto tables = shared_tables<double>(Kernel::laplace3d, 9, rotation, nullptr, 1);
  const auto operators = cuda::shared_mirror_operators(tables->view(), nullptr, 1);
  EXPECT_EQ(cuda::shared_mirror_operators(tables->view(), nullptr, 1), operators);
}

/// Plans that come and go on threads of their own, in both precisions: the bits of the first, whose tables were new,
/// and what they hold counts in each.
TEST_F(CudaTableCache, PlansHaveTheSameBits) {
  const Cloud cloud = make_cloud(Kind::uniform, 40'000, Signs::mixed);
  for (const Precision precision : {Precision::single_, Precision::double_}) {
    Options o = fmm_options(precision == Precision::single_ ? 1e-4 : 1e-8, precision);
    o.backend = Backend::cuda;
    const Result<double> first = make_plan(cloud, o).evaluate(cloud.strengths);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 3; ++i) {
          const Result<double> again = make_plan(cloud, o).evaluate(cloud.strengths);
          EXPECT_EQ(again.potential, first.potential);
          EXPECT_EQ(again.gradient, first.gradient);
          EXPECT_EQ(again.report.memory_bytes, first.report.memory_bytes);
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace farfield::testing
