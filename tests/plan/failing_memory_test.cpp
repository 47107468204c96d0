// Memory runs out at one allocation of a call after the other: each time the call must fail with Error(memory), leave
// nothing behind and leave a plan that works. Small clouds: thousands of repetitions.
#include <farfield/farfield.h>

#include <farfield/devices_plan.hpp>
#include <functional>

#include "support/failing_new.hpp"
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

/// All allocations of a call up to the 400th, then fewer and fewer: by then they are those of the tables, much alike.
std::int64_t next(std::int64_t k) { return k + 1 + std::max<std::int64_t>(0, k - 400) / 40; }

/// `work` with its k-th allocation failing. Returns the code of the Error; ok: it succeeded.
ErrorCode code_of(std::int64_t k, Shortage shortage, const std::function<void()>& work) {
  ErrorCode code = ErrorCode::ok;
  bool foreign = false;
  fail_allocation(k, shortage);
  try {
    work();
  } catch (const Error& error) {
    code = error.code();
  } catch (...) {
    foreign = true;
  }
  const bool failed = allow_allocations();
  EXPECT_FALSE(foreign) << "allocation " << k << ": an exception that is no farfield::Error";
  if (!failed) {
    EXPECT_EQ(code, ErrorCode::ok) << "allocation " << k;
  }
  return foreign ? ErrorCode::internal : failed && code == ErrorCode::ok ? ErrorCode::output : code;
}

/// Fails every allocation of `work` in turn, until it needs no more; `after` looks at what each failure left behind.
void exhaust(const std::string& what, const std::function<void()>& work, const std::function<void()>& after = {}) {
  work();  // tables that live as long as the program are made now
  for (const Shortage shortage : {Shortage::once, Shortage::from_then}) {
    std::int64_t k = 1;
    for (;; k = next(k)) {
      const std::int64_t live = live_allocations();
      const ErrorCode code = code_of(k, shortage, work);
      if (code == ErrorCode::ok) break;
      ASSERT_EQ(static_cast<int>(code), static_cast<int>(ErrorCode::memory)) << what << ", allocation " << k;
      if (after)
        after();
      else
        ASSERT_EQ(live_allocations(), live) << what << ": allocation " << k << " left memory behind";
    }
    EXPECT_GT(k, 1) << what << " allocated nothing";
  }
}

struct Case {
  const char* name;
  Kind kind;
  Options options;
};

Options small(Method method, Precision precision, M2l m2l = M2l::dense, Stencil stencil = Stencil::full) {
  Options o = fmm_options(1e-3, precision);
  o.method = method;
  o.threads = 2;
  o.m2l = m2l;
  o.stencil = stencil;
  o.leaf_size = 12;
  o.degree = 3;
  return o;
}

std::vector<Case> cases() {
  const Options plain = small(Method::fmm, Precision::double_);
  Options both = plain, checked = plain, count = plain, potential = plain, settled = plain, softened;
  both.at_sources = true;
  settled.degree = -1;
  checked.check = 20;
  count.kernel = Kernel::count;
  potential.gradient = false;
  softened = small(Method::direct, Precision::double_);
  softened.softening = 0.1;
  return {{"fmm", Kind::uniform, plain},
          {"fmm single by rotation", Kind::uniform, small(Method::fmm, Precision::single_, M2l::rotation)},
          {"fmm reduced", Kind::plummer, small(Method::fmm, Precision::double_, M2l::rotation, Stencil::reduced)},
          {"apart", Kind::apart, plain},
          {"at sources", Kind::apart, both},
          {"check", Kind::uniform, checked},
          {"count", Kind::uniform, count},
          {"potential", Kind::plummer, potential},
          {"degree from the tolerance", Kind::uniform, settled},
          {"direct", Kind::uniform, small(Method::direct, Precision::double_)},
          {"direct single", Kind::apart, small(Method::direct, Precision::single_)},
          {"softened", Kind::uniform, softened}};
}

class FailingMemory : public ::testing::TestWithParam<Case> {
 protected:
  Cloud cloud = make_cloud(GetParam().kind, 300, Signs::mixed), other = make_cloud(GetParam().kind, 170, Signs::mixed);
  Options options = on_tested_backend(GetParam().options);

  Plan made() const { return make_plan(cloud, options); }
  static void move(Plan& plan, const Cloud& to) {
    if (to.apart())
      plan.move(points(to.sources), points(to.targets));
    else
      plan.move(points(to.sources));
  }
};

