#include "distributed/route/tail.hpp"

namespace farfield::distributed {

Tail::Tail(Ranks& ranks, std::int64_t owned, std::int64_t most)
    : owned_(owned), first_(std::max<std::int64_t>(0, owned - most)) {
  const Begins firsts = begins_of(ranks.all_gather(owned));
  const auto wanted = [&](std::size_t from, std::size_t by) {
    const bool behind = from > by && firsts[by] < firsts[by + 1];
    return behind ? std::max<std::int64_t>(0, std::min(firsts[from + 1], firsts[by + 1] + most) - firsts[from]) : 0;
  };
  const auto own = static_cast<std::size_t>(ranks.rank());
  std::vector<std::int64_t> received;
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks.size()); ++r)
    counts_.push_back(wanted(own, r)), received.push_back(wanted(r, own));
  received_ = begins_of(received);
}

}  // namespace farfield::distributed
