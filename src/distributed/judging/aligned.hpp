// Aligned: pieces of so many points each, in the order of one tree over all of them. A rank sums the pieces whose first
// points it owns; the points that it lacks of the last one come from the ranks behind it.
#pragma once
#include "distributed/ranks.hpp"

namespace farfield::distributed {

class Aligned {
 public:
  Aligned() = default;
  /// `owned`: of this rank.
  Aligned(Ranks& ranks, std::int64_t owned, std::int64_t grain);

  /// This rank's points that lie in whole pieces of its own, from its first one on: [begin, end).
  std::int64_t begin() const { return begin_; }
  std::int64_t end() const { return end_; }
  /// The points of its last piece, which reaches to those of other ranks; none if there is no such piece.
  std::int64_t last() const { return received_.empty() ? 0 : own_ + received_.back(); }

  /// Of the points of the last piece `width` numbers each; `own`: of this rank's points.
  template <class T>
  std::vector<T> last_of(Ranks& ranks, const T* own, std::int64_t width = 1) const {
    std::vector<T> piece(static_cast<std::size_t>(width * last()));
    if (own_ > 0) std::copy_n(own + width * end_, width * own_, piece.begin());
    ranks.exchange(own, sent_, piece.data() + width * own_, received_, width);
    return piece;
  }

 private:
  std::int64_t begin_ = 0, end_ = 0, own_ = 0;
  Begins sent_, received_;
};

}  // namespace farfield::distributed
