// What stands around the bodies in a picture: title, axes, scale bar, the bar of colours, and words.
#pragma once
#include <string>
#include <vector>

#include "io/drawing/image.hpp"
#include "io/picture/scale.hpp"
#include "io/picture/view.hpp"

namespace farfield::io {

/// Where things stand on the canvas, in dots.
struct Layout {
  int text = 1;                                  ///< size of a dot of the letters
  int left = 0, top = 0, width = 0, height = 0;  ///< of the frame around the bodies
  std::vector<std::string> title;                ///< in lines that fit

  int letter() const { return 6 * text; }  ///< the width of one
  int line() const { return 11 * text; }
  int bottom() const { return top + height; }
  int right() const { return left + width; }
};

Layout make_layout(int width, int height, const std::string& title, bool bar);

void draw_title(Image& image, const Layout& layout);

/// The frame, its ticks with numbers, the axes' names and a scale bar within.
void draw_axes(Image& image, const Layout& layout, const View& view);

/// Colours from least to greatest with round numbers beside; an end beyond which numbers lie has a triangle and says
/// how far they go.
void draw_bar(Image& image, const Layout& layout, const Scale& scale, const std::string& label);

/// Below the axes: sentences, broken into lines.
void draw_words(Image& image, const Layout& layout, const std::string& words);

}  // namespace farfield::io
