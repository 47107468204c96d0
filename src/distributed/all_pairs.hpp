// AllPairs: where all pairs are summed there are few points as a rule. Every rank gets all of them and sums what one
// plan would sum, of which it delivers its own part.
#pragma once
#include "distributed/evaluation/result_sets.hpp"
#include "distributed/evaluator.hpp"

namespace farfield::distributed {

class AllPairs final : public Evaluator {
 public:
  /// Of points in the order of the ranks, which are still to come; `at_sources`: see RankPlaced.
  AllPairs(Ranks& ranks, const Decision& decision, int threads, bool at_sources);
  /// Of those of a tree, in its order: for a sum by expansions that does not keep the tolerance.
  AllPairs(std::shared_ptr<RankPlaced> placed, const Decision& decision, int threads);

  bool adopt(const Decision& decision) override { return !placed_ && pairs_->adopt(decision); }
  void use_threads(int threads) override { pairs_->use_threads(threads); }
  void build(const Points& sources, const Points* targets, const Geometry& geometry, farfield::Report& report) override;
  std::vector<Quality> evaluate(const Strengths& strengths, const Delivery& delivery,
                                farfield::Report& report) override;
  const Decision& decision() const override { return pairs_->decision(); }
  std::unique_ptr<Evaluator> again(const Decision& decision, farfield::Report& report) override;

 private:
  AllPairs(const AllPairs& other, std::unique_ptr<Evaluator> pairs);
  /// `given`: sources of this rank.
  Carrier source_carrier(std::int64_t given) const;
  std::vector<ResultSet> sets(std::int64_t given, const Delivery& delivery) const;
  template <class Put>
  std::vector<double> rows_of_all(const Carrier& carrier, std::int64_t width, const Put& put) const;
  std::vector<double> strengths_of_all(const Strengths& given) const;
  template <class T>
  void deliver(const std::vector<T>& all, std::int64_t vectors, std::int64_t width, const ResultSet& set,
               void* to) const;
  template <class T>
  std::vector<Quality> evaluate_in(const Strengths& strengths, const Delivery& delivery, farfield::Report& report);

  Ranks& ranks_;
  std::shared_ptr<RankPlaced> placed_;  ///< null: in the order of the ranks
  bool at_sources_ = false;
  std::int64_t first_target_ = 0;             ///< of this rank's results among all, in the order of the sums
  std::optional<std::int64_t> first_source_;  ///< of those at the sources, where targets are apart and this rank's
                                              ///< points in the order of the ranks
  std::int64_t results_ = 0;                  ///< of all ranks
  std::unique_ptr<Evaluator> pairs_;
};

}  // namespace farfield::distributed
