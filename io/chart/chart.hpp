// Numbers over a common axis: panels one above the other, some lines in each.
#pragma once
#include <string>
#include <vector>

namespace farfield::io {

struct Line {
  std::string name;
  std::vector<double> values;  ///< one for each place along the axis; those that are not finite leave a gap
};

struct Panel {
  std::string label;
  std::vector<Line> lines;  ///< at most four, which is how many colours there are
};

struct Chart {
  std::string title, axis;     ///< the line on top; the name of the common axis
  std::vector<double> places;  ///< along the axis, rising
  std::vector<Panel> panels;   ///< from the top
  int width = 1200, height = 900;
};

/// Draws a PNG. Each panel has an axis of its own, from the least to the greatest of its numbers. Throws Error(output)
/// where the file cannot be written.
void draw_chart(const std::string& path, const Chart& chart);

}  // namespace farfield::io
