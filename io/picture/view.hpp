// From where bodies are seen, and how their places become dots.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/bodies.hpp"

namespace farfield::io {

struct Range {
  double low = 0, high = 0;
  double middle() const { return 0.5 * low + 0.5 * high; }
  double half() const { return 0.5 * high - 0.5 * low; }  ///< half of the width, which itself may overflow
};

/// The range of every `stride`th of `count` numbers without the given share at both ends; numbers that are not finite
/// do not count. A thinned list serves where a share is left out.
Range quantiles(const double* values, std::size_t count, std::size_t stride, double outside);

struct View {
  std::size_t across = 0, up = 1, along = 2;  ///< axes: to the right, upward, and looked along
  std::array<double, 2> centre{};             ///< of the picture, across and up
  double dots = 1;                            ///< per unit of length
  double width = 0, height = 0;               ///< in dots

  double x(double place) const { return width / 2 + dots * (place - centre[0]); }
  double y(double place) const { return height / 2 - dots * (place - centre[1]); }
  Range shown_across() const { return {centre[0] - width / 2 / dots, centre[0] + width / 2 / dots}; }
  Range shown_up() const { return {centre[1] - height / 2 / dots, centre[1] + height / 2 / dots}; }
  std::string words() const;  ///< "seen along -z, x to the right, y up"
};

/// All bodies within width x height dots, but for a few so far out that the rest would shrink to a spot. Looks along
/// `axis` ('x', 'y' or 'z') or else along that of the least extent; what is up in the file's format is up.
View make_view(const Bodies& bodies, char axis, int width, int height);

/// The same view of these ranges, neither of which may be empty: both are shown, and what is beside them as there is
/// room.
View confined(View view, const Range& across, const Range& up);

}  // namespace farfield::io
