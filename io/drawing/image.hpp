// A canvas of colours with rectangles and text, and its way into a PNG file.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "io/drawing/colormap.hpp"

namespace farfield::io {

struct Image {
  int width, height;
  std::vector<Colour> pixels;  ///< row by row from the top

  Image(int w, int h, Colour ground) : width(w), height(h), pixels(static_cast<std::size_t>(w) * h, ground) {}
  Colour& at(int x, int y) { return pixels[static_cast<std::size_t>(y) * width + x]; }
  const Colour& at(int x, int y) const { return pixels[static_cast<std::size_t>(y) * width + x]; }
};

/// Fills what of the rectangle lies on the canvas.
void fill_rectangle(Image& image, int x, int y, int width, int height, Colour colour);

/// One line of ASCII; other characters show as '?'. (x, y) is the top left corner, `scale` the size of a dot.
void draw_text(Image& image, int x, int y, std::string_view text, int scale, Colour colour);
int text_width(std::string_view text, int scale);

/// Throws Error(output) where it cannot be written; nothing half-written remains.
void write_png(const std::string& path, const Image& image);

}  // namespace farfield::io
