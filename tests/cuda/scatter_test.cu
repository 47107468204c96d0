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

/// Places of records that several owners have: those of an owner ascend.
struct Owners {
  std::vector<std::uint32_t> place;
  std::vector<std::int64_t> begin;
};
Owners owners_of(std::size_t count, int owners, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::vector<std::uint32_t>> of(static_cast<std::size_t>(owners));
  for (std::uint32_t i = 0; i < count; ++i) {  // the first has most, of many the second none
    const std::size_t owner = random() % 2 ? 0 : random() % of.size();
    of[owner == 1 && owners > 2 ? 0 : owner].push_back(i);
  }
  Owners all{{}, {0}};
  for (const auto& own : of) {
    all.place.insert(all.place.end(), own.begin(), own.end());
    all.begin.push_back(std::ssize(all.place));
  }
  return all;
}

template <class T>
std::vector<T> values_of(const cuda::DeviceArray<T>& array) {
  std::vector<T> host(static_cast<std::size_t>(array.size()));
  cuda::download(host.data(), array.data(), array.size(), nullptr);
  cuda::require(cudaDeviceSynchronize(), "download");
  return host;
}

template <class T>
void fill(cuda::DeviceArray<T>& array, std::int64_t size) {
  array.resize(size);
  cuda::require(cudaMemset(array.data(), 0xff, static_cast<std::size_t>(size) * sizeof(T)), "cudaMemset");
}

/// Results in the order of a tree, which `order` leads to records whose places among the caller's are `place`.
template <class Real>
struct Sorted {
  cuda::DeviceArray<std::uint32_t> order;
  cuda::DeviceArray<Real> part[most_parts];
  SortedResults<Real> results{{}, {Factor(2, 0), Factor(2, 0), Factor(2, 0)}};
  Sorted(const std::vector<std::uint32_t>& of_tree, const std::vector<std::uint32_t>& place, int parts) {
    cuda::upload(order, of_tree.data(), std::ssize(of_tree), nullptr);
    for (int e = 0; e < parts; ++e) {
      std::vector<Real> values;
      for (const std::uint32_t record : of_tree) values.push_back(static_cast<Real>(expected(place[record], e)));
      cuda::upload(part[e], values.data(), std::ssize(values), nullptr);
      results.result.part[e] = part[e].data();
    }
  }
};

/// Records of several owners as ranks send them, and from there into the caller's order. The records of all but one
/// have their places when that is said, though not yet all of the others where there are many; they come in parts.
template <class Real, class T>
void run_by_records(std::int64_t count, int parts, int owners) {
  const Owners all = owners_of(static_cast<std::size_t>(count), owners, 4);
  const Sorted<Real> sorted(shuffled(static_cast<std::size_t>(count), 3), all.place, parts);
  cuda::DeviceMemory memory;
  cuda::DeviceArray<std::uint32_t> places(memory);
  cuda::upload(places, all.place.data(), count, nullptr);
  cuda::Scatter scatter(memory);
  cuda::Merge merge(memory);
  cuda::DeviceArray<T> records(memory), coming(memory), potential(memory), gradient(memory), hessian(memory);
  potential.resize(count), gradient.resize(3 * count), hessian.resize(6 * count);
  for (const bool hessians : {false, true}) {
    if (hessians && parts != with_hessian) continue;
    const int numbers = hessians ? 6 : cuda::Scatter::numbers_of_record(parts), first_part = hessians ? 4 : 0;
    fill(records, numbers * count);
    int told = 0;
    const auto others_are_placed = [&] {
      ++told;
      const std::vector<T> found = values_of(records);
      std::int64_t wrong = 0, missing = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const T number = found[static_cast<std::size_t>(numbers * i)];
        const bool right =
            static_cast<double>(number) == 2 * expected(all.place[static_cast<std::size_t>(i)], first_part);
        (i < all.begin[1] ? missing : wrong) += !right;
      }
      EXPECT_EQ(wrong, 0) << count << " records of " << numbers << " numbers";
      if (count * numbers * std::int64_t(sizeof(T)) > std::int64_t(1) << 25) {
        EXPECT_GT(missing, 0) << "all in one turn";
      }
    };
    scatter.place(sorted.results, sorted.order.data(), count,
                  {records.data(), scalar_of<T>, hessians, {{0, all.begin[1]}}, others_are_placed}, nullptr, {});
    EXPECT_EQ(told, 1);
    fill(coming, numbers * count);
    std::vector<cuda::Merge::Run> runs;
    for (int r = 0; r < owners; ++r) {
      const std::int64_t first = all.begin[static_cast<std::size_t>(r)];
      runs.push_back({(r == 0 ? records : coming).data() + numbers * first, first,
                      all.begin[static_cast<std::size_t>(r) + 1] - first, r != 0});
    }
    const int in_parts = owners == 2 ? 1 : 3;
    merge.prepare(runs, owners > 1 ? places.data() : nullptr, count, in_parts, nullptr);
    for (int p = 0; p < in_parts; ++p) {
      const cuda::Part part{p, in_parts};
      for (const cuda::Merge::Run& run : runs) {
        const std::int64_t before = part.before().end(run.count), at = numbers * (run.first + before);
        const auto bytes = static_cast<std::size_t>(numbers * (part.end(run.count) - before)) * sizeof(T);
        if (run.in_parts)
          cuda::require(cudaMemcpy(coming.data() + at, records.data() + at, bytes, cudaMemcpyDefault), "copy");
      }
      merge({parts, scalar_of<T>, hessians}, {potential.data(), parts > 1 ? gradient.data() : nullptr, hessian.data()},
            part, nullptr);
    }
  }
  expect_numbers(potential, 0, count, 0, 1);
  if (parts > 1) expect_numbers(gradient, 0, count, 1, 3);
  if (parts == with_hessian) expect_numbers(hessian, 0, count, 4, 6);
}

