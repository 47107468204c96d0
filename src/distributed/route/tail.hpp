// Tail: a rank's last points and the first ones of the ranks behind it, as many as a block of a sum that begins among
// the rank's points may reach to.
#pragma once
#include "distributed/ranks.hpp"

namespace farfield::distributed {

class Tail {
 public:
  /// `owned`: points of this rank; `most`: of its own points in the tail, and of those behind.
  Tail(Ranks& ranks, std::int64_t owned, std::int64_t most);

  std::int64_t first() const { return first_; }  ///< which of the own points the tail begins with
  /// Numbers of the points of the tail; `own`: of this rank's points.
  template <class T>
  std::vector<T> of(Ranks& ranks, const T* own) const {
    std::vector<T> out, tail(static_cast<std::size_t>(owned_ - first_ + received_.back()));
    for (const std::int64_t count : counts_) out.insert(out.end(), own, own + count);
    std::copy(own + first_, own + owned_, tail.begin());
    ranks.exchange(out.data(), begins_of(counts_), tail.data() + (owned_ - first_), received_);
    return tail;
  }

 private:
  std::int64_t owned_, first_;
  std::vector<std::int64_t> counts_;  ///< of the rank's first points that go to each other rank
  Begins received_;
};

}  // namespace farfield::distributed
