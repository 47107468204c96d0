// ComposedPlan: points that repeat, or whose virial is wanted, shared by ranks: each has a sum that is made of another
// plan (plan/repeating/repeating.hpp), of the points that it passed; the other plan is an OpenPlan. A rank owns the
// points that it passed.
#pragma once
#include <optional>

#include "distributed/plans/rank_parts.hpp"
#include "distributed/plans/rank_plan.hpp"
#include "plan/repeating/repeating.hpp"

namespace farfield::distributed {

class ComposedPlan final : public RankPlan {
 public:
  /// `ranks` outlives the plan.
  ComposedPlan(Ranks& ranks, const farfield::Options& options) : ranks_(ranks), options_(options), parts_(ranks) {}
  void build(const Given& given) override;
  void set_cell(const std::array<double, 9>& vectors) override { in_cell_ = with_cell(options_, vectors); }
  void forget() override;
  void evaluate(const Strengths& strengths, const Outputs& outputs, Order order, const WholeArrays& whole) override;
  const Report& report() const override { return report_; }
  std::int64_t count(Set set, Order order) const override;
  std::vector<Origin> origins(Set set) override;
  void carry(const Rows& rows, Set set, Order wanted) override;

 private:
  void check(const farfield::Options& options, const Given& given);
  Backend backend_for(const farfield::Options& options, const Given& given);
  void check(const Strengths& strengths, const Outputs& outputs, Order order);

  Ranks& ranks_;
  farfield::Options options_;
  std::optional<farfield::Options> in_cell_;  ///< those of the next move, where it has another cell
  RankParts parts_;
  std::unique_ptr<Repeating> repeating_;
  std::int64_t sources_ = 0, targets_ = 0;  ///< that this rank was given
  bool alike_ = true;
  Report report_;
};

}  // namespace farfield::distributed
