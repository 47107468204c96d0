// Smooth lines on a canvas.
#pragma once
#include "io/drawing/image.hpp"

namespace farfield::io {

/// A straight line from (x0, y0) to (x1, y1), in dots with centres at halves, `width` dots wide with round ends. What
/// lies outside the canvas is not drawn.
void draw_line(Image& image, double x0, double y0, double x1, double y1, double width, Colour colour);

}  // namespace farfield::io
