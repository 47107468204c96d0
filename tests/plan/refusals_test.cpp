// What is refused: the right code, one sentence, and in it what is wrong and where.
#include <functional>
#include <limits>

#include "support/measure.hpp"

namespace farfield::testing {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

void expect_refusal(ErrorCode code, const std::string& word, const std::function<void()>& work) {
  const std::string sentence = refusal(code, work);
  EXPECT_NE(sentence.find(word), std::string::npos) << "'" << sentence << "' should mention '" << word << "'";
  EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
}

class Refusals : public ::testing::Test {
 protected:
  Cloud cloud = make_cloud(Kind::apart, 200, Signs::mixed);
  void expect_option(const std::string& word, const std::function<void(Options&)>& spoil) {
    Options o;
    spoil(o);
    expect_refusal(ErrorCode::usage, word, [&] { make_plan(cloud, o); });
  }
};

template <class T>
void expect_first_bad_coordinate(const std::vector<double>& good) {
  for (const double bad : {nan, infinity, -infinity})
    for (const std::size_t first : {0u, 61u, 199u}) {
      std::vector<T> xyz(good.begin(), good.end());
      xyz[3 * first + 1] = xyz.back() = static_cast<T>(bad);
      expect_refusal(ErrorCode::input, "source " + std::to_string(first), [&] { Plan p{points(xyz)}; });
      expect_refusal(ErrorCode::input, "target " + std::to_string(first), [&] { Plan p(points(good), points(xyz)); });
    }
}

TEST_F(Refusals, FirstBadCoordinateIsNamed) {
  expect_first_bad_coordinate<double>(cloud.sources);
  expect_first_bad_coordinate<float>(cloud.sources);
}

template <class T>
void expect_first_bad_strength(Plan& plan, const std::vector<double>& good) {
  for (const double bad : {nan, infinity, -infinity}) {
    std::vector<T> q(good.begin(), good.end()), two = q;
    q[17] = q[80] = static_cast<T>(bad);
    expect_refusal(ErrorCode::input, "strength 17", [&] { plan.evaluate(q); });
    two.insert(two.end(), q.begin(), q.end());
    expect_refusal(ErrorCode::input, "strength 17 of vector 1", [&] { plan.evaluate(two); });
  }
}

TEST_F(Refusals, FirstBadStrengthIsNamed) {
  Plan plan = make_plan(cloud, {});
  expect_first_bad_strength<double>(plan, cloud.strengths);
  expect_first_bad_strength<float>(plan, cloud.strengths);
}

TEST_F(Refusals, WrongLengths) {
  Plan plan = make_plan(cloud, {});
  for (const std::size_t length : {0u, 1u, 199u, 201u})
    expect_refusal(ErrorCode::input, "200 sources", [&] { plan.evaluate(std::vector<double>(length, 1.0)); });
  std::vector<double> u(200);
  Strengths s = strengths(cloud.strengths);
  s.vectors = 0;
  expect_refusal(ErrorCode::input, "vector", [&] { plan.evaluate(s, {u.data()}); });
  expect_refusal(ErrorCode::input, "negative", [&] { Plan p(points(cloud.sources.data(), -1)); });
}

TEST_F(Refusals, CountsBeyondAnyMemory) {
  constexpr std::int64_t huge = std::int64_t(1) << 62;
  Points view = points(cloud.sources);
  view.count = huge;
  expect_refusal(ErrorCode::input, "source", [&] { Plan p{view}; });
  expect_refusal(ErrorCode::input, "target", [&] { Plan p(points(cloud.sources), view); });
  expect_refusal(ErrorCode::input, "source", [&] { Plan::memory_bound(huge, 0); });
  expect_refusal(ErrorCode::input, "negative", [&] { Plan::memory_bound(-1, 0); });
  expect_refusal(ErrorCode::input, "negative", [&] { Plan::memory_bound(10, -5); });
  Plan plan = make_plan(cloud, {});
  std::vector<double> u(200);
  Strengths s = strengths(cloud.strengths);
  s.vectors = huge;
  expect_refusal(ErrorCode::input, "memory", [&] { plan.evaluate(s, {u.data()}); });
  s.vectors = 2, s.pitch = huge;
  expect_refusal(ErrorCode::input, "memory", [&] { plan.evaluate(s, {u.data()}); });
  s.vectors = 1, s.pitch = 0, s.stride = huge;
  expect_refusal(ErrorCode::input, "memory", [&] { plan.evaluate(s, {u.data()}); });
}

/// Strides of nothing would put all points on top of each other, without a word.
TEST_F(Refusals, Strides) {
  for (const std::int64_t stride : {std::int64_t(0), std::int64_t(-3), std::int64_t(1) << 62}) {
    const Points view = points(cloud.sources.data(), 200, stride);
    expect_refusal(ErrorCode::input, "stride of the sources", [&] { Plan p{view}; });
    expect_refusal(ErrorCode::input, "stride of the targets", [&] { Plan p(points(cloud.sources), view); });
    EXPECT_NO_THROW(Plan{points(cloud.sources.data(), 1, stride)}) << "one point has no next one";
  }
  Plan plan = make_plan(cloud, {}), one(points(cloud.sources.data(), 1));
  std::vector<double> u(200);
  Strengths s = strengths(cloud.strengths);
  for (const std::int64_t stride : {0, -1}) {
    s.stride = stride;
    expect_refusal(ErrorCode::input, "stride of the strengths", [&] { plan.evaluate(s, {u.data()}); });
  }
  s.stride = 1, s.vectors = 2, s.pitch = -1;
  expect_refusal(ErrorCode::input, "pitch", [&] { plan.evaluate(s, {u.data()}); });
  Strengths single = strengths(cloud.strengths.data(), 1);
  single.stride = 0;
  EXPECT_NO_THROW(one.evaluate(single, {u.data()}));
  single.vectors = 2, single.pitch = 0;
  expect_refusal(ErrorCode::input, "stride", [&] { one.evaluate(single, {u.data()}); });
}

TEST_F(Refusals, ListsOfTheWrongLength) {
  for (const std::size_t length : {1u, 2u, 10u})
    expect_refusal(ErrorCode::input, std::to_string(length) + " coordinates",
                   [&] { points(std::vector<double>(length)); });
  const std::vector<double> none;
  Plan empty{points(none)}, targets(points(none), points(cloud.sources));
  for (Plan* plan : {&empty, &targets})
    expect_refusal(ErrorCode::input, "0 sources", [&] { plan->evaluate(std::vector<double>(5)); });
}

TEST_F(Refusals, NullPointers) {
  const double* null = nullptr;
  expect_refusal(ErrorCode::input, "null", [&] { Plan p(points(null, 5)); });
  expect_refusal(ErrorCode::input, "null", [&] { Plan p(points(cloud.sources), points(null, 5)); });
  Plan plan = make_plan(cloud, {});
  std::vector<double> u(200);
  expect_refusal(ErrorCode::input, "null", [&] { plan.evaluate(strengths(null, 200), {u.data()}); });
}

TEST_F(Refusals, Tolerances) {
  for (const double bad : {-1.0, -1e-6, 0.0, 1.0, 2.0, nan, infinity})
    expect_option("tolerance", [&](Options& o) { o.tolerance = bad; });
}

TEST_F(Refusals, ExpertOptions) {
  expect_option("threads", [](Options& o) { o.threads = -1; });
  expect_option("threads", [](Options& o) { o.threads = 10000; });
  expect_option("degree", [](Options& o) { o.degree = -2; });
  expect_option("degree", [](Options& o) { o.degree = 1000; });
  expect_option("leaf_size", [](Options& o) { o.leaf_size = -1; });
  expect_option("depth", [](Options& o) { o.depth = -2; });
  expect_option("depth", [](Options& o) { o.depth = 100; });
  expect_option("check", [](Options& o) { o.check = -1; });
  for (const int bad : {0, -3, 1'000'001, std::numeric_limits<int>::max()})
    expect_option("densities", [&](Options& o) { o.densities = bad; });
  for (const double bad : {nan, infinity, 0.0}) expect_option("scale", [&](Options& o) { o.scale = bad; });
}

TEST_F(Refusals, Softening) {
  for (const double bad : {-1.0, -1e-300, nan, infinity, -infinity})
    expect_option("softening", [&](Options& o) { o.softening = bad; });
  cloud.sources[0] = 1e3;  // 1e-300 of the extent leaves 1/softening no number
  for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline})
    expect_option("below 1e-300 of the points' extent", [&](Options& o) {
      o.softening = 1e-300;
      o.softening_kind = kind;
    });
  expect_option("kernel count", [](Options& o) {
    o.softening = 0.1;
    o.kernel = Kernel::count;
  });
  Options bad;
  bad.softening = nan, bad.method = Method::fmm;
  expect_refusal(ErrorCode::usage, "softening", [&] { Plan::memory_bound(1000, 0, bad); });
}

