// Whole arrays of a caller, summed by one plan and by a plan over several devices.
#pragma once
#include <gtest/gtest.h>

#include <farfield/devices_plan.hpp>
#include <farfield/plan.hpp>

#include "distributed/clouds.hpp"
#include "distributed/reports.hpp"

namespace farfield::testing {

/// Strengths with numbers between them that are none: every second one, and five behind each vector.
class Spaced {
 public:
  Spaced(std::int64_t count, std::int64_t vectors, std::uint64_t seed)
      : count_(count), vectors_(vectors), numbers_(static_cast<std::size_t>(vectors * pitch()), 1e300) {
    const std::vector<double> q = strengths_for(static_cast<std::size_t>(count * vectors), seed);
    for (std::int64_t v = 0; v < vectors; ++v)
      for (std::int64_t i = 0; i < count; ++i) at(v, i) = q[static_cast<std::size_t>(v * count + i)];
  }
  double& at(std::int64_t v, std::int64_t i) { return numbers_[static_cast<std::size_t>(v * pitch() + 2 * i)]; }
  Strengths view() const { return {numbers_.data(), count_, vectors_, 2, pitch()}; }

 private:
  std::int64_t pitch() const { return 2 * count_ + 5; }
  std::int64_t count_, vectors_;
  std::vector<double> numbers_;
};

/// All results that a plan of these options gives.
template <class T>
struct Everything {
  std::vector<T> potential, gradient, source_potential, source_gradient;
  bool operator==(const Everything&) const = default;

  template <class AnyPlan>
  static Everything of(AnyPlan& plan, const Strengths& q, const Options& o, bool apart) {
    const auto at = static_cast<std::size_t>(plan.target_count() * q.vectors),
               from = static_cast<std::size_t>(o.at_sources && apart ? q.count * q.vectors : 0);
    Everything all{std::vector<T>(at), std::vector<T>(o.gradient ? 3 * at : 0), std::vector<T>(from),
                   std::vector<T>(o.gradient ? 3 * from : 0)};
    Outputs outputs;
    outputs.scalar = scalar_of<T>;
    const auto give = [](std::vector<T>& array, void*& output) { output = array.empty() ? nullptr : array.data(); };
    give(all.potential, outputs.potential), give(all.gradient, outputs.gradient);
    give(all.source_potential, outputs.source_potential), give(all.source_gradient, outputs.source_gradient);
    plan.evaluate(q, outputs);
    return all;
  }
};

inline std::vector<int> first_device(int ranks) { return std::vector<int>(static_cast<std::size_t>(ranks), 0); }

/// The bits of one plan, for these numbers of ranks. `targets` null: the sources. Returns the report of one plan.
template <class T>
Report expect_as_one_plan(const std::vector<double>& x, const std::vector<double>* targets, const Spaced& q,
                          const Options& o, const std::vector<int>& ranks) {
  Plan one = targets ? Plan(points(x), points(*targets), o) : Plan(points(x), o);
  const auto expected = Everything<T>::of(one, q.view(), o, targets);
  for (const int count : ranks) {
    SCOPED_TRACE(std::to_string(count) + " ranks");
    const std::vector<int> devices = first_device(count);
    distributed::DevicesPlan plan = targets ? distributed::DevicesPlan(points(x), points(*targets), devices, o)
                                            : distributed::DevicesPlan(points(x), devices, o);
    const auto found = Everything<T>::of(plan, q.view(), o, targets);
    EXPECT_TRUE(found.potential == expected.potential);
    EXPECT_TRUE(found.gradient == expected.gradient);
    EXPECT_TRUE(found.source_potential == expected.source_potential);
    EXPECT_TRUE(found.source_gradient == expected.source_gradient);
    EXPECT_EQ(plan.report().ranks.size(), devices.size());
    EXPECT_EQ(plan.report().plan.method, one.report().method);
    EXPECT_EQ(plan.report().plan.near_pairs, one.report().near_pairs);
    EXPECT_EQ(plan.report().plan.warnings, one.report().warnings);
  }
  return one.report();
}
/// The same with random strengths.
template <class T>
Report expect_as_one_plan(const std::vector<double>& x, const std::vector<double>* targets, std::int64_t vectors,
                          const Options& o, const std::vector<int>& ranks) {
  return expect_as_one_plan<T>(x, targets, Spaced(std::ssize(x) / 3, vectors, fresh_seed()), o, ranks);
}

}  // namespace farfield::testing
