#include "distributed/judging/order.hpp"

namespace farfield::distributed {

BoxOrder::BoxOrder(Ranks& ranks, const std::vector<int>& level) : ranks_(ranks.size()) {
  const std::vector<int> levels = ranks.all_gather(level.empty() ? 0 : level.back() + 1);
  levels_ = *std::max_element(levels.begin(), levels.end());
  std::vector<std::int64_t> own(static_cast<std::size_t>(levels_), 0), counts;
  for (const int l : level) ++own[static_cast<std::size_t>(l)];
  const std::vector<std::int64_t> all = ranks.all_gather(own.data(), own.size());
  for (std::size_t l = 0; l < own.size(); ++l)
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks_); ++r) counts.push_back(all[r * own.size() + l]);
  begin_ = begins_of(counts);
  for (std::size_t l = 0; l < own.size(); ++l)
    for (std::int64_t k = 0; k < own[l]; ++k)
      number_.push_back(begin_[l * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(ranks.rank())] + k);
}

int BoxOrder::level_of(std::int64_t number) const {
  const auto after = std::upper_bound(begin_.begin(), begin_.end(), number);
  return static_cast<int>(after - begin_.begin() - 1) / ranks_;
}

std::int64_t BoxOrder::find(std::int64_t number) const {
  const auto found = std::lower_bound(number_.begin(), number_.end(), number);
  return found != number_.end() && *found == number ? found - number_.begin() : -1;
}

std::vector<std::int64_t> BoxOrder::begins_within(std::int64_t first, std::int64_t end) const {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks_), 0);
  for (std::size_t s = 0; s + 1 < begin_.size(); ++s)
    counts[s % static_cast<std::size_t>(ranks_)] +=
        std::max<std::int64_t>(0, std::min(end, begin_[s + 1]) - std::max(first, begin_[s]));
  return begins_of(counts);
}

}  // namespace farfield::distributed