/// A caller in C may hand over any integer.
TEST_F(Refusals, ValuesThatAreNotInTheEnums) {
  expect_option("kernel", [](Options& o) { o.kernel = static_cast<Kernel>(99); });
  expect_option("method", [](Options& o) { o.method = static_cast<Method>(99); });
  expect_option("softening_kind", [](Options& o) { o.softening_kind = static_cast<SofteningKind>(4); });
  expect_option("precision", [](Options& o) { o.precision = static_cast<Precision>(99); });
  expect_option("backend", [](Options& o) { o.backend = static_cast<Backend>(99); });
  expect_option("m2l", [](Options& o) { o.m2l = static_cast<M2l>(99); });
  expect_option("stencil", [](Options& o) { o.stencil = static_cast<Stencil>(99); });
  expect_option("simd", [](Options& o) { o.simd = static_cast<Simd>(99); });
}

TEST_F(Refusals, OutputsThatThePlanDoesNotCompute) {
  Plan plan = make_plan(cloud, {});
  std::vector<double> u(200), g(600);
  const Strengths s = strengths(cloud.strengths);
  expect_refusal(ErrorCode::usage, "gradient", [&] { plan.evaluate(s, {u.data(), g.data()}); });
  expect_refusal(ErrorCode::usage, "at_sources", [&] { plan.evaluate(s, {u.data(), nullptr, u.data()}); });
}

