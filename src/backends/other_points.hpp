// OtherPoints: what points in the memory of a backend ask of others, in other memories, that belong to the same sum.
// All call the same functions, in the same order. Here are the answers where there are no others.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "expansions/periodic/blocks/field.hpp"

namespace farfield {

class OtherPoints {
 public:
  virtual ~OtherPoints() = default;
  /// Are there none?
  virtual bool alone() const { return true; }
  /// Of those who call, the number of this one.
  virtual std::size_t rank() const { return 0; }
  /// Of all.
  virtual FractionRange joined(const FractionRange& range) const { return range; }
  virtual std::int64_t sum(std::int64_t number) const { return number; }
  /// Those of all, in order.
  virtual std::vector<double> gathered(std::vector<double> numbers) const { return numbers; }
  /// [rank][number], as many on all.
  virtual std::vector<std::int64_t> counts_of_all(const std::vector<std::int64_t>& counts) const { return counts; }
  virtual void in_turn(std::vector<double>& sum, const Adding& add) const { add(sum); }
  /// numbers: sent[r] for rank r, one rank's behind the other's. Returns received[r] of each rank r, in this order,
  /// too.
  virtual std::vector<double> exchanged(const std::vector<double>& /*numbers*/,
                                        const std::vector<std::int64_t>& /*sent*/,
                                        const std::vector<std::int64_t>& /*received*/) const {
    return {};
  }
};

/// One's numbers after the other's are added up.
template <std::size_t columns>
std::array<double, columns> sum_of_all(const OtherPoints& others, const std::array<double, columns>& own) {
  if (others.alone()) return own;
  std::array<double, columns> sum{};
  const std::vector<double> all = others.gathered({own.begin(), own.end()});
  for (std::size_t k = 0; k < all.size(); ++k) sum[k % columns] += all[k];
  return sum;
}

}  // namespace farfield
