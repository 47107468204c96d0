// Targets numbered as in one tree over all points: what estimates need of the tree and of single targets, on a rank
// that holds a part of them.
#pragma once
#include <array>

#include "distributed/judging/order.hpp"
#include "distributed/share/share.hpp"

namespace farfield::distributed {

/// Coordinates by a target's number: of this rank's own targets, and of those that stand for crowded boxes of any rank
/// (judge/truncation.hpp). x[axis][number], as of arrays.
class TargetCoordinates {
 public:
  class Axis {
   public:
    Axis(const TargetCoordinates& all, int axis) : all_(all), axis_(axis) {}
    double operator[](std::int64_t number) const { return all_.at(axis_, number); }

   private:
    const TargetCoordinates& all_;
    int axis_;
  };
  Axis operator[](int axis) const { return {*this, axis}; }

 private:
  friend class JudgedTree;
  double at(int axis, std::int64_t number) const;

  const Owned* own_ = nullptr;
  std::vector<std::int64_t> others_;  ///< ascending
  std::vector<std::array<double, 3>> place_;
};

/// value(i) of the own targets' i-th on the rank that owns a target, on all ranks, for targets of these numbers.
template <class T, class Value>
std::vector<T> from_owners(Ranks& ranks, const Owned& own, const std::vector<std::int64_t>& numbers,
                           const Value& value) {
  struct Row {
    std::int64_t at;
    T value;
  };
  std::vector<Row> rows;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (const std::int64_t i = numbers[k] - own.first_target; i >= 0 && i < own.target_points().count)
      rows.push_back({static_cast<std::int64_t>(k), value(i)});
  std::vector<T> all(numbers.size());
  for (const Row& row : ranks.gather_all(rows)) all[static_cast<std::size_t>(row.at)] = row.value;
  return all;
}
/// Scaled coordinates of targets.
std::vector<std::array<double, 3>> places_of(Ranks& ranks, const Owned& own, const std::vector<std::int64_t>& numbers);

/// The essential tree with its targets, those of other ranks too, counted and numbered as in one tree.
class JudgedTree {
 public:
  JudgedTree(Ranks& ranks, const Share& share, std::int64_t targets);
  JudgedTree(const JudgedTree&) = delete;
  const TreeView& view() const { return view_; }
  const TargetCoordinates& coordinates() const { return coordinates_; }
  const BoxOrder& order() const { return order_; }  ///< of the boxes
  std::int64_t targets() const { return targets_; }
  /// This rank's box of a number, in the essential tree, or no_box.
  BoxId find(std::int64_t number) const;

 private:
  void place_crowds(Ranks& ranks, const Share& share);

  std::int64_t targets_;
  const std::vector<BoxId>& mine_;
  BoxOrder order_;
  std::vector<std::int64_t> begin_, end_;  ///< [boxes]: of their targets
  TreeView view_;
  TargetCoordinates coordinates_;
};

}  // namespace farfield::distributed
