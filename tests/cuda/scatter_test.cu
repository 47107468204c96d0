// Results into the caller's order: every path of Scatter, exactly.
#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/transfer/scatter.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

class CudaScatter : public GpuTest {};

/// What number e of the result at `index` shall be: whole, so that float holds it.
double expected(std::int64_t index, int e) { return static_cast<double>((index * most_parts + e) % 16'000'057); }

template <class Real, class T>
struct Case {
  std::int64_t count, split;  ///< of them in the first set
  bool gradient;
  bool first_potential = true, second_gradient = true;  ///< wanted?
  bool hessian = false;
};

std::vector<std::uint32_t> shuffled(std::size_t count, unsigned seed) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

template <class T>
void expect_numbers(const cuda::DeviceArray<T>& found, std::int64_t first, std::int64_t count, int e, int numbers) {
  std::vector<T> host(static_cast<std::size_t>(found.size()));
  cuda::download(host.data(), found.data(), found.size(), nullptr);
  cuda::require(cudaDeviceSynchronize(), "scatter");
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < count; ++i)
    for (int k = 0; k < numbers; ++k)
      wrong += static_cast<double>(host[static_cast<std::size_t>(numbers * i + k)]) != 2 * expected(first + i, e + k);
  EXPECT_EQ(wrong, 0) << count << " results of " << numbers << " numbers";
}

template <class Real, class T>
void run(const Case<Real, T>& c) {
  const auto n = static_cast<std::size_t>(c.count);
  const std::vector<std::uint32_t> order = shuffled(n, 3);
  cuda::DeviceMemory memory;
  cuda::DeviceArray<std::uint32_t> on_device(memory);
  cuda::upload(on_device, order.data(), c.count, nullptr);
  cuda::DeviceArray<Real> sorted[most_parts];
  for (int e = 0; e < parts_with(c.gradient, true, c.hessian); ++e) {
    std::vector<Real> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<Real>(expected(order[i], e));
    cuda::upload(sorted[e], values.data(), c.count, nullptr);
  }
  const std::int64_t rest = c.count - c.split;
  cuda::DeviceArray<T> potential, gradient, source_potential, source_gradient, hessian, source_hessian;
  if (c.first_potential) potential.resize(c.split);
  if (c.gradient) gradient.resize(3 * c.split);
  source_potential.resize(rest);
  if (c.gradient && c.second_gradient) source_gradient.resize(3 * rest);
  if (c.hessian) hessian.resize(6 * c.split), source_hessian.resize(6 * rest);
  Delivery delivery;
  delivery.outputs = {
      potential.data(),    gradient.data(), source_potential.data(), source_gradient.data(), scalar_of<T>,
      MemorySpace::device, nullptr};
  delivery.outputs.hessian = hessian.data(), delivery.outputs.source_hessian = source_hessian.data();
  delivery.split = c.split;
  SortedResults<Real> results{{}, {Factor(2, 0), Factor(2, 0), Factor(2, 0)}};
  for (int e = 0; e < most_parts; ++e) results.result.part[e] = sorted[e].data();
  cuda::Scatter scatter(memory);
  for (int again = 0; again < 2; ++again) scatter(results, 0, on_device.data(), c.count, delivery, nullptr);
  if (c.first_potential) expect_numbers(potential, 0, c.split, 0, 1);
  expect_numbers(source_potential, c.split, rest, 0, 1);
  if (c.gradient) expect_numbers(gradient, 0, c.split, 1, 3);
  if (c.gradient && c.second_gradient) expect_numbers(source_gradient, c.split, rest, 1, 3);
  if (c.hessian) expect_numbers(hessian, 0, c.split, 4, 6), expect_numbers(source_hessian, c.split, rest, 4, 6);
}

TEST_F(CudaScatter, AtOnce) {
  for (const std::int64_t count : {1, 31, 256, 257, 100'003})
    for (const bool gradient : {false, true}) {
      run<float, float>({count, count / 3, gradient});
      run<float, double>({count, count, gradient});
      run<double, double>({count, 0, gradient});
    }
  run<float, float>({5'001, 2'000, true, false, true});
  run<float, float>({5'001, 2'000, true, true, false});
}

TEST_F(CudaScatter, InGroups) {
  run<float, float>({2'000'003, 1'500'000, true});
  run<double, double>({1'048'577, 1'048'577, true});
  run<float, float>({(1 << 22) * 3 / 2 + 1, 77, false});
  run<float, float>({3'000'000, 1'000'000, true, false, false});
}

TEST_F(CudaScatter, Hessians) {
  for (const std::int64_t count : {1, 257, 100'003, 3'000'000}) {
    run<float, float>({count, count / 3, true, true, true, true});
    run<float, double>({count, count, true, true, true, true});
    run<double, double>({count, 0, true, true, true, true});
  }
}

TEST_F(CudaScatter, InSlabs) { run<float, float>({(1 << 24) + 300'001, 1 << 24, true}); }

/// Records in one order, and their numbers in another, part by part, as ranks send them.
template <class Real, class T>
void run_by_records(std::int64_t count, int parts) {
  const auto n = static_cast<std::size_t>(count);
  const std::vector<std::uint32_t> order = shuffled(n, 3), place = shuffled(n, 4);
  cuda::DeviceMemory memory;
  cuda::DeviceArray<std::uint32_t> orders(memory), places(memory);
  cuda::upload(orders, order.data(), count, nullptr), cuda::upload(places, place.data(), count, nullptr);
  SortedResults<Real> results{{}, {Factor(2, 0), Factor(2, 0), Factor(2, 0)}};
  cuda::DeviceArray<Real> sorted[most_parts];
  for (int e = 0; e < parts; ++e) {
    std::vector<Real> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<Real>(expected(place[order[i]], e));
    cuda::upload(sorted[e], values.data(), count, nullptr);
    results.result.part[e] = sorted[e].data();
  }
  cuda::Scatter scatter(memory);
  const std::int64_t numbers = cuda::Scatter::numbers_of_record(parts);
  cuda::DeviceArray<T> records(memory), hessians(memory), potential(memory), gradient(memory), hessian(memory);
  records.resize(numbers * count), hessians.resize(6 * count);
  potential.resize(count), gradient.resize(3 * count), hessian.resize(6 * count);
  scatter.place(results, orders.data(), count, scalar_of<T>, {records.data(), hessians.data()}, nullptr, {});
  for (const auto& [first, end] : {std::pair(std::int64_t(0), count / 3), std::pair(count / 3, count)})
    scatter.put({records.data() + numbers * first, parts == with_hessian ? hessians.data() + 6 * first : nullptr},
                parts, scalar_of<T>, places.data() + first, end - first,
                {potential.data(), parts > 1 ? gradient.data() : nullptr, hessian.data()}, nullptr);
  expect_numbers(potential, 0, count, 0, 1);
  if (parts > 1) expect_numbers(gradient, 0, count, 1, 3);
  if (parts == with_hessian) expect_numbers(hessian, 0, count, 4, 6);
}

TEST_F(CudaScatter, ByRecords) {
  for (const std::int64_t count : {1, 257, 100'003, 3'000'000})
    for (const int parts : {1, int(with_gradient), int(with_hessian)}) {
      run_by_records<float, float>(count, parts);
      run_by_records<float, double>(count, parts);
      run_by_records<double, double>(count, parts);
    }
}

}  // namespace
}  // namespace farfield::testing
