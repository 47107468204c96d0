#include "distributed/judging/aligned.hpp"

namespace farfield::distributed {

static std::int64_t rounded_up(std::int64_t number, std::int64_t grain) { return (number + grain - 1) / grain * grain; }

Aligned::Aligned(Ranks& ranks, std::int64_t owned, std::int64_t grain) {
  const Begins firsts = begins_of(ranks.all_gather(owned));
  const auto size = static_cast<std::size_t>(ranks.size()), rank = static_cast<std::size_t>(ranks.rank());
  std::vector<std::int64_t> sent(size, 0), received(size, 0);
  // a rank's points before its first piece belong to the last piece of the rank before it that has one
  for (std::size_t r = 0, holder = 0; r < size; ++r) {
    const std::int64_t piece = rounded_up(firsts[r], grain), head = std::min(firsts[r + 1], piece) - firsts[r];
    if (r == rank) sent[holder] = head;
    if (holder == rank && r != rank) received[r] = head;
    if (piece < firsts[r + 1]) holder = r;
  }
  sent_ = begins_of(sent), received_ = begins_of(received);
  begin_ = std::min(rounded_up(firsts[rank], grain), firsts[rank + 1]) - firsts[rank];
  end_ = begin_ + (owned - begin_) / grain * grain;
  own_ = owned - end_;
}

}  // namespace farfield::distributed
