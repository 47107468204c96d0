// A picture of bodies coloured by a number each, mostly the potential: what a README shows and a first look needs.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/bodies.hpp"

namespace farfield::io {

struct PictureStyle {
  std::string title;                ///< the line on top; the bodies' description where empty
  std::string label = "potential";  ///< what the colours mean
  int width = 1200, height = 900;   ///< at least 320 x 240
  char axis = '\0';                 ///< look along 'x', 'y' or 'z'; 0: along that of the least extent
  /// What is shown at least: low and high to the right, low and high upward. None: all bodies, as below.
  std::optional<std::array<double, 4>> limits = {};
};

/// Draws a PNG: bodies projected along one axis within a frame with numbers and a scale bar; brightness shows their
/// number on a compressed scale, colour `values` (n numbers; empty: none, and colour follows brightness). Bodies so far
/// out that the rest would shrink to a spot are left out, as are places and values that are not finite; the picture
/// says how many. The bar of colours says where values go beyond its ends.
/// Throws Error(output) where the file cannot be written, Error(usage) for a size below the least.
void draw(const std::string& path, const Bodies& bodies, const std::vector<double>& values,
          const PictureStyle& style = {});

/// Pictures of the same bodies at one time after the other. View, colours and brightness are those of the first
/// picture, so that what changes between two is the bodies.
class Series {
 public:
  explicit Series(PictureStyle style);
  ~Series();
  Series(const Series&) = delete;
  Series& operator=(const Series&) = delete;

  /// As `draw` does, with this title.
  void draw(const std::string& path, const Bodies& bodies, const std::vector<double>& values, const std::string& title);

  /// View, colours and brightness as numbers, for a series that is to go on with this one; empty before the first
  /// picture.
  std::vector<double> look() const;
  /// Takes those of another series instead of those of the first picture; numbers that are no look are passed over.
  void take_look(const std::vector<double>& look);

 private:
  struct Setting;
  PictureStyle style_;
  std::unique_ptr<Setting> first_;
};

}  // namespace farfield::io
