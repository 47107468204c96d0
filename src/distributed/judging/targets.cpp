#include "distributed/judging/targets.hpp"

#include "judge/truncation.hpp"

namespace farfield::distributed {

double TargetCoordinates::at(int axis, std::int64_t number) const {
  const cpu::SortedPoints& own = own_->target_points();
  if (const std::int64_t i = number - own_->first_target; i >= 0 && i < own.count) return own.axis[axis][i];
  const auto found = std::lower_bound(others_.begin(), others_.end(), number);
  return place_[static_cast<std::size_t>(found - others_.begin())][static_cast<std::size_t>(axis)];
}

std::vector<std::array<double, 3>> places_of(Ranks& ranks, const Owned& own, const std::vector<std::int64_t>& numbers) {
  return from_owners<std::array<double, 3>>(ranks, own, numbers, [&](std::int64_t i) {
    const auto& x = own.target_points().axis;
    return std::array<double, 3>{x[0][i], x[1][i], x[2][i]};
  });
}

static std::vector<int> levels_of(const Share& share) {
  std::vector<int> levels;
  for (const BoxId box : share.essential.mine) levels.push_back(share.essential.tree.level[box]);
  return levels;
}

JudgedTree::JudgedTree(Ranks& ranks, const Share& share, std::int64_t targets)
    : targets_(targets), mine_(share.essential.mine), order_(ranks, levels_of(share)) {
  view_ = share.essential.tree.view();
  for (const Held& held : share.essential.held) begin_.push_back(held.begin), end_.push_back(held.begin + held.count);
  view_.target_begin = begin_.data(), view_.target_end = end_.data();
  coordinates_.own_ = &share.own;
  place_crowds(ranks, share);
}

void JudgedTree::place_crowds(Ranks& ranks, const Share& share) {
  std::vector<std::int64_t> numbers;
  for (const BoxId box : mine_) {
    const BoxTargets targets = targets_in(view_, box);
    for (int j = 0; j < of_crowd && is_crowded(view_.level[box], targets); ++j)
      numbers.push_back(target_of_crowd(targets, j));
  }
  numbers = ranks.gather_all(numbers);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  coordinates_.place_ = places_of(ranks, share.own, numbers);
  coordinates_.others_ = std::move(numbers);
}

BoxId JudgedTree::find(std::int64_t number) const {
  const std::int64_t k = order_.find(number);
  return k < 0 ? no_box : mine_[static_cast<std::size_t>(k)];
}

}  // namespace farfield::distributed
