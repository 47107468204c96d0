#include "distributed/route/route.hpp"

namespace farfield::distributed {

Route::Route(Ranks& ranks, const std::vector<std::int32_t>& destination) : order_(destination.size()) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks.size()), 0);
  for (const std::int32_t rank : destination) ++counts[static_cast<std::size_t>(rank)];
  migrants_ = given() - counts[static_cast<std::size_t>(ranks.rank())];
  sent_ = begins_of(counts);
  Begins next = sent_;
  for (std::size_t i = 0; i < destination.size(); ++i)
    order_[static_cast<std::size_t>(next[static_cast<std::size_t>(destination[i])]++)] = static_cast<std::uint32_t>(i);
  received_ = begins_of(ranks.exchange_numbers(counts));
}

}  // namespace farfield::distributed
