// Manners of the CUDA backend: device memory in and out, foreign streams, threads, shortage of memory, no leaks.
#include <cuda_runtime.h>

#include <thread>

#include "backends/cuda/evaluator.hpp"
#include "backends/cuda/tuning.hpp"
#include "cuda/on_device.hpp"
#include "support/gpu.hpp"
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

Options gpu_options(double tolerance, Precision precision) {
  Options o = fmm_options(tolerance, precision);
  o.backend = Backend::cuda;
  return o;
}

/// Points, strengths and results in device memory on a stream of the caller's.
template <class T>
Result<T> evaluate_on_device(const Cloud& cloud, Options o, cudaStream_t stream) {
  const std::vector<T> xyz(cloud.sources.begin(), cloud.sources.end()),
      q(cloud.strengths.begin(), cloud.strengths.end());
  const OnDevice<T> positions(xyz), strength(q), potential(std::vector<T>(q.size(), T(-1))),
      gradient(std::vector<T>(3 * q.size(), T(-1)));
  Points p = points(static_cast<const T*>(positions.data()), cloud.count());
  p.space = MemorySpace::device, p.stream = stream;
  Strengths s = strengths(static_cast<const T*>(strength.data()), cloud.count());
  s.space = MemorySpace::device, s.stream = stream;
  Outputs out{potential.data(), gradient.data(), nullptr, nullptr, scalar_of<T>, MemorySpace::device, stream};
  o.backend = Backend::automatic;  // device memory decides
  Plan plan(p, o);
  plan.evaluate(s, out);
  return {potential.read(), gradient.read(), {}, {}, plan.report()};
}

/// The cloud that a caller passes who rounds it to float.
Cloud in_float(Cloud cloud) {
  cloud.label += "/in float";
  for (double& x : cloud.sources) x = static_cast<float>(x);
  for (double& q : cloud.strengths) q = static_cast<float>(q);
  return cloud;
}

class CudaManners : public GpuTest {};

