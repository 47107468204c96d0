#include "distributed/plans/rank_parts.hpp"

#include "distributed/judging/aligned.hpp"
#include "distributed/plans/open_plan.hpp"

namespace farfield::distributed {
namespace {

class RankPoints final : public PartOfPoints {
 public:
  RankPoints(Ranks& ranks, std::int64_t first, std::int64_t count, std::int64_t all)
      : PartOfPoints(first, count, all), ranks_(ranks), pieces_(ranks, count, grain()) {}
  std::span<const double> summed(std::span<const double> own, std::int64_t width,
                                 std::vector<double>& room) const override {
    const std::vector<double> last = pieces_.last_of(ranks_, own.data(), width);
    room.assign(own.begin() + width * pieces_.begin(), own.begin() + width * pieces_.end());
    room.insert(room.end(), last.begin(), last.end());
    return room;
  }

 private:
  Ranks& ranks_;
  Aligned pieces_;
};

class RankNear final : public NearPlan {
 public:
  RankNear(Ranks& ranks, const farfield::Options& options, const Capacity& capacity, RankReport& held)
      : plan_(ranks, options), capacity_(capacity), held_(held) {}
  void move(const NearPoints& points) override {
    plan_.capacity = capacity_;
    plan_.build({points.sources, points.targets, Order::given, false, {}, points.behind});
  }
  void forget() override { plan_.forget(); }
  void evaluate(const Strengths& strengths, const Outputs& outputs) override {
    plan_.sum(strengths, outputs, Order::given);
    held_ = plan_.held();
  }
  const farfield::Report& report() const override { return plan_.report().plan; }

 private:
  OpenPlan plan_;
  const Capacity& capacity_;  ///< of this rank, at the time
  RankReport& held_;
};

}  // namespace

std::unique_ptr<PartOfPoints> RankParts::part(std::int64_t count) const {
  const Begins firsts = begins_of(ranks_.all_gather(count));
  return std::make_unique<RankPoints>(ranks_, firsts[static_cast<std::size_t>(ranks_.rank())], count, firsts.back());
}

FractionRange RankParts::joined(const FractionRange& range) const {
  std::vector<double> least{range.low, -range.high};
  ranks_.least(least);
  return {least[0], -least[1]};
}

std::vector<double> RankParts::exchanged(const std::vector<double>& numbers, const std::vector<std::int64_t>& sent,
                                         const std::vector<std::int64_t>& received) const {
  const Begins sends = begins_of(sent), receives = begins_of(received);
  std::vector<double> arrived(static_cast<std::size_t>(receives.back()));
  ranks_.exchange(numbers.data(), sends, arrived.data(), receives);
  return arrived;
}

/// Those of one rank become those of ranks [first, end), too.
void RankParts::pass_on(std::vector<double>& numbers, int from, int first, int end) const {
  const auto size = static_cast<std::size_t>(ranks_.size());
  std::vector<std::int64_t> sent(size, 0), received(size, 0);
  std::vector<double> copies;
  for (int to = first; ranks_.rank() == from && to < end; ++to) {
    sent[static_cast<std::size_t>(to)] = std::ssize(numbers);
    copies.insert(copies.end(), numbers.begin(), numbers.end());
  }
  const bool takes = first <= ranks_.rank() && ranks_.rank() < end;
  if (takes) received[static_cast<std::size_t>(from)] = std::ssize(numbers);
  std::vector<double> arrived = exchanged(copies, sent, received);
  if (takes) numbers = std::move(arrived);
}

/// From each rank to the next; the last one's sum is that of all. Harmonics of 216 blocks are 300 KB of degree 12: too
/// many to go to all ranks in every turn.
void RankParts::in_turn(std::vector<double>& sum, const Adding& add) const {
  const int last = ranks_.size() - 1;
  for (int turn = 0; turn <= last; ++turn) {
    if (turn == ranks_.rank()) add(sum);
    if (turn < last) pass_on(sum, turn, turn + 1, turn + 2);
  }
  if (last > 0) pass_on(sum, last, 0, last);
}

std::unique_ptr<NearPlan> RankParts::near_plan(const NearPoints& points, const farfield::Options& options) const {
  auto plan = std::make_unique<RankNear>(ranks_, options, capacity_, held_);
  plan->move(points);
  return plan;
}

}  // namespace farfield::distributed
