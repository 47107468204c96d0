// Colours for numbers: ordered in lightness, told apart by colour-blind eyes, and visible on a dark ground.
#pragma once
#include <array>

namespace farfield::io {

using Colour = std::array<float, 3>;  ///< red, green, blue, 0 to 1, as a screen takes them

enum class Palette {
  sequential,  ///< indigo, magenta, orange, pale yellow: for one sign
  diverging,   ///< blue, white, red: for both signs, zero in the middle
};

/// The colour at t in [0, 1]; t outside is clamped.
Colour colour_at(Palette palette, double t);

}  // namespace farfield::io
