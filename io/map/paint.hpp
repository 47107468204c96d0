// What both kinds of map are painted with.
#pragma once
#include "io/drawing/image.hpp"
#include "io/map/raster.hpp"
#include "io/picture/frame.hpp"
#include "io/picture/ticks.hpp"

namespace farfield::io {

inline constexpr Colour map_ground{0.020f, 0.022f, 0.045f}, map_ink{0.86f, 0.87f, 0.92f},
    map_faint_ink{0.50f, 0.52f, 0.60f}, coast_ink{0.56f, 0.62f, 0.70f}, grid_ink{0.15f, 0.17f, 0.23f};

/// The colour of a number at `place` of the scale; below 0 the ground, from there on blended into it.
Colour heat_colour(double place);

/// Beside the layout's frame: colours from low to high with round numbers; lines of the label part at line feeds.
void draw_decades(Image& image, const Layout& layout, const Decades& decades, const std::string& label);

/// Ticks with their labels along the frame's lower or left side, which is of the numbers from low to high.
void draw_axis_across(Image& image, const Layout& layout, const Ticks& ticks, double low, double high,
                      const std::string& name);
void draw_axis_up(Image& image, const Layout& layout, const Ticks& ticks, double low, double high,
                  const std::string& name);
void draw_box(Image& image, const Layout& layout);

Colour mixed(const Colour& a, const Colour& b, double part);

}  // namespace farfield::io
