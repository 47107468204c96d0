// Translation tables: made once for all plans of a process that want the same ones, on the threads asked for, and not
// kept beyond a bound.
#include "backends/cpu/far/table_cache.hpp"

#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "expansions/laplace_basis.hpp"
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

struct Sized {
  std::int64_t bytes;
  std::int64_t held_bytes() const { return bytes; }
};
using Cache = SharedCache<int, Sized>;

std::shared_ptr<const Sized> sized(std::int64_t bytes) { return std::make_shared<Sized>(Sized{bytes}); }

TEST(SharedCache, MakesAValueOnceForManyThreads) {
  Cache cache(1000);
  std::atomic<int> made = 0;
  std::vector<std::shared_ptr<const Sized>> found(8);
  std::vector<std::thread> threads;
  for (auto& f : found)
    threads.emplace_back([&] {
      f = cache.get(7, [&] {
        ++made;
        std::this_thread::yield();
        return sized(10);
      });
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(made, 1);
  for (const auto& f : found) EXPECT_EQ(f, found[0]);
}

TEST(SharedCache, StaysWithinItsBytesAndDropsTheLeastRecentlyUsed) {
  Cache cache(100);
  int made = 0;
  const auto get = [&](int key, std::int64_t bytes) {
    cache.get(key, [&] {
      ++made;
      return sized(bytes);
    });
    EXPECT_LE(cache.held_bytes(), 100);
  };
  get(1, 40), get(2, 40), get(1, 40);
  EXPECT_EQ(made, 2);
  get(3, 40);  // 2 goes: 1 was used after it
  get(1, 40);
  EXPECT_EQ(made, 3);
  get(2, 40);
  EXPECT_EQ(made, 4);
  for (int key = 10; key < 200; ++key) get(key, key);  // those above 100 are never kept
}

TEST(SharedCache, SharesWhatIsInUseEvenWhereItKeepsNothing) {
  Cache cache(5);
  int made = 0;
  const auto make = [&] {
    ++made;
    return sized(10);
  };
  {
    const auto first = cache.get(1, make), second = cache.get(1, make);
    EXPECT_EQ(first, second);
    EXPECT_EQ(made, 1);
    EXPECT_EQ(cache.held_bytes(), 0);
  }
  cache.get(1, make);
  EXPECT_EQ(made, 2);
}

TEST(SharedCache, TriesAgainAfterAFailure) {
  Cache cache(100);
  EXPECT_THROW(cache.get(1, []() -> std::shared_ptr<const Sized> { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_EQ(cache.get(1, [] { return sized(3); })->bytes, 3);
}

/// Degree 9 by rotation: of no other plan in this program.
Options shared_options() {
  Options o = fmm_options(1e-4, Precision::double_);
  o.backend = Backend::cpu, o.degree = 9, o.m2l = M2l::rotation;
  return o;
}

TEST(Tables, AreMadeOnceForTwoPlans) {
  const cpu::TableKey key{Kernel::laplace3d, 9, true, false};
  const auto tables = cpu::shared_tables<double>(key, 1);
  const long before = tables.use_count();
  const Cloud c = make_cloud(Kind::uniform, 2'000, Signs::mixed);
  {
    Plan first(points(c.sources), shared_options());
    EXPECT_EQ(tables.use_count(), before + 1);
    Plan second(points(c.sources), shared_options());
    EXPECT_EQ(tables.use_count(), before + 2);
    EXPECT_GE(second.report().memory_bytes, tables->held_bytes()) << "a plan counts what it holds";
    second.move(points(c.sources));
    EXPECT_EQ(tables.use_count(), before + 2);
  }
  EXPECT_EQ(tables.use_count(), before);
}

TEST(Tables, AreTheSameForAnyNumberOfThreads) {
  for (const bool rotation : {true, false}) {
    cpu::Tables<float> one, three;
    one.build(Kernel::laplace3d, 6, rotation, true, 1);
    three.build(Kernel::laplace3d, 6, rotation, true, 3);
    const auto expect_same = [](const float* a, const float* b, int count) {
      EXPECT_TRUE(std::equal(a, a + count, b));
    };
    const int count = one.view().coefficients;
    expect_same(one.view().m2m, three.view().m2m, count * count);
    const RotationSizes sizes = LaplaceBasis::rotation_sizes(6);
    for (int id = 0; id < operator_count; ++id) {
      if (!rotation) {
        expect_same(one.view().dense[id], three.view().dense[id], count * count);
        continue;
      }
      expect_same(one.view().rotation[id].blocks, three.view().rotation[id].blocks, sizes.blocks);
      expect_same(one.view().rotation[id].shift, three.view().rotation[id].shift, sizes.shift);
    }
  }
}

/// Threads of this process.
long running_threads() {
  const std::filesystem::path tasks = "/proc/self/task";
  if (!std::filesystem::exists(tasks)) return -1;
  const std::filesystem::directory_iterator begin(tasks);
  return static_cast<long>(std::distance(begin, std::filesystem::directory_iterator()));
}

TEST(Tables, AreMadeOnAllThreadsOfThePlan) {
  if (running_threads() < 0) GTEST_SKIP() << "no /proc here to count threads with";
  const long before = running_threads();
  cpu::Tables<double> tables;
  tables.build(Kernel::laplace3d, 4, true, false, 5);
  EXPECT_GE(running_threads(), before > 1 ? before : 5);  // OpenMP keeps its threads
}

}  // namespace
}  // namespace farfield::testing
