// Part: of rows that come, or are done, one part after the other.
#pragma once
#include <cstdint>

#include "core/hd.hpp"

namespace farfield::cuda {

struct Part {
  int number = 0, of = 1;
  /// How many of `rows` there are with this part; `number` -1: before the first.
  FARFIELD_HD std::int64_t end(std::int64_t rows) const { return rows * (number + 1) / of; }
  FARFIELD_HD Part before() const { return {number - 1, of}; }
  FARFIELD_HD bool last() const { return number + 1 == of; }
};

}  // namespace farfield::cuda
