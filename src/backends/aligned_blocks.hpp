// AlignedBlocks: points of a periodic cell in the order of its blocks, of which ranks hold some of each, in parts of so
// many points of one block. Parts are counted from the block's first point on the first rank, so they are those of one
// process over all points. A part is summed where its first point is: other ranks send what they have of it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace farfield {

class AlignedBlocks {
 public:
  /// Points that follow one another in the order of blocks of this rank, or among those that it gets.
  struct Run {
    std::int64_t first, count;
    bool received;
  };

  /// `counts`: [rank][block], as many blocks on all.
  AlignedBlocks(const std::vector<std::int64_t>& counts, std::size_t blocks, std::size_t rank, std::int64_t grain)
      : sent_to(counts.size() / blocks, 0), received_from(sent_to.size(), 0), summed(blocks) {
    const std::vector<Head> heads = heads_of(counts, blocks, grain);
    const std::int64_t* const count = &counts[rank * blocks];
    std::vector<std::int64_t> begin{0};
    for (std::size_t b = 0; b < blocks; ++b) {
      begin.push_back(begin.back() + count[b]);
      const std::int64_t head = heads[rank * blocks + b].count;
      if (head < count[b]) summed[b].push_back({begin[b] + head, count[b] - head, false});
    }
    std::int64_t received = 0;
    for (std::size_t other = 0; other < sent_to.size(); ++other)
      for (std::size_t b = 0; b < blocks; ++b) {
        const Head mine = heads[rank * blocks + b], theirs = heads[other * blocks + b];
        if (mine.count > 0 && mine.holder == other) {
          sent.push_back({begin[b], mine.count, false});
          sent_to[other] += mine.count;
        }
        if (theirs.count == 0 || theirs.holder != rank) continue;
        summed[b].push_back({received, theirs.count, true});
        received_from[other] += theirs.count, received += theirs.count;
      }
  }

  std::vector<Run> sent;                             ///< one rank's behind the other's
  std::vector<std::int64_t> sent_to, received_from;  ///< [rank], points
  std::vector<std::vector<Run>> summed;              ///< [block]: points of the parts that are summed here

 private:
  /// The first points of a rank in a block, which belong to a part that an earlier rank, the holder, begins.
  struct Head {
    std::int64_t count = 0;
    std::size_t holder = 0;
  };
  static std::vector<Head> heads_of(const std::vector<std::int64_t>& counts, std::size_t blocks, std::int64_t grain) {
    std::vector<Head> heads(counts.size());
    for (std::size_t b = 0; b < blocks; ++b) {
      std::int64_t first = 0;
      std::size_t holder = 0;
      for (std::size_t at = b; at < counts.size(); at += blocks) {
        const std::int64_t last = first + counts[at], part = (first + grain - 1) / grain * grain;
        heads[at] = {std::min(last, part) - first, holder};
        if (part < last) holder = at / blocks;
        first = last;
      }
    }
    return heads;
  }
};

}  // namespace farfield