TEST_P(FailingMemory, Creation) {
  exhaust("creation", [&] { made(); });
}

TEST_P(FailingMemory, Evaluation) {
  Plan plan = made();
  std::vector<double> two = cloud.strengths;
  two.insert(two.end(), cloud.strengths.rbegin(), cloud.strengths.rend());
  const Result<double> expected = plan.evaluate(two);
  Result<double> r = expected;
  const auto data = [](std::vector<double>& v) { return v.empty() ? nullptr : v.data(); };
  const Outputs outputs{data(r.potential), data(r.gradient), data(r.source_potential), data(r.source_gradient)};
  const auto evaluate_view = [&] { plan.evaluate(strengths(two.data(), cloud.count(), 2), outputs); };
  exhaust("evaluation", evaluate_view, [] {});
  EXPECT_EQ(r.potential, expected.potential);
  EXPECT_EQ(r.gradient, expected.gradient);
  EXPECT_EQ(r.source_potential, expected.source_potential);
  exhaust("first evaluation", [&] { made().evaluate(strengths(two.data(), cloud.count(), 2), outputs); });
  EXPECT_EQ(r.potential, expected.potential);
  exhaust(
      "evaluation with results of its own", [&] { r = plan.evaluate(two); }, [] {});
  EXPECT_EQ(r.gradient, expected.gradient);
}

/// Either the plan is as it was, or it says that it has no points; the next move mends it.
TEST_P(FailingMemory, Move) {
  Plan plan = made();
  const Result<double> before = plan.evaluate(cloud.strengths);
  std::int64_t kept = 0, refused = 0;
  const auto look = [&] {
    ASSERT_EQ(plan.report().sources, plan.source_count());
    if (plan.source_count() == 0) {
      ++refused;
      EXPECT_EQ(plan.target_count(), 0);
      EXPECT_GT(plan.report().memory_bytes, 0) << "the most that it has held";
      for (const std::vector<double>& q : {cloud.strengths, std::vector<double>()})
        EXPECT_NE(refusal(ErrorCode::usage, [&] { plan.evaluate(q); }).find("move again"), std::string::npos);
    } else {
      ++kept;
      ASSERT_EQ(plan.source_count(), cloud.count());
      ASSERT_EQ(plan.evaluate(cloud.strengths).potential, before.potential);
    }
    move(plan, cloud);
    ASSERT_EQ(plan.evaluate(cloud.strengths).potential, before.potential);
  };
  const auto there = [&] {
    if (plan.source_count() == other.count()) move(plan, cloud);
    move(plan, other);
  };
  for (const Shortage shortage : {Shortage::once, Shortage::from_then})
    for (std::int64_t k = 1;; k = next(k)) {
      const ErrorCode code = code_of(k, shortage, [&] { move(plan, other); });
      if (code == ErrorCode::ok) {
        there();
        EXPECT_EQ(plan.evaluate(other.strengths).potential,
                  make_plan(other, options).evaluate(other.strengths).potential);
        move(plan, cloud);
        break;
      }
      if (code == ErrorCode::output) {  // done without the memory: a cache that stays as it is
        EXPECT_EQ(plan.evaluate(other.strengths).potential,
                  make_plan(other, options).evaluate(other.strengths).potential);
        move(plan, cloud);
        continue;
      }
      ASSERT_EQ(static_cast<int>(code), static_cast<int>(ErrorCode::memory)) << "allocation " << k;
      look();
    }
  EXPECT_GT(kept, 0) << "before the plan changes";
  EXPECT_GT(refused, 0) << "while it changes";
}

