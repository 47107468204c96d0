// Carrier: brings rows of a caller's arrays into the order of the tree of a rank's own points, and back. In the given
// order they travel (route.hpp); in the owned order, which is that of the tree, they are there already.
#pragma once
#include "distributed/route/route.hpp"

namespace farfield::distributed {

class Carrier {
 public:
  /// Of `count` points that are where the sums want them, in their order.
  explicit Carrier(std::int64_t count) : count_(count) {}
  /// `sorted`: for each of `count` own points in the order of the tree, which of those that arrived it is.
  Carrier(Order order, const Route& route, const std::uint32_t* sorted, std::int64_t count)
      : route_(order == Order::given ? &route : nullptr), sorted_(sorted), count_(count) {}

  std::int64_t count() const { return count_; }
  /// `width` numbers for each of the caller's points, written by put(index, T*): [own points][width].
  template <class T, class Put>
  std::vector<T> to_tree(Ranks& ranks, std::int64_t width, const Put& put, int threads = 1) const {
    std::vector<T> rows(static_cast<std::size_t>(count_ * width));
    if (!route_) {
      for_rows(count_, threads, [&](std::int64_t i) { put(i, rows.data() + i * width); });
      return rows;
    }
    const std::vector<T> arrived = route_->to_owners<T>(ranks, width, put, threads);
    for_rows(count_, threads,
             [&](std::int64_t i) { std::copy_n(arrived.data() + sorted_[i] * width, width, rows.data() + i * width); });
    return rows;
  }

  /// `rows`: [own points][width], in the order of the tree. Calls take(index, const T*) for each of the caller's
  /// points.
  template <class T, class Take>
  void to_caller(Ranks& ranks, std::int64_t width, const T* rows, const Take& take, int threads = 1) const {
    if (!route_) {
      for_rows(count_, threads, [&](std::int64_t i) { take(i, rows + i * width); });
      return;
    }
    std::vector<T> arrived(static_cast<std::size_t>(count_ * width));
    for_rows(count_, threads,
             [&](std::int64_t i) { std::copy_n(rows + i * width, width, arrived.data() + sorted_[i] * width); });
    route_->to_givers(ranks, width, arrived, take, threads);
  }

 private:
  const Route* route_ = nullptr;  ///< null: nothing travels
  const std::uint32_t* sorted_ = nullptr;
  std::int64_t count_;
};

}  // namespace farfield::distributed
