// Round numbers along an axis: 0, 0.2, 0.4, and how to write them.
#pragma once
#include <string>
#include <vector>

namespace farfield::io {

struct Ticks {
  std::vector<double> places;       ///< rising, within the axis
  std::vector<std::string> labels;  ///< one for each
  std::string shift, unit;          ///< what the labels leave out: " - 4503599", " / 1e6"

  /// The axis' name and what the labels leave out: "x", "x / 1e6", "(x - 4503599) / 1e-7".
  std::string caption(const std::string& name) const;
};

/// Multiples of 1, 2 or 5 times a power of ten from low to high, at most `most` (6 or more) of them, and two at least.
/// Both ends must be finite and not too close together for double precision.
Ticks make_ticks(double low, double high, int most);

/// The largest of 1, 2, 5, 10, 20, ... times a power of ten that does not exceed `most`.
double round_length(double most);

/// A number in few letters: 12300, 0.00123, 1.23e-7.
std::string short_number(double value, int digits = 4);

}  // namespace farfield::io
