// KeptBlocks: blocks of memory that arrays have parts of, and what is free of them, which waits for the next arrays.
// Knows nothing of what memory it is.
#pragma once
#include <bit>
#include <cstdint>
#include <iterator>
#include <map>

namespace farfield::cuda {

/// Where several threads of one process ask the driver for memory, they wait for one another: the arrays of a tree took
/// 26 us where one rank asked, 40 to 95 where two did (two H200), and a move has some hundred arrays. Gigabytes take 1
/// to 10 ms each, where the driver has to map memory anew: arrays of a tree and of a sum, which take turns, differ.
class KeptBlocks {
 public:
  /// Keeps at most `most` free bytes, but for those beside arrays.
  explicit KeptBlocks(std::int64_t most) : most_(most) {}

  /// From now on an eighth less: others needed it.
  void keep_fewer() { most_ -= most_ / 8; }
  /// Bytes of an array that asks for so many: up to a 32nd more, so that about as many find the same place again.
  static std::int64_t rounded(std::int64_t bytes) {
    const auto wanted = static_cast<std::uint64_t>(bytes);
    const std::uint64_t step = std::bit_floor(wanted | least_step * steps) / steps;
    return static_cast<std::int64_t>((wanted + step - 1) / step * step);
  }

  /// Room for an array of these rounded bytes, or null: the smallest that there is, unless that is so large that others
  /// need it more.
  void* take(std::int64_t bytes) {
    const auto has_room = [bytes](auto part) {
      return part->second.free && part->second.bytes >= bytes && part->second.bytes / most_times <= bytes;
    };
    const auto best = least_part(has_room, &Part::bytes);
    if (best == parts_.end()) return nullptr;
    const std::int64_t rest = best->second.bytes - bytes;
    if (rest > 0) parts_.emplace_hint(std::next(best), best->first + bytes, Part{rest, true, false, ++time_});
    best->second.bytes = bytes, best->second.free = false;
    free_ -= bytes;
    return best->first;
  }
  /// A block of which an array has all.
  void add(void* block, std::int64_t bytes) { parts_[static_cast<char*>(block)] = {bytes, false, true, 0}; }

  /// The array at this place has gone. give_back(block) for blocks that are no longer kept, longest free first.
  template <class GiveBack>
  void keep(void* array, const GiveBack& give_back) {
    auto part = parts_.find(static_cast<char*>(array));
    part->second.free = true;
    free_ += part->second.bytes;
    join_with_next(part);
    if (!part->second.first && std::prev(part)->second.free) join_with_next(part = std::prev(part));
    part->second.since = ++time_;
    while (free_ > most_ && give_back_oldest(give_back)) {
    }
  }
  /// Of blocks that have no array.
  template <class GiveBack>
  void give_back_all(const GiveBack& give_back) {
    while (give_back_oldest(give_back)) {
    }
  }

 private:
  static constexpr std::uint64_t steps = 32, least_step = 512;
  static constexpr std::int64_t most_times = 8;
  struct Part {
    std::int64_t bytes;
    bool free, first;     ///< no array has it; begins a block
    std::uint64_t since;  ///< free; in the order in which parts became so
  };
  using Parts = std::map<char*, Part>;

  /// Of the parts that fit the one whose number is least; the end: there is none.
  template <class Fits, class Number>
  Parts::iterator least_part(const Fits& fits, Number Part::*number) {
    auto least = parts_.end();
    for (auto part = parts_.begin(); part != parts_.end(); ++part)
      if (fits(part) && (least == parts_.end() || part->second.*number < least->second.*number)) least = part;
    return least;
  }
  bool ends_block(Parts::iterator part) const {
    const auto next = std::next(part);
    return next == parts_.end() || next->second.first;
  }
  void join_with_next(Parts::iterator part) {
    if (ends_block(part) || !std::next(part)->second.free) return;
    part->second.bytes += std::next(part)->second.bytes;
    parts_.erase(std::next(part));
  }
  template <class GiveBack>
  bool give_back_oldest(const GiveBack& give_back) {
    const auto is_block = [this](auto part) { return part->second.free && part->second.first && ends_block(part); };
    const auto oldest = least_part(is_block, &Part::since);
    if (oldest == parts_.end()) return false;
    free_ -= oldest->second.bytes;
    give_back(static_cast<void*>(oldest->first));
    parts_.erase(oldest);
    return true;
  }

  std::int64_t most_, free_ = 0;
  std::uint64_t time_ = 0;
  Parts parts_;  ///< of all blocks, by place
};

}  // namespace farfield::cuda
