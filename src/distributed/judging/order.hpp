// BoxOrder: boxes of which every rank holds some, in the order of one tree over all points: by level, those of a level
// rank by rank. A sum over all boxes has the bits of one plan only if it adds them up in that order; so their terms go
// to all ranks, some at a time, and each adds all of them.
#pragma once
#include <vector>

#include "distributed/ranks.hpp"
#include "tree/tree.hpp"

namespace farfield::distributed {

class BoxOrder {
 public:
  BoxOrder() = default;
  /// `level`: of each of this rank's boxes, ascending.
  BoxOrder(Ranks& ranks, const std::vector<int>& level);

  std::int64_t count() const { return begin_.back(); }  ///< of all ranks
  int levels() const { return levels_; }
  /// Boxes of all ranks before those of a level.
  std::int64_t level_begin(int level) const { return begin_[static_cast<std::size_t>(level * ranks_)]; }
  int level_of(std::int64_t number) const;
  /// The number of this rank's k-th box among all, and k of a number, or -1.
  std::int64_t number(std::size_t k) const { return number_[k]; }
  std::int64_t find(std::int64_t number) const;

  /// Calls body(number, term) for the boxes of all ranks in their order; `terms`: of this rank's boxes.
  template <class T, class Body>
  void each(Ranks& ranks, const std::vector<T>& terms, const Body& body) const {
    for (std::int64_t first = 0; first < count(); first += at_once) {
      const std::int64_t end = std::min(count(), first + at_once);
      const std::vector<T> all = gather(ranks, terms, first, end);
      std::size_t i = 0;
      for (std::int64_t number = first; number < end; ++number) body(number, all[i++]);
    }
  }

 private:
  static constexpr std::int64_t at_once = 1 << 16;

  /// Those of the boxes [first, end).
  template <class T>
  std::vector<T> gather(Ranks& ranks, const std::vector<T>& terms, std::int64_t first, std::int64_t end) const {
    const auto low = std::lower_bound(number_.begin(), number_.end(), first) - number_.begin(),
               high = std::lower_bound(number_.begin(), number_.end(), end) - number_.begin();
    const std::vector<T> rows = ranks.gather_all(std::vector<T>(terms.begin() + low, terms.begin() + high));
    std::vector<T> all(static_cast<std::size_t>(end - first));
    std::vector<std::int64_t> next = begins_within(first, end);
    for (std::size_t s = 0; s + 1 < begin_.size(); ++s) {
      const std::int64_t from = std::max(first, begin_[s]), to = std::min(end, begin_[s + 1]);
      if (from >= to) continue;
      std::int64_t& row = next[s % static_cast<std::size_t>(ranks_)];
      std::copy_n(rows.begin() + row, to - from, all.begin() + (from - first));
      row += to - from;
    }
    return all;
  }
  /// Where the rows of each rank begin, of the boxes [first, end).
  std::vector<std::int64_t> begins_within(std::int64_t first, std::int64_t end) const;

  int levels_ = 0, ranks_ = 1;
  Begins begin_{0};                   ///< [levels * ranks + 1]: the first box of each level and rank
  std::vector<std::int64_t> number_;  ///< of this rank's boxes
};

}  // namespace farfield::distributed