TEST_F(CudaScatter, ByRecords) {
  for (const std::int64_t count : {1, 257, 100'003, 3'000'000})
    for (const int owners : {1, 2, 5, 20})
      for (const int parts : {1, int(with_gradient), int(with_hessian)}) {
        if (count > 1'000'000 && owners == 5) continue;
        run_by_records<float, float>(count, parts, owners);
        run_by_records<float, double>(count, parts, owners);
        run_by_records<double, double>(count, parts, owners);
      }
}

/// Places for which nobody waits before, between and behind the others, or nowhere.
TEST_F(CudaScatter, RecordsInTurns) {
  constexpr std::int64_t count = (std::int64_t(1) << 22) + 12'345;
  const std::vector<std::uint32_t> order = shuffled(count, 5);
  std::vector<std::uint32_t> place(count);
  std::iota(place.begin(), place.end(), 0u);
  const Sorted<float> sorted(order, place, with_gradient);
  cuda::DeviceMemory memory;
  cuda::Scatter scatter(memory);
  cuda::DeviceArray<float> records(memory);
  using Ranges = std::vector<cuda::Scatter::Range>;
  for (const Ranges& later : {Ranges{}, Ranges{{0, count}}, Ranges{{count / 3, count / 2}},
                              Ranges{{0, count / 3}, {count / 2, count}}, Ranges{{100, 200}}}) {
    fill(records, 4 * count);
    int told = 0;
    const auto others_are_placed = [&] {
      ++told;
      const std::vector<float> found = values_of(records);
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const bool waits = std::any_of(later.begin(), later.end(),
                                       [i](const auto& range) { return range.first <= i && i < range.end; });
        wrong += !waits && static_cast<double>(found[static_cast<std::size_t>(4 * i)]) != 2 * expected(i, 0);
      }
      EXPECT_EQ(wrong, 0) << later.size() << " ranges";
    };
    scatter.place(sorted.results, sorted.order.data(), count,
                  {records.data(), Scalar::float32, false, later, others_are_placed}, nullptr, {});
    EXPECT_EQ(told, 1);
    const std::vector<float> found = values_of(records);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < count; ++i)
      for (int e = 0; e < 4; ++e)
        wrong += static_cast<double>(found[static_cast<std::size_t>(4 * i + e)]) != 2 * expected(i, e);
    EXPECT_EQ(wrong, 0) << later.size() << " ranges";
  }
}

}  // namespace
}  // namespace farfield::testing
