// The virial where the device sums, in open space and in periodic cells: of arrays in either memory, against the slow
// Ewald sums and against backend cpu, which tests/periodic holds to these.
#include <cuda_runtime.h>

#include <random>

#include "cuda/ion_arrays.hpp"
#include "periodic/virials.hpp"
#include "support/gpu.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

Options virial_on_gpu(const Rows& cell, const Axes& axes, double tolerance, Precision precision) {
  Options o = with_virial(cell, axes, tolerance);
  o.backend = Backend::cuda, o.precision = precision;
  return o;
}

std::vector<Vec> vectors(const std::vector<double>& x) {
  std::vector<Vec> all;
  for (std::size_t i = 0; i < x.size(); i += 3) all.push_back({x[i], x[i + 1], x[i + 2]});
  return all;
}

/// Ions whose numbers are floats, so that arrays of either type hold them.
Ions float_ions(std::int64_t pairs, const Rows& cell, double apart, Stream& random) {
  Ions all = ions(pairs, cell, apart, random);
  for (double& x : all.x) x = static_cast<float>(x);
  return all;
}

/// Sums of a backend whose tolerance is no part of what is seen.
struct Exact {
  std::vector<double> virial;
  double promise;  ///< what another may err, over its tolerance
};
Exact exact_of(const Ions& at, const Rows& cell, const Axes& axes) {
  Options o = with_virial(cell, axes, 1e-10);
  o.gradient = true, o.backend = Backend::cpu;
  const auto r = Plan(points(at.x), o).evaluate<double>(at.q);
  const double reach = reach_of(vectors(at.x), cell, axes);
  return {r.virial, length_of(at.q) * (length_of(r.potential) + reach * length_of(r.gradient)) / 2};
}

/// Within the promise, and as near as measured on the CPU, where that is nearer.
void expect_virial(const std::vector<double>& found, const Exact& exact, double tolerance, const std::string& of) {
  ASSERT_EQ(found.size(), 6u) << of;
  const double error = norm(less(found, wide(exact.virial))), size = norm(wide(exact.virial));
  std::printf("%s: %g: %.2g, of the promise %.2g\n", of.c_str(), tolerance, error / size,
              error / exact.promise / tolerance);
  EXPECT_LE(error, tolerance * std::min(exact.promise, 10 * size)) << of;
}

std::string name_of(const char* what, const Axes& axes) {
  return std::string(what) + ", axes " + std::to_string(axes[0]) + std::to_string(axes[1]) + std::to_string(axes[2]);
}

class CudaVirial : public GpuTest {};

TEST_F(CudaVirial, EqualsTheSlowSums) {
  Stream random = fresh_stream();
  for (int bits = 0; bits < 8; ++bits) {
    const Axes axes = axes_of(bits);
    const Rows cell = random_cell(random, 0.4);
    Ions all = float_ions(40, cell, 0.2, random);
    if (axes == all_axes) all.q[0] = 3;  // with its background
    const auto slow = sum_pairs(Ewald(cell, axes), vectors(all.x), all.q);
    const double promise = promise_of(slow, all.q, reach_of(vectors(all.x), cell, axes));
    const auto expect_kept = [&](const std::vector<double>& found, double tolerance, const char* what) {
      EXPECT_LE(norm(less(found, slow.virial)), tolerance * promise) << name_of(what, axes);
    };
    const Options fine = virial_on_gpu(cell, axes, 1e-10, Precision::double_);
    const Options rough = virial_on_gpu(cell, axes, 1e-4, Precision::single_);
    Plan on_host(points(all.x), fine);
    expect_kept(on_host.evaluate<double>(all.q).virial, 1e-10, "host arrays");
    EXPECT_EQ(on_host.report().backend, "cuda");
    const Arrays<double> doubles(all, nullptr);
    Plan on_device(doubles.points(), fine);
    expect_kept(doubles.evaluate(on_device).virial, 1e-10, "device arrays");
    const Arrays<float> floats(all, nullptr);
    Plan single(floats.points(), rough);
    expect_kept(floats.evaluate(single).virial, 1e-4, "floats");
    expect_kept(exact_of(all, cell, axes).virial, 1e-10, "backend cpu");
  }
}

/// Several blocks of the cell, trees, both precisions, host and device arrays, either stream.
TEST_F(CudaVirial, EqualsTheHostsForManyIons) {
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Stream random(seed);
  for (int bits = 0; bits < 8; ++bits) {
    const Axes axes = axes_of(bits);
    const Rows cell = random_cell(random, 0.3);
    const Ions all = float_ions(2000, cell, 0.02, random);
    const Exact exact = exact_of(all, cell, axes);
    const Arrays<double> doubles(all, stream);
    for (const double tolerance : {1e-3, 1e-5, 1e-8}) {
      Options o = virial_on_gpu(cell, axes, tolerance, Precision::double_);
      o.method = Method::fmm;
      const auto of_host = Plan(points(all.x), o).evaluate<double>(all.q);
      expect_virial(of_host.virial, exact, tolerance, name_of("host arrays", axes));
      Plan plan(doubles.points(), o);
      EXPECT_EQ(doubles.evaluate(plan).virial, of_host.virial) << name_of("device arrays", axes);
      if (axes == all_axes || axes == no_axes) {  // bounds take open directions to be as long as the cell
        EXPECT_LE(plan.report().memory_bytes, Plan::memory_bound(std::ssize(all.q), 0, o));
      }
    }
    for (const cudaStream_t of : {stream, cudaStream_t(nullptr)}) {
      const Arrays<float> floats(all, of);
      Plan plan(floats.points(), virial_on_gpu(cell, axes, 1e-4, Precision::single_));
      expect_virial(floats.evaluate(plan).virial, exact, 1e-4, name_of("floats", axes));
    }
  }
  require(cudaStreamDestroy(stream));
}

