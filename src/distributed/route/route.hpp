// Route: brings rows from the ranks that were given points to those that own them, and back.
#pragma once
#include <vector>

#include "distributed/ranks.hpp"

namespace farfield::distributed {

/// Calls f(i) for each of so many rows.
template <class F>
void for_rows(std::int64_t count, int threads, const F& f) {
#pragma omp parallel for if (threads > 1 && count > 1 << 16) num_threads(threads)
  for (std::int64_t i = 0; i < count; ++i) f(i);
}

/// Points arrive sorted by the rank that was given them and, of one rank, by their indices there: the order in which
/// one plan over all of them would have them.
class Route {
 public:
  Route() = default;
  /// `destination`: the owner of each point of this rank.
  Route(Ranks& ranks, const std::vector<std::int32_t>& destination);
  /// Of which everything is known: given points by destination, and where the rows for and from each rank begin.
  Route(std::vector<std::uint32_t> order, Begins sent, Begins received, std::int64_t migrants)
      : order_(std::move(order)), migrants_(migrants), sent_(std::move(sent)), received_(std::move(received)) {}

  std::int64_t given() const { return static_cast<std::int64_t>(order_.size()); }
  std::int64_t owned() const { return received_.empty() ? 0 : received_.back(); }
  /// Points that this rank was given and others own.
  std::int64_t migrants() const { return migrants_; }
  const std::vector<std::uint32_t>& order() const { return order_; }
  const Begins& sent() const { return sent_; }
  const Begins& received() const { return received_; }

  /// `width` numbers for each given point, written by put(index, T*), to the owners.
  template <class T, class Put>
  std::vector<T> to_owners(Ranks& ranks, std::int64_t width, const Put& put, int threads = 1) const {
    std::vector<T> packed(order_.size() * static_cast<std::size_t>(width));
    for_rows(given(), threads,
             [&](std::int64_t i) { put(order_[static_cast<std::size_t>(i)], packed.data() + i * width); });
    std::vector<T> owned(static_cast<std::size_t>(this->owned() * width));
    ranks.exchange(packed.data(), sent_, owned.data(), received_, width);
    return owned;
  }
  /// Rows of the owned points, [owned][width], to the ranks that were given them: take(index, const T*).
  template <class T, class Take>
  void to_givers(Ranks& ranks, std::int64_t width, const std::vector<T>& owned, const Take& take,
                 int threads = 1) const {
    std::vector<T> packed(order_.size() * static_cast<std::size_t>(width));
    ranks.exchange(owned.data(), received_, packed.data(), sent_, width);
    for_rows(given(), threads,
             [&](std::int64_t i) { take(order_[static_cast<std::size_t>(i)], packed.data() + i * width); });
  }

 private:
  std::vector<std::uint32_t> order_;  ///< given points by destination
  std::int64_t migrants_ = 0;
  Begins sent_, received_;
};

}  // namespace farfield::distributed
