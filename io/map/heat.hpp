// Pictures of a density: in the plane within axes, or on the sphere as a map of the world and two globes.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "io/map/outline.hpp"
#include "io/map/raster.hpp"

namespace farfield::io {

struct HeatStyle {
  std::string title;                             ///< the line on top
  std::string label = "density";                 ///< what the colours mean
  std::string words;                             ///< below
  std::array<std::string, 2> axes = {"x", "y"};  ///< their names
  std::vector<Outline> outlines = {};            ///< drawn over the colours
};

/// Draws a PNG: colours on a logarithmic scale within axes. Both axes have one scale unless that would make one of them
/// a sliver. Throws Error(output) where the file cannot be written.
void draw_heat(const std::string& path, const Raster& raster, const HeatStyle& style);

/// The same for a raster of longitudes -180 to 180 and latitudes -90 to 90: an equirectangular map, and below it the
/// globe from two sides (orthographic).
void draw_globe(const std::string& path, const Raster& raster, const HeatStyle& style);

}  // namespace farfield::io
