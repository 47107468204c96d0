// KeptBlocks: freed blocks of memory that wait for the next array of about their size. Knows nothing of what memory it
// is.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace farfield::cuda {

/// Where several threads of one process ask the driver for memory, they wait for one another: the arrays of a tree took
/// 26 us where one rank asked, 40 to 95 where two did (two H200), and a move has some hundred arrays.
class KeptBlocks {
 public:
  /// Keeps at most `most` bytes, the last ones that came.
  explicit KeptBlocks(std::int64_t most) : most_(most), largest_(most / 10) {}

  /// Larger blocks are not kept: whatever fills a device needs their bytes for others. The coordinates of 2^28 points
  /// are, on a device of 141 GB of which half is kept.
  bool takes(std::int64_t bytes) const { return bytes <= largest_; }
  /// From now on half as many bytes are kept: others needed them.
  void keep_fewer() { most_ /= 2; }
  /// Bytes of the block for an array of so many: up to a 32nd more, so that about the same number finds it again.
  static std::int64_t rounded(std::int64_t bytes) {
    const auto wanted = static_cast<std::uint64_t>(bytes);
    const std::uint64_t step = std::bit_floor(wanted | least_step * steps) / steps;
    return static_cast<std::int64_t>((wanted + step - 1) / step * step);
  }

  /// Of the blocks of these rounded bytes the one that was kept last, or null.
  void* take(std::int64_t bytes) {
    const auto found =
        std::find_if(kept_.rbegin(), kept_.rend(), [bytes](const Block& kept) { return kept.bytes == bytes; });
    if (found == kept_.rend()) return nullptr;
    void* const at = found->at;
    bytes_ -= bytes;
    kept_.erase(std::next(found).base());
    return at;
  }
  /// give_back(block) for those that are no longer kept, longest kept first.
  template <class GiveBack>
  void keep(void* block, std::int64_t bytes, const GiveBack& give_back) {
    kept_.push_back({block, bytes});
    bytes_ += bytes;
    std::size_t first = 0;
    for (; bytes_ > most_; ++first) give_back(kept_[first].at), bytes_ -= kept_[first].bytes;
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(first));
  }
  template <class GiveBack>
  void give_back_all(const GiveBack& give_back) {
    for (const Block& block : kept_) give_back(block.at);
    kept_.clear(), bytes_ = 0;
  }

 private:
  static constexpr std::uint64_t steps = 32, least_step = 512;
  struct Block {
    void* at;
    std::int64_t bytes;
  };
  std::int64_t most_, largest_, bytes_ = 0;
  std::vector<Block> kept_;  ///< as they came
};

}  // namespace farfield::cuda