TEST_P(FailingMemory, OneShotAndBound) {
  const Points sources = points(cloud.sources), targets = points(cloud.targets);
  const std::span<const double> q(cloud.strengths);
  exhaust("evaluate", [&] { evaluate<double>(sources, q, options); });
  exhaust("direct_sum", [&] { direct_sum<double>(sources, q, cloud.apart() ? targets : sources, options); });
  exhaust("memory_bound", [&] { Plan::memory_bound(1000, 0, options); });
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}
/// Ranks that are threads: nobody waits for one that ran out of memory, and the next move mends the plan.
TEST(FailingMemoryOfRanks, EveryCall) {
  const Cloud cloud = make_cloud(Kind::plummer, 200, Signs::mixed);
  Options o = small(Method::fmm, Precision::double_);
  o.backend = Backend::cpu, o.threads = 1;
  const std::vector<int> devices{0, 0};
  std::vector<double> potential(200), expected(200);
  const auto made = [&] { return distributed::DevicesPlan(points(cloud.sources), devices, o); };
  exhaust("creation", [&] { made(); });
  distributed::DevicesPlan plan = made();
  const auto evaluate = [&](std::vector<double>& to) {
    Outputs outputs;
    outputs.potential = to.data();
    plan.evaluate(strengths(cloud.strengths), outputs);
  };
  evaluate(expected);
  exhaust(
      "evaluation", [&] { evaluate(potential); },
      [&] {
        evaluate(potential);
        ASSERT_EQ(potential, expected);
      });
  exhaust(
      "move", [&] { plan.move(points(cloud.sources)); },
      [&] {
        plan.move(points(cloud.sources));
        evaluate(potential);
        ASSERT_EQ(potential, expected);
      });
}

INSTANTIATE_TEST_SUITE_P(Cases, FailingMemory, ::testing::ValuesIn(cases()), name_of);

/// No exception may leave a function of the C interface: one that did would end this program.
class FailingMemoryInC : public ::testing::Test {
 protected:
  Cloud cloud = make_cloud(Kind::uniform, 200, Signs::mixed);
  std::vector<double> u = std::vector<double>(200), g = std::vector<double>(600);
  farfield_points sources = farfield_points_f64(cloud.sources.data(), 200);
  farfield_strengths q = farfield_strengths_f64(cloud.strengths.data(), 200);
  farfield_outputs outputs = farfield_outputs_f64(u.data(), g.data());
  farfield_options options{};
  farfield_plan* plan = nullptr;

  void SetUp() override {
    farfield_options_init(&options);
    options.method = FARFIELD_METHOD_FMM;
    options.tolerance = 1e-3;
    options.gradient = 1;
    options.leaf_size = 20;
    options.degree = 3;
    options.m2l = FARFIELD_M2L_DENSE;
    options.threads = 2;
    options.backend = FARFIELD_BACKEND_CPU;
  }
  void TearDown() override { farfield_plan_destroy(plan); }

  template <class Call>
  static void exhaust_call(Call&& call) {
    for (const Shortage shortage : {Shortage::once, Shortage::from_then})
      for (std::int64_t k = 1;; k = next(k)) {
        fail_allocation(k, shortage);
        const int code = call();
        if (!allow_allocations()) {
          ASSERT_EQ(code, FARFIELD_OK);
          break;
        }
        ASSERT_EQ(code, FARFIELD_MEMORY) << "allocation " << k << ": " << farfield_last_error();
        ASSERT_NE(std::string(farfield_last_error()), "");
      }
  }
};

TEST_F(FailingMemoryInC, EveryFunction) {
  // libomp hangs where memory runs out in the first call that it gets
  ASSERT_EQ(farfield_plan_create(&plan, &sources, nullptr, &options), FARFIELD_OK);
  exhaust_call([&] {
    farfield_plan_destroy(plan);
    return farfield_plan_create(&plan, &sources, nullptr, &options);
  });
  exhaust_call([&] { return farfield_plan_evaluate(plan, &q, &outputs); });
  exhaust_call([&] { return farfield_plan_move(plan, &sources, nullptr); });
  exhaust_call([&] { return farfield_plan_move(plan, &sources, &sources); });
  exhaust_call([&] { return farfield_memory_bound(100, 0, &options) < 0 ? int(FARFIELD_MEMORY) : int(FARFIELD_OK); });
  exhaust_call([&] { return farfield_direct_sum(&sources, &q, nullptr, &outputs, &options); });
  exhaust_call([&] {
    return farfield_laplace3d(200, cloud.sources.data(), cloud.strengths.data(), 200, nullptr, 1e-3, u.data(),
                              g.data());
  });
}

/// Sentences are made of memory, too: refusals under shortage are still errors of the enumeration.
TEST_F(FailingMemoryInC, Refusals) {
  options.method = 99;
  for (const Shortage shortage : {Shortage::once, Shortage::from_then})
    for (std::int64_t k = 1; k < 20; ++k) {
      fail_allocation(k, shortage);
      const int code = farfield_plan_create(&plan, &sources, nullptr, &options);
      const bool failed = allow_allocations();
      EXPECT_EQ(code, failed ? FARFIELD_MEMORY : FARFIELD_USAGE) << k;
    }
}

}  // namespace
}  // namespace farfield::testing
