// A small bitmap font: letters five dots wide and seven high, with two more rows for what hangs below the line.
#pragma once
#include <array>

namespace farfield::io {

inline constexpr int glyph_width = 5, glyph_height = 9;

/// The rows of a character from the top, five bits each, leftmost highest; '?' for what the font lacks.
std::array<unsigned, glyph_height> glyph(char c);

}  // namespace farfield::io
