// AllPairs: where all pairs are summed there are few points as a rule. Every rank gets all of them and sums what one
// plan would sum, of which it delivers its own part.
#pragma once
#include "distributed/evaluation/result_sets.hpp"
#include "distributed/evaluator.hpp"

namespace farfield::distributed {

class AllPairs final : public Evaluator {
 public:
  /// Of points in the order of the ranks, which are still to come; `at_sources`: see RankPlaced; `behind`, which
  /// outlives this: Given::behind of these.
  AllPairs(Ranks& ranks, const Decision& decision, int threads, bool at_sources, const std::int64_t& behind);
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
  /// Interleaved points of all ranks, and their softening lengths, if they have some.
  struct PointsOfAll {
    std::vector<double> x, length;
    void append(const PointsOfAll& other) {
      x.insert(x.end(), other.x.begin(), other.x.end());
      length.insert(length.end(), other.length.begin(), other.length.end());
    }
    Points view(bool lengths) const {
      Points all = points(x);
      if (lengths) all.softening = length.data();
      return all;
    }
  };
  /// Of those from `first` on so many of each rank.
  PointsOfAll points_of_all(const Points& given, std::int64_t first, std::int64_t count) const;

  AllPairs(const AllPairs& other, std::unique_ptr<Evaluator> pairs);
  /// `given`: sources of this rank.
  Carrier source_carrier(std::int64_t given) const;
  std::vector<ResultSet> sets(std::int64_t given, const Delivery& delivery) const;
  template <class Put>
  std::vector<double> rows_of_all(const Carrier& carrier, std::int64_t width, const Put& put) const;
  /// The same for each vector, one behind the other: [vectors][sources][width], written by put(vector, index, double*).
  template <class Put>
  std::vector<double> vectors_of_all(const Strengths& given, std::int64_t width, const Put& put) const;
  void find_selves();
  template <class T>
  void deliver(const std::vector<T>& all, std::int64_t vectors, std::int64_t width, const ResultSet& set,
               void* to) const;
  template <class T>
  std::vector<Quality> evaluate_in(const Strengths& strengths, const Delivery& delivery, farfield::Report& report);

  Ranks& ranks_;
  std::shared_ptr<RankPlaced> placed_;  ///< null: in the order of the ranks
  bool at_sources_ = false;
  const std::int64_t* given_behind_ = nullptr;
  std::int64_t first_target_ = 0;  ///< of this rank's results among all, in the order of the sums
  /// Of those targets, this rank's last ones, that stand behind the targets of all ranks: the sources where results are
  /// wanted at these, too.
  struct Behind {
    std::int64_t first, count;
  };
  std::optional<Behind> behind_;
  std::int64_t results_ = 0;  ///< of all ranks
  Selves selves_;
  std::vector<std::uint32_t> source_numbers_, target_numbers_;  ///< Selves::source and target, of a tree's points
  std::unique_ptr<Evaluator> pairs_;
};

}  // namespace farfield::distributed
