// Parts of larger arrays of results, for plans that write all vectors one behind the other.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "distributed/plans/rank_plan.hpp"

namespace farfield::distributed {

/// Arrays of their own in place of those parts, which they become in copy().
class InWholeArrays {
 public:
  InWholeArrays(const Outputs& parts, std::int64_t vectors, std::int64_t targets, std::int64_t sources,
                const WholeArrays& whole)
      : outputs_(parts), vectors_(static_cast<std::size_t>(vectors)) {
    if (whole.targets == 0 || vectors == 1) return;
    for (const auto& [array, width] :
         {std::pair{&outputs_.potential, 1}, {&outputs_.gradient, 3}, {&outputs_.hessian, 6}})
      replace(*array, width * targets, width * whole.targets);
    for (const auto& [array, width] :
         {std::pair{&outputs_.source_potential, 1}, {&outputs_.source_gradient, 3}, {&outputs_.source_hessian, 6}})
      replace(*array, width * sources, width * whole.sources);
  }
  const Outputs& outputs() const { return outputs_; }
  void copy() const {
    for (const Replaced& one : replaced_)
      for (std::size_t v = 0; v < vectors_; ++v)
        std::copy_n(&one.own[v * one.size], one.size, one.part + v * one.pitch);
  }

 private:
  struct Replaced {
    std::byte* part;
    std::size_t size, pitch;  ///< bytes of a vector, and from one to the next
    std::vector<std::byte> own;
  };
  void replace(void*& array, std::int64_t numbers, std::int64_t pitch) {
    if (!array || numbers == 0) return;
    const std::size_t bytes = outputs_.scalar == Scalar::float32 ? sizeof(float) : sizeof(double);
    const std::size_t size = bytes * static_cast<std::size_t>(numbers);
    replaced_.push_back({static_cast<std::byte*>(array), size, bytes * static_cast<std::size_t>(pitch),
                         std::vector<std::byte>(vectors_ * size)});
    array = replaced_.back().own.data();
  }

  Outputs outputs_;
  std::size_t vectors_;
  std::vector<Replaced> replaced_;
};

}  // namespace farfield::distributed