/// As in a run at constant pressure, and over a change of the number of points.
TEST_F(CudaVirial, AfterMovesAndInOtherCells) {
  Stream random = fresh_stream();
  for (int bits = 0; bits < 8; ++bits) {
    const Axes axes = axes_of(bits);
    Rows cell = random_cell(random, 0.3);
    Ions all = float_ions(1000, cell, 0.05, random);
    const Arrays<double> first(all, nullptr);
    Plan plan(first.points(), virial_on_gpu(cell, axes, 1e-7, Precision::double_));
    for (int step = 0; step < 4; ++step) {
      if (step == 3) all = float_ions(3000, cell, 0.05, random);
      for (double& x : all.x) x += random.between(-0.01, 0.01);
      if (bits > 0 && step > 0) {
        std::array<double, 9> numbers{};
        for (std::size_t k = 0; k < 9; ++k) {
          cell[k / 3][k % 3] += random.between(-0.02, 0.02);
          if (axes[k / 3]) numbers[k] = cell[k / 3][k % 3];
        }
        plan.set_cell(numbers);
      }
      const Arrays<double> arrays(all, nullptr);
      plan.move(arrays.points());
      expect_virial(arrays.evaluate(plan).virial, exact_of(all, cell, axes), 1e-7,
                    name_of("step ", axes) + ", " + std::to_string(step));
    }
  }
}

/// Alone and beside other results, of densities, strides and mixed memories: small enough for sanitizers.
TEST_F(CudaVirial, SmallTreesOfEveryKind) {
  Stream random(7);
  for (int bits = 0; bits < 8; ++bits) {
    const Axes axes = axes_of(bits);
    const Rows cell = random_cell(random, 0.3);
    const Ions all = float_ions(150, cell, 0.05, random);
    const Exact exact = exact_of(all, cell, axes);
    std::vector<float> both;
    for (const double scale : {1.0, -2.0})
      for (const double q : all.q) both.insert(both.end(), {static_cast<float>(scale * q), 7, 7});
    Strengths host = strengths(both.data(), std::ssize(all.q), 2);
    host.stride = 3, host.pitch = 3 * host.count;
    const OnDevice<float> copy(both);
    Strengths device = host;
    device.data = copy.data(), device.space = MemorySpace::device;
    Options o = virial_on_gpu(cell, axes, 1e-9, Precision::double_);
    o.scale = 3;
    const Arrays<double> arrays(all, nullptr);
    Plan plan(arrays.points(), o);
    for (const MemorySpace space : {MemorySpace::host, MemorySpace::device})
      for (const Strengths& given : {host, device}) {
        double six[12];
        Outputs alone;
        alone.virial = six, alone.space = space;
        plan.evaluate(given, alone);
        std::vector<double> one, four;
        for (int s = 0; s < 6; ++s) one.push_back(six[s] / 3), four.push_back(six[6 + s] / 12);
        expect_virial(one, exact, 1e-9, name_of("alone", axes));
        expect_virial(four, exact, 1e-9, name_of("of twice the charges", axes));
      }
    o.scale = 1, o.gradient = true;
    Plan with(arrays.points(), o);
    const auto beside = arrays.evaluate(with);
    expect_virial(beside.virial, exact, 1e-9, name_of("beside a gradient", axes));
    o.virial = false;
    Plan without(arrays.points(), o);
    const auto rest = arrays.evaluate(without);
    EXPECT_EQ(beside.gradient, rest.gradient);
    EXPECT_EQ(beside.potential, rest.potential);
  }
}

TEST_F(CudaVirial, OfNothing) {
  for (const Axes& axes : {all_axes, no_axes}) {
    const Options o = virial_on_gpu(box(1, 1, 1), axes, 1e-6, Precision::double_);
    const Arrays<double> nothing(Ions{}, nullptr);
    Plan plan(nothing.points(), o);
    EXPECT_EQ(nothing.evaluate(plan).virial, std::vector<double>(6));
    const Arrays<double> pair({{0, 0, 0, 0.25, 0, 0}, {1, -1}}, nullptr);
    plan.move(pair.points());
    const auto found = pair.evaluate(plan).virial;
    EXPECT_LT(found[0], found[1]);
    if (axes == no_axes) {
      EXPECT_NEAR(found[0], -4, 1e-14);  // r F of one pair
    }
  }
}

/// Softened pairs in open space, and what a plan in host memory refuses.
TEST_F(CudaVirial, OfSoftenedPairsAndRefusals) {
  const Ions pair{{0, 0, 0, 0.3, 0.4, 0}, {2, -1}};
  Options o = virial_on_gpu(box(1, 1, 1), no_axes, 1e-9, Precision::double_);
  o.softening = 0.5;
  const Arrays<double> arrays(pair, nullptr);
  Plan plan(arrays.points(), o);
  const auto w = arrays.evaluate(plan).virial;
  const double strength = -2 / std::pow(0.5, 1.5), expected[] = {0.09, 0.16, 0, 0.12, 0, 0};
  for (std::size_t s = 0; s < 6; ++s) EXPECT_NEAR(w[s], strength * expected[s], 1e-12) << s;
  o.backend = Backend::cpu;
  expect_refusal("pass host memory", [&] { Plan(arrays.points(), o); });
  Plan on_host(points(pair.x), o);
  expect_refusal("use host memory", [&] { arrays.evaluate(on_host); });
}

}  // namespace
}  // namespace farfield::testing
