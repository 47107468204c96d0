// What may run at the same time: the threads of one plan, and several plans in threads of the caller. Every result has
// the bits that one thread gives. Under ThreadSanitizer (make tsan) these tests also find races that change no bit.
#include <optional>
#include <thread>

#include "support/measure.hpp"

namespace farfield::testing {
namespace {

struct Job {
  const char* name;
  Kind kind;
  std::int64_t count;
  Options options;
};

Options options(double tolerance, M2l m2l, Method method = Method::fmm) {
  Options o = fmm_options(tolerance);
  o.method = method;
  o.m2l = m2l;
  o.check = 50;
  return o;
}

Options with_sources(Options o) {
  o.at_sources = true;
  return o;
}

Options reduced_uniform_tree(Options o) {
  o.stencil = Stencil::reduced;
  o.depth = 3;
  return o;
}

std::vector<Job> jobs() {
  return {{"single", Kind::plummer, 6'000, options(1e-3, M2l::automatic)},
          {"dense", Kind::uniform, 3'000, options(1e-7, M2l::dense)},
          {"rotation", Kind::spiral, 3'000, options(1e-8, M2l::rotation)},
          {"targets apart", Kind::apart, 2'000, with_sources(options(1e-4, M2l::automatic))},
          {"uniform tree", Kind::sphere, 2'000, reduced_uniform_tree(options(1e-3, M2l::dense))},
          {"direct", Kind::two_clusters, 1'500, options(1e-6, M2l::automatic, Method::direct)}};
}

/// Builds, evaluates two vectors of strengths, moves and evaluates again.
std::uint64_t bits_of(const Job& job, int threads) {
  const Cloud c = make_cloud(job.kind, job.count, Signs::mixed);
  Options o = job.options;
  o.threads = threads;
  Plan plan = make_plan(c, o);
  std::vector<double> two = c.strengths;
  two.insert(two.end(), c.strengths.rbegin(), c.strengths.rend());
  const Result<double> first = plan.evaluate(two);
  EXPECT_LE(first.report.error->potential, slack * o.tolerance) << job.name;
  if (c.apart())
    plan.move(points(c.targets), points(c.sources));
  else
    plan.move(points(c.sources.data() + 3, c.count() - 1));
  const std::vector<double> others(static_cast<std::size_t>(plan.source_count()), 0.5);
  const Result<double> second = plan.evaluate(others);
  return hash_of(first.potential) ^ hash_of(first.gradient) ^ hash_of(first.source_gradient) ^
         hash_of(second.potential);
}

TEST(Threads, OfOnePlanGiveTheBitsOfOne) {
  for (const Job& job : jobs()) {
    const std::uint64_t alone = bits_of(job, 1);
    for (const int threads : {2, 4}) EXPECT_EQ(bits_of(job, threads), alone) << job.name << ", threads " << threads;
  }
}

TEST(Threads, PlansInThreadsOfTheCaller) {
  const std::vector<Job> all = jobs();
  std::vector<std::uint64_t> together(all.size());
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < all.size(); ++i)
    callers.emplace_back([&, i] { together[i] = bits_of(all[i], 1 + static_cast<int>(i % 2)); });
  for (std::thread& caller : callers) caller.join();
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(together[i], bits_of(all[i], 1)) << all[i].name;
}

TEST(Threads, TheSameOptionsInThreadsOfTheCaller) {  // what plans of a process share, they share at the same time
  const Job job = jobs()[2];
  std::vector<std::uint64_t> together(4);
  std::vector<std::thread> callers;
  for (std::uint64_t& bits : together) callers.emplace_back([&] { bits = bits_of(job, 1); });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(together, std::vector<std::uint64_t>(4, bits_of(job, 1)));
}

TEST(Threads, FunctionsWithoutAPlan) {
  const Cloud c = make_cloud(Kind::uniform, 500, Signs::mixed);
  std::vector<std::uint64_t> together(4);
  std::vector<std::int64_t> bounds(4);
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < together.size(); ++i)
    callers.emplace_back([&, i] {
      Options o;
      o.threads = 2;
      together[i] = hash_of(direct_sum<double>(points(c.sources), c.strengths, points(c.sources), o).potential);
      bounds[i] = Plan::memory_bound(100'000, 0, o);
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(together, std::vector<std::uint64_t>(4, together[0]));
  EXPECT_EQ(bounds, std::vector<std::int64_t>(4, bounds[0]));
}

/// Runs `work` in a thread of its own, to its end.
template <class Work>
void elsewhere(Work&& work) {
  std::thread(std::forward<Work>(work)).join();
}

/// A plan may go from thread to thread, as long as one has it at a time: nothing of it stays behind in a thread.
TEST(Threads, OnePlanInTurn) {
  for (const Job& job : {jobs()[0], jobs()[2]}) {
    const Cloud a = make_cloud(job.kind, job.count, Signs::mixed), b = make_cloud(Kind::sphere, 1'000, Signs::mixed);
    Options o = job.options;
    o.threads = 2;
    const std::vector<double> at_a = make_plan(a, o).evaluate(a.strengths).potential,
                              at_b = make_plan(b, o).evaluate(b.strengths).potential;
    std::optional<Plan> plan;
    elsewhere([&] { plan.emplace(make_plan(a, o)); });
    EXPECT_EQ(plan->evaluate(a.strengths).potential, at_a) << job.name;
    elsewhere([&] { plan->move(points(b.sources)); });
    EXPECT_EQ(plan->evaluate(b.strengths).potential, at_b) << job.name;
    plan->move(points(a.sources));
    elsewhere([&] { EXPECT_EQ(plan->evaluate(a.strengths).potential, at_a) << job.name; });
    elsewhere([&] { plan.reset(); });
  }
}

TEST(Threads, AnErrorLeavesAParallelLoop) {
  Cloud c = make_cloud(Kind::uniform, 200'000, Signs::mixed);
  c.sources[400'000] = std::numeric_limits<double>::quiet_NaN();
  Options o;
  o.threads = 4;
  EXPECT_NE(refusal(ErrorCode::input, [&] { make_plan(c, o); }).find("133333"), std::string::npos);
}

}  // namespace
}  // namespace farfield::testing
