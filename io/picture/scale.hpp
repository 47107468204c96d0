// Which number has which colour, and what the bar of colours says of numbers beyond its ends.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "io/drawing/colormap.hpp"
#include "io/picture/view.hpp"

namespace farfield::io {

struct Scale {
  Range range;  ///< the numbers behind the colours
  Range all;    ///< least and greatest number; outside `range` where a few lie far out
  Palette palette = Palette::sequential;
  bool falling = false;     ///< negative numbers alone: the largest magnitude is the lightest
  bool coloured = false;    ///< false: there are no finite numbers, or all are the same
  std::int64_t finite = 0;  ///< how many numbers are

  double place(double value) const;  ///< 0 to 1, along the palette
  double value_at(double part) const { return range.low * (1 - part) + range.high * part; }
};

Scale make_scale(const std::vector<double>& values);

}  // namespace farfield::io
