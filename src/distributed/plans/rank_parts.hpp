// RankParts: points that ranks hold, each some, in a sum that is made of another plan (plan/repeating/point_parts.hpp):
// what is asked of all of them, and that plan.
#pragma once
#include "distributed/ranks.hpp"
#include "plan/repeating/point_parts.hpp"

namespace farfield::distributed {

class RankParts final : public PointParts {
 public:
  explicit RankParts(Ranks& ranks) : ranks_(ranks) {}
  bool alone() const override { return ranks_.size() == 1; }
  std::size_t rank() const override { return static_cast<std::size_t>(ranks_.rank()); }
  std::unique_ptr<PartOfPoints> part(std::int64_t count) const override;
  FractionRange joined(const FractionRange& range) const override;
  std::int64_t sum(std::int64_t number) const override { return ranks_.sum_of(number); }
  std::vector<double> gathered(std::vector<double> numbers) const override { return ranks_.gather_all(numbers); }
  std::vector<std::int64_t> counts_of_all(const std::vector<std::int64_t>& counts) const override {
    return ranks_.all_gather(counts.data(), counts.size());
  }
  std::vector<double> exchanged(const std::vector<double>& numbers, const std::vector<std::int64_t>& sent,
                                const std::vector<std::int64_t>& received) const override;
  void in_turn(std::vector<double>& sum, const Adding& add) const override;
  std::unique_ptr<NearPlan> near_plan(const NearPoints& points, const farfield::Options& options) const override;
  void set_capacity(const Capacity& capacity) { capacity_ = capacity; }
  /// What this rank held in the last evaluation of a near plan.
  const RankReport& held() const { return held_; }

 private:
  void pass_on(std::vector<double>& numbers, int from, int first, int end) const;

  Ranks& ranks_;
  Capacity capacity_;
  mutable RankReport held_;
};

}  // namespace farfield::distributed