TEST_F(CudaManners, DeviceMemoryGivesTheBitsOfHostMemory) {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Cloud cloud = make_cloud(Kind::plummer, 12'345, Signs::mixed);
  for (const Precision precision : {Precision::single_, Precision::double_}) {
    const Options o = gpu_options(1e-4, precision);
    const Result<double> host = make_plan(cloud, o).evaluate(cloud.strengths);
    for (cudaStream_t of : {stream, cudaStream_t(nullptr)}) {
      const Result<double> device = evaluate_on_device<double>(cloud, o, of);
      EXPECT_EQ(device.potential, host.potential);
      EXPECT_EQ(device.gradient, host.gradient);
      EXPECT_EQ(device.report.backend, "cuda");
    }
    EXPECT_LE(judge(in_float(cloud), evaluate_on_device<float>(cloud, o, stream)).worst(), slack * o.tolerance);
  }
  require(cudaStreamDestroy(stream));
}

TEST_F(CudaManners, CpuRefusesDeviceMemory) {
  const Cloud cloud = make_cloud(Kind::uniform, 100, Signs::mixed);
  const OnDevice<double> positions(cloud.sources);
  Points p = points(static_cast<const double*>(positions.data()), cloud.count());
  p.space = MemorySpace::device;
  Options o;
  o.backend = Backend::cpu;
  refusal(ErrorCode::device, [&] { Plan(p, o); });
}

TEST_F(CudaManners, TwoPlansOnTwoStreamsFromTwoThreads) {
  const Cloud clouds[2] = {make_cloud(Kind::plummer, 20'000, Signs::mixed),
                           make_cloud(Kind::uniform, 30'000, Signs::mixed)};
  const Options options[2] = {gpu_options(1e-5, Precision::single_), gpu_options(1e-8, Precision::double_)};
  std::uint64_t expected[2], found[2][5] = {};
  for (int i = 0; i < 2; ++i)
    expected[i] = hash_of(evaluate_on_device<double>(clouds[i], options[i], nullptr).potential);
  const auto work = [&](int i) {
    cudaStream_t stream = nullptr;
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (std::uint64_t& hash : found[i])
      hash = hash_of(evaluate_on_device<double>(clouds[i], options[i], stream).potential);
    require(cudaStreamDestroy(stream));
  };
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
  for (int i = 0; i < 2; ++i)
    for (const std::uint64_t hash : found[i]) EXPECT_EQ(hash, expected[i]) << i;
}

std::size_t free_bytes() {
  std::size_t free = 0, total = 0;
  require(cudaDeviceSynchronize());
  require(cudaMemGetInfo(&free, &total));
  return free;
}

TEST_F(CudaManners, AThousandPlansLeakNothing) {
  const Cloud cloud = make_cloud(Kind::uniform, 2'000, Signs::mixed);
  Options o = gpu_options(1e-3, Precision::single_);
  o.degree = 3;
  for (int i = 0; i < 20; ++i) make_plan(cloud, o).evaluate(cloud.strengths);
  const std::size_t before = free_bytes();
  for (int i = 0; i < 1'000; ++i) make_plan(cloud, o).evaluate(cloud.strengths);
  EXPECT_GE(free_bytes() + (8u << 20), before);
}

TEST_F(CudaManners, ShortageOfMemoryIsAnErrorAndThePlanStaysUsable) {
  const Cloud small = make_cloud(Kind::uniform, 3'000, Signs::mixed);
  const Cloud large = make_cloud(Kind::uniform, 1'000'000, Signs::mixed);
  const Options o = gpu_options(1e-3, Precision::double_);
  Plan plan = make_plan(small, o);
  const Result<double> expected = plan.evaluate(small.strengths);
  std::vector<void*> taken;
  for (std::size_t block = std::size_t(32) << 30; block >= (std::size_t(16) << 20); block /= 2) {
    void* data = nullptr;
    while (cudaMalloc(&data, block) == cudaSuccess) taken.push_back(data);
    cudaGetLastError();
  }
  const std::string sentence = refusal(ErrorCode::memory, [&] { plan.move(points(large.sources)); });
  EXPECT_NE(sentence.find("bytes are needed"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("are free"), std::string::npos) << sentence;
  for (void* data : taken) cudaFree(data);
  plan.move(points(small.sources));
  EXPECT_EQ(plan.evaluate(small.strengths).potential, expected.potential);
  plan.move(points(large.sources));
  EXPECT_EQ(plan.evaluate(large.strengths).potential.size(), 1'000'000u);
}

TEST_F(CudaManners, MemoryStaysBelowTheBound) {
  for (const std::int64_t n : {1'000, 100'000}) {
    const Cloud cloud = make_cloud(Kind::plummer, n, Signs::mixed);
    for (const double t : {1e-3, 1e-6, 1e-10}) {
      const Options o = gpu_options(t, t < 1e-5 ? Precision::double_ : Precision::single_);
      Plan plan = make_plan(cloud, o);
      plan.evaluate(cloud.strengths);
      EXPECT_LE(plan.report().memory_bytes, Plan::memory_bound(n, 0, o)) << n << " points, tolerance " << t;
    }
  }
}

/// Asks the CUDA runtime itself: a library that finds no device must not pass.
TEST(CudaInfo, ListsDevices) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "there is no CUDA device";
  const std::vector<DeviceInfo> all = devices();
  EXPECT_EQ(static_cast<int>(all.size()), count);
  for (const DeviceInfo& d : all) {
    EXPECT_FALSE(d.name.empty());
    EXPECT_GE(d.major, 5);
    EXPECT_GT(d.memory_bytes, 0);
    EXPECT_LE(d.free_bytes, d.memory_bytes);
  }
}

/// Makes a device current for a while.
struct Current {
  explicit Current(int device) { require(cudaSetDevice(device)); }
  ~Current() { cudaSetDevice(0); }
};

int current_device() {
  int device = -1;
  require(cudaGetDevice(&device));
  return device;
}

/// A plan stays where it was built, and leaves the caller's device current; a move takes it to the current one.
TEST_F(CudaManners, AnotherDeviceIsCurrentBetweenCalls) {
  if (devices().size() < 2) GTEST_SKIP() << "there is one CUDA device, and this takes two";
  const Cloud cloud = make_cloud(Kind::plummer, 20'000, Signs::mixed);
  const Options o = gpu_options(1e-5, Precision::single_);
  Plan plan = make_plan(cloud, o);
  const Result<double> expected = plan.evaluate(cloud.strengths);
  const Current second(1);
  for (int again = 0; again < 3; ++again)
    EXPECT_EQ(plan.evaluate(cloud.strengths).potential, expected.potential) << again;
  EXPECT_EQ(current_device(), 1);
  plan.move(points(cloud.sources));
  EXPECT_LE(judge(cloud, plan.evaluate(cloud.strengths)).worst(), slack * o.tolerance);
  EXPECT_EQ(current_device(), 1);
}

/// More boxes than near and far field share the device with: one comes after the other.
TEST_F(CudaManners, LargeTreesKeepThePromise) {
  const Cloud cloud = make_cloud(Kind::uniform, 500'000, Signs::mixed);
  Options o = gpu_options(1e-3, Precision::single_);
  o.depth = 7;  // 2^21 leaves, one in five of them occupied
  Plan plan = make_plan(cloud, o);
  ASSERT_GT(plan.report().boxes, cuda::tuning::most_boxes_beside);
  const Result<double> first = plan.evaluate(cloud.strengths);
  EXPECT_LE(judge(cloud, first, 500).worst(), slack * o.tolerance);
  for (const char* stage : {"p2m", "m2m", "m2l", "l2l", "l2p", "p2p"})
    EXPECT_NE(first.report.stage(stage), nullptr) << stage;
  for (int again = 0; again < 2; ++again) EXPECT_EQ(plan.evaluate(cloud.strengths).potential, first.potential) << again;
}

}  // namespace
}  // namespace farfield::testing
