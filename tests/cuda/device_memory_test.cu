// Arrays in device memory: what is refused in them, and the same through the C interface.
#include <farfield/farfield.h>

#include <limits>

#include "cuda/on_device.hpp"
#include "support/gpu.hpp"
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t count = 3'000;

template <class T>
Points device_points(const OnDevice<T>& xyz) {
  Points view = points(static_cast<const T*>(xyz.data()), count);
  view.space = MemorySpace::device;
  return view;
}

template <class T>
Strengths device_strengths(const OnDevice<T>& q) {
  Strengths view = strengths(static_cast<const T*>(q.data()), count);
  view.space = MemorySpace::device;
  return view;
}

template <class T>
std::vector<T> converted(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

class CudaDeviceMemory : public GpuTest {
 protected:
  Cloud cloud = make_cloud(Kind::uniform, count, Signs::mixed);

  template <class T>
  void expect_first_bad_coordinate() const {
    for (const double bad : {nan, infinity, -infinity})
      for (const std::size_t first : {0u, 1'234u, 2'999u}) {
        std::vector<T> xyz = converted<T>(cloud.sources);
        xyz[3 * first + 1] = xyz.back() = static_cast<T>(bad);
        const OnDevice<T> good(converted<T>(cloud.sources)), spoilt(xyz);
        const std::string source = refusal(ErrorCode::input, [&] { Plan p{device_points(spoilt)}; }),
                          target =
                              refusal(ErrorCode::input, [&] { Plan p(device_points(good), device_points(spoilt)); });
        EXPECT_EQ(source.find("source " + std::to_string(first) + ":"), 0u) << source;
        EXPECT_EQ(target.find("target " + std::to_string(first) + ":"), 0u) << target;
      }
  }

  /// The plan works afterwards.
  template <class T>
  void expect_first_bad_strength() const {
    const OnDevice<T> xyz(converted<T>(cloud.sources)), good(converted<T>(cloud.strengths));
    const OnDevice<double> potential(std::vector<double>(cloud.strengths.size()));
    Outputs out{potential.data()};
    out.space = MemorySpace::device;
    Plan plan(device_points(xyz));
    for (const double bad : {nan, infinity, -infinity}) {
      std::vector<T> q = converted<T>(cloud.strengths);
      q[1'234] = q[2'000] = static_cast<T>(bad);
      const OnDevice<T> spoilt(q);
      const std::string sentence = refusal(ErrorCode::input, [&] { plan.evaluate(device_strengths(spoilt), out); });
      EXPECT_EQ(sentence.find("strength 1234 of vector 0"), 0u) << sentence;
    }
    EXPECT_NO_THROW(plan.evaluate(device_strengths(good), out));
  }
};

TEST_F(CudaDeviceMemory, FirstBadCoordinateIsNamed) {
  expect_first_bad_coordinate<double>();
  expect_first_bad_coordinate<float>();
}

TEST_F(CudaDeviceMemory, FirstBadStrengthIsNamed) {
  expect_first_bad_strength<double>();
  expect_first_bad_strength<float>();
}

/// Points of the plane without a third coordinate: the bits of those whose third is 0, at targets and sources, and
/// after a move. A kernel of space does not take them.
TEST_F(CudaDeviceMemory, PointsOfTwoCoordinates) {
  std::vector<double> xy, xyz = cloud.sources;
  for (std::size_t i = 0; i < xyz.size(); ++i) i % 3 < 2 ? xy.push_back(xyz[i]) : void(xyz[i] = 0);
  const OnDevice<double> two(xy), three(xyz);
  Points flat = points_in_plane(static_cast<const double*>(two.data()), count);
  flat.space = MemorySpace::device;
  for (const bool apart : {false, true}) {
    Options o;
    o.kernel = Kernel::laplace2d, o.tolerance = 1e-6, o.gradient = true, o.at_sources = apart;
    const auto planned = [&](const Points& p) { return apart ? Plan(p, p, o) : Plan(p, o); };
    Plan lacking = planned(flat), whole = planned(device_points(three));
    for (int moves = 0; moves < 2; ++moves) {
      const Result<double> found = lacking.evaluate(cloud.strengths), expected = whole.evaluate(cloud.strengths);
      EXPECT_EQ(found.potential, expected.potential);
      EXPECT_EQ(found.gradient, expected.gradient);
      EXPECT_EQ(found.source_potential, expected.source_potential);
      apart ? lacking.move(flat, flat) : lacking.move(flat);
    }
  }
  const std::string sentence = refusal(ErrorCode::input, [&] { Plan p{flat}; });
  EXPECT_NE(sentence.find("coordinate z of the sources is a null pointer"), std::string::npos) << sentence;
}

/// The C interface on a device; arrays of the same numbers in host and device memory.
class CudaInC : public CudaDeviceMemory {
 protected:
  farfield_options options{};
  void SetUp() override {
    CudaDeviceMemory::SetUp();
    farfield_options_init(&options);
    options.backend = FARFIELD_BACKEND_CUDA;
    options.method = FARFIELD_METHOD_FMM;
    options.gradient = 1;
  }

  /// Potentials and behind them gradients go where `results` points to: `count`, and three times as many.
  void evaluate(const double* xyz, const double* q, double* results, int space) const {
    farfield_points sources = farfield_points_f64(xyz, count);
    farfield_strengths strengths = farfield_strengths_f64(q, count);
    farfield_outputs outputs = farfield_outputs_f64(results, results + count);
    sources.space = strengths.space = outputs.space = space;
    farfield_plan* plan = nullptr;
    EXPECT_EQ(farfield_plan_create(&plan, &sources, nullptr, &options), FARFIELD_OK) << farfield_last_error();
    EXPECT_EQ(farfield_plan_evaluate(plan, &strengths, &outputs), FARFIELD_OK) << farfield_last_error();
    EXPECT_EQ(farfield_plan_move(plan, &sources, nullptr), FARFIELD_OK) << farfield_last_error();
    EXPECT_EQ(farfield_plan_evaluate(plan, &strengths, &outputs), FARFIELD_OK) << farfield_last_error();
    farfield_plan_destroy(plan);
  }
};

TEST_F(CudaInC, DeviceMemoryGivesTheBitsOfHostMemory) {
  const OnDevice<double> xyz(cloud.sources), q(cloud.strengths), results(std::vector<double>(4 * count, -1));
  evaluate(xyz.data(), q.data(), results.data(), FARFIELD_SPACE_DEVICE);
  std::vector<double> expected(4 * count, -2);
  evaluate(cloud.sources.data(), cloud.strengths.data(), expected.data(), FARFIELD_SPACE_HOST);
  EXPECT_EQ(results.read(), expected);
}

TEST_F(CudaInC, BackendCpuRefusesDeviceMemory) {
  const OnDevice<double> xyz(cloud.sources);
  farfield_points sources = farfield_points_f64(xyz.data(), count);
  sources.space = FARFIELD_SPACE_DEVICE;
  options.backend = FARFIELD_BACKEND_CPU;
  farfield_plan* plan = nullptr;
  EXPECT_EQ(farfield_plan_create(&plan, &sources, nullptr, &options), FARFIELD_DEVICE);
  EXPECT_NE(std::string(farfield_last_error()), "");
}

}  // namespace
}  // namespace farfield::testing
