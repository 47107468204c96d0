// BlockParts: points in the order of their blocks, cut into parts, each of one block.
#pragma once
#include <algorithm>
#include <vector>

#include "backends/cuda/periodic/blocks/sums.hpp"

namespace farfield::cuda {

class BlockParts {
 public:
  explicit BlockParts(DeviceMemory& memory) : memory_(memory), parts_(memory), begin_(memory) {}
  /// `begin`: [block], where it begins in the order.
  void make(const std::vector<std::uint32_t>& begin, std::int64_t of_part) {
    std::vector<BlockPart> parts;
    std::vector<std::int32_t> begins{0};
    for (std::size_t b = 0; b + 1 < begin.size(); ++b) {
      const std::int64_t last = begin[b + 1];
      for (std::int64_t at = begin[b]; at < last; at += of_part)
        parts.push_back({static_cast<std::int32_t>(b), 1, at, std::min(at + of_part, last)});
      begins.push_back(static_cast<std::int32_t>(parts.size()));
    }
    upload(parts_, parts.data(), std::ssize(parts), memory_.stream);
    upload(begin_, begins.data(), std::ssize(begins), memory_.stream);
  }
  const DeviceArray<BlockPart>& parts() const { return parts_; }
  const std::int32_t* begin() const { return begin_.data(); }  ///< [block], where its parts begin

 private:
  DeviceMemory& memory_;
  DeviceArray<BlockPart> parts_;
  DeviceArray<std::int32_t> begin_;
};

}  // namespace farfield::cuda
