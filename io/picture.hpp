// A picture of bodies coloured by a number each, mostly the potential: what a README shows and a first look needs.
#pragma once
#include <string>
#include <vector>

#include "bodies.hpp"

namespace farfield::io {

struct PictureStyle {
  std::string title;                ///< the line on top; the bodies' description where empty
  std::string label = "potential";  ///< what the colours mean
  int width = 1200, height = 900;   ///< at least 320 x 240
};

/// Draws a PNG: bodies projected along the axis of their least extent, brightness their number on a compressed scale,
/// colour `values` (n numbers; empty: none, and colour follows brightness). Field of view and colour range leave out
/// the few outermost bodies and values. Bodies whose place or value is not finite are left out.
/// Throws Error(output) where the file cannot be written, Error(usage) for a size below the least.
void draw(const std::string& path, const Bodies& bodies, const std::vector<double>& values,
          const PictureStyle& style = {});

}  // namespace farfield::io
