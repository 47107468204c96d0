// OpenPlan: points that do not repeat, shared by ranks. What all ranks settle together, and what each of them does.
#pragma once
#include "distributed/evaluation/placed.hpp"
#include "distributed/partition/room.hpp"
#include "distributed/plans/rank_plan.hpp"
#include "model/choose.hpp"
#include "plan/repeat.hpp"

namespace farfield::distributed {

class OpenPlan final : public RankPlan {
 public:
  /// `ranks` outlives the plan.
  OpenPlan(Ranks& ranks, const farfield::Options& options);
  void build(const Given& given) override;
  void set_cell(const std::array<double, 9>& vectors) override;
  void forget() override { evaluators_.forget(); }
  void evaluate(const Strengths& strengths, const Outputs& outputs, Order order, const WholeArrays& whole) override;
  const Report& report() const override { return report_; }
  std::int64_t count(Set set, Order order) const override;
  std::vector<Origin> origins(Set set) override;
  void carry(const Rows& rows, Set set, Order wanted) override;

  /// As evaluate, without the accounts of the ranks.
  void sum(const Strengths& given, const Outputs& outputs, Order order, const WholeArrays& whole = {});
  /// What this rank holds.
  RankReport held() const;

 private:
  struct Prepared;
  struct OfAny;
  struct Asked;
  void lose_points();
  std::unique_ptr<Evaluator> make(const Decision& decision, int threads);
  OfAny require_alike(const Given& given);
  Geometry survey(Prepared& points, const farfield::Options& options, const Machine& machine, int threads);
  void bound_by_rooms(OfAny& of_any, const Decision& decision, const Geometry& geometry) const;
  Machine machine_of(const farfield::Options& options, bool any_on_device);
  Decision choose_alike(const farfield::Options& options, const Geometry& geometry, const Machine& machine);
  void check_outputs(const Outputs& outputs) const;
  void check_strengths(const Strengths& strengths, Order order) const;
  static Strengths with_same_moments(Strengths strengths, const std::vector<Asked>& all);
  void require_points() const;
  Carrier carrier(Set set) const;

  Ranks& ranks_;
  farfield::Options options_;           ///< as given
  std::shared_ptr<RankPlaced> placed_;  ///< of the evaluators; null where all pairs are summed
  Evaluators evaluators_;
  std::int64_t sources_ = 0, targets_ = 0;  ///< that this rank was given
  std::int64_t of_all_ = 0;                 ///< points of all ranks
  Backend backend_ = Backend::cpu;          ///< of the sums
  std::vector<DeviceRoom> rooms_;           ///< of all ranks, before the first build; none on the CPU
  std::shared_ptr<void> surveys_;           ///< what the backend keeps from one survey to the next
  std::int64_t behind_ = -1;                ///< see Given
  bool alike_ = true;
  bool built_ = false;
  Report report_;
};

}  // namespace farfield::distributed