TEST_F(Refusals, TwoArraysForTheSamePoints) {
  Options both;
  both.gradient = both.at_sources = true;
  std::vector<double> u(200), g(600);
  const Strengths s = strengths(cloud.strengths);
  Plan plan(points(cloud.sources), both);
  expect_refusal(ErrorCode::usage, "same points", [&] { plan.evaluate(s, {u.data(), nullptr, u.data()}); });
  expect_refusal(ErrorCode::usage, "same points", [&] { plan.evaluate(s, {nullptr, g.data(), nullptr, g.data()}); });
  plan.evaluate(s, {nullptr, g.data(), u.data()});
}

TEST_F(Refusals, BackendAndMemoryThatAreNotThere) {
  if (!devices().empty()) GTEST_SKIP() << "there is a CUDA device";
  Options cuda;
  cuda.backend = Backend::cuda;
  expect_refusal(ErrorCode::device, "cuda", [&] { make_plan(cloud, cuda); });
  Points device = points(cloud.sources);
  device.space = MemorySpace::device;
  expect_refusal(ErrorCode::device, "device memory", [&] { Plan p{device}; });
  Plan plan = make_plan(cloud, {});
  Strengths s = strengths(cloud.strengths);
  s.space = MemorySpace::device;
  std::vector<double> u(200);
  expect_refusal(ErrorCode::device, "device memory", [&] { plan.evaluate(s, {u.data()}); });
}

TEST_F(Refusals, ToleranceBelowTheFloorNamesTheReachableOne) {
  for (const Precision precision : {Precision::single_, Precision::double_, Precision::automatic}) {
    const double last = reachable(cloud, precision);
    EXPECT_GT(last, unreachable);
    EXPECT_NO_THROW(make_plan(cloud, fmm_options(last, precision)));
  }
}

}  // namespace
}  // namespace farfield::testing
