// Processes that are forked off: OpenMP's threads stay behind in the parent, and a child that waits for them waits for
// ever. And processes that the system allows few threads.
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <farfield/devices_plan.hpp>
#include <filesystem>
#include <thread>

#include "support/child.hpp"
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

Options threaded(int threads) {
  Options o = fmm_options(1e-6, Precision::double_);
  o.backend = Backend::cpu;
  o.threads = threads;
  return o;
}

class Fork : public ::testing::Test {
 protected:
  Cloud cloud = make_cloud(Kind::plummer, 4'000, Signs::mixed);
  Plan plan{points(cloud.sources), threaded(2)};
  Result<double> expected = plan.evaluate(cloud.strengths);

  bool right(const Result<double>& r) const {
    return r.potential == expected.potential && r.gradient == expected.gradient;
  }
};

TEST_F(Fork, InheritedPlanRunsOnOneThreadAndSaysSo) {
  ASSERT_EQ(expected.report.threads, 2);
  ASSERT_TRUE(expected.report.warnings.empty());
  EXPECT_EQ(good, status_of([&] {
              const Result<double> r = plan.evaluate(cloud.strengths);
              if (!right(r)) return bad_result;
              const bool says =
                  r.report.warnings.size() == 1 && r.report.warnings[0].find("forked") != std::string::npos;
              return says && r.report.threads == 1 ? good : bad_report;
            }));
  EXPECT_TRUE(right(plan.evaluate(cloud.strengths))) << "the parent goes on";
}

TEST_F(Fork, InheritedPlanMovesAndNewOnesAreMade) {
  EXPECT_EQ(good, status_of([&] {
              plan.move(points(cloud.sources));
              if (!right(plan.evaluate(cloud.strengths))) return bad_result;
              const Result<double> r = Plan(points(cloud.sources), threaded(3)).evaluate(cloud.strengths);
              if (!right(r)) return bad_result;
              if (r.report.threads != 1 || r.report.warnings.empty()) return bad_report;
              const Result<double> one = Plan(points(cloud.sources), threaded(1)).evaluate(cloud.strengths);
              return !right(one) ? bad_result : one.report.warnings.empty() ? good : bad_report;
            }));
}

/// A plan over several devices has threads, which stay with the parent: the child is told, can end, and makes its own.
TEST_F(Fork, InheritedPlanOverSeveralDevicesIsRefused) {
  using distributed::DevicesPlan;
  std::vector<double> potential(cloud.strengths.size());
  const auto right = [&](DevicesPlan& shared) {
    Outputs outputs;
    outputs.potential = potential.data();
    shared.evaluate(strengths(cloud.strengths), outputs);
    return potential == expected.potential;
  };
  DevicesPlan shared(points(cloud.sources), {0, 0}, threaded(1));
  ASSERT_TRUE(right(shared));
  EXPECT_EQ(good, status_of([&] {
              const std::string said = refusal(ErrorCode::device, [&] { right(shared); });
              if (said.find("before this process was forked") == std::string::npos) return bad_report;
              DevicesPlan own(points(cloud.sources), {0, 0}, threaded(1));
              { const DevicesPlan gone(std::move(shared)); }  // does not wait for threads that are not there
              return right(own) ? good : bad_result;
            }));
  EXPECT_TRUE(right(shared)) << "the parent goes on";
}

TEST_F(Fork, GrandchildAndNewThread) {
  EXPECT_EQ(good, status_of([&] {
              const int inner = status_of([&] { return right(plan.evaluate(cloud.strengths)) ? good : bad_result; });
              if (inner != good) return inner;
              int status = thrown;  // a thread of its own starts a team of its own
              std::thread([&] {
                const Result<double> r = Plan(points(cloud.sources), threaded(2)).evaluate(cloud.strengths);
                status = !right(r) ? bad_result : r.report.threads == 2 ? good : bad_report;
              }).join();
              return status;
            }));
}

TEST(ForkBeforeThreads, TakesAsManyAsAsked) {
  const Cloud cloud = make_cloud(Kind::uniform, 3'000, Signs::mixed);
  int status = thrown;
  std::thread([&] {  // this thread has never had a team
    status = status_of([&] {
      const Report r = Plan(points(cloud.sources), threaded(2)).evaluate(cloud.strengths).report;
      return r.threads == 2 && r.warnings.empty() ? good : bad_report;
    });
  })
      .join();
  EXPECT_EQ(status, good);
}

class Threads : public ::testing::Test {
 protected:
  Cloud cloud = make_cloud(Kind::uniform, 3'000, Signs::mixed);

  /// Of a child that may address `more` bytes beyond what it has; `thrown` if it fails.
  int with_memory(rlim_t more, const Options& options) const {
    return status_of([&] {
      rlim_t pages = 0;
      if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
        std::fclose(file);
      }
      const rlim_t bytes = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more;
      const rlimit limit{bytes, bytes};
      if (pages == 0 || setrlimit(RLIMIT_AS, &limit) != 0) return bad_report;
      try {
        Plan(points(cloud.sources), options).evaluate(cloud.strengths);
      } catch (const Error& error) {
        std::printf("# %s\n", error.what());
        return static_cast<int>(error.code());
      }
      return good;
    });
  }
};

#if defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer);
#elif defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// OpenMP itself would end the process with status 1.
TEST_F(Threads, ThatCannotBeStartedAreAnError) {
  if (sanitized) GTEST_SKIP() << "the sanitizer needs all addresses";
  std::thread([&] {
    EXPECT_EQ(with_memory(300 << 20, threaded(200)), static_cast<int>(ErrorCode::memory));
    EXPECT_EQ(with_memory(300 << 20, threaded(4)), good);
    for (rlim_t more = 4; more < 120; more += 8) {
      const int status = with_memory(more << 20, threaded(4));
      EXPECT_TRUE(status == good || status == static_cast<int>(ErrorCode::memory)) << more << " MB: " << status;
    }
  }).join();
}

TEST_F(Threads, NumbersBeyondReasonAreRefusedAtOnce) {
  EXPECT_EQ(with_memory(300 << 20, threaded(10'000)), static_cast<int>(ErrorCode::usage));
  EXPECT_EQ(with_memory(300 << 20, threaded(-1)), static_cast<int>(ErrorCode::usage));
}

/// Threads of this process; -1 where the system does not tell.
int threads_now() {
  std::error_code none;
  const std::filesystem::directory_iterator all("/proc/self/task", none);
  return none ? -1 : static_cast<int>(std::distance(begin(all), end(all)));
}

/// Most threads of this process at a time while `work` runs, without the one that counts.
int most_threads_during(const std::function<void()>& work) {
  std::atomic<bool> done = false;
  int most = 0;
  std::thread count([&] {
    while (!done) most = std::max(most, threads_now() - 1);
  });
  work();
  done = true;
  count.join();
  return most;
}

/// Builds, moves and evaluates 20 times, where OpenMP would take seven threads; returns how many ran beside this one.
int threads_beside(const Cloud& apart, const Cloud& alike, Method method) {
  omp_set_num_threads(7);
  Options o = threaded(3);
  o.method = method, o.check = 50, o.at_sources = true;
  Plan plan(points(apart.sources), points(apart.targets), o);  // starts the threads
  return -1 + most_threads_during([&] {
    for (int again = 0; again < 20; ++again) {
      plan.move(points(alike.sources));
      plan.evaluate(alike.strengths);
      plan.move(points(apart.sources), points(apart.targets));
      plan.evaluate(apart.strengths);
    }
  });
}

TEST_F(Threads, ThatRunAreThoseOfTheOptions) {
  if (threads_now() < 0) GTEST_SKIP() << "there is no /proc/self/task";
  const Cloud apart = make_cloud(Kind::apart, 3'000, Signs::mixed);
  for (const Method method : {Method::fmm, Method::direct}) {
    int beside = 0;
    std::thread([&] { beside = status_of([&] { return threads_beside(apart, cloud, method); }); }).join();
    EXPECT_EQ(beside, 2) << "method " << static_cast<int>(method);
  }
}

TEST_F(Threads, OfTheReportAreThoseOfTheOptions) {
  for (const int threads : {1, 3, 2})
    EXPECT_EQ(Plan(points(cloud.sources), threaded(threads)).evaluate(cloud.strengths).report.threads, threads);
  EXPECT_LE(Plan(points(cloud.sources), threaded(0)).report().threads, 4 * omp_get_num_procs());
}

}  // namespace
}  // namespace farfield::testing
