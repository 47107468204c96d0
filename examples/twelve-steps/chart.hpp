// Prints lines as a table, and draws them over a logarithmic axis as SVG: the figures of docs/twelve-steps.md.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace course {

struct Point {
  double x, y;
};

class Chart {
 public:
  Chart(std::string title, std::string below) : title_(std::move(title)), below_(std::move(below)) {}

  /// A line whose name stands at its right end.
  void line(const std::string& name, const std::vector<Point>& points) {
    lines_.push_back({name, points, colours_++ % 5, false});
  }
  /// A dashed line in the colour of the line before it.
  void bound(const std::string& name, const std::vector<Point>& points) {
    lines_.push_back({name, points, (colours_ + 4) % 5, true});
  }

  /// The same as a table, a row for each line but the bounds.
  void print() const {
    std::printf("%s\n%-10s", title_.c_str(), below_.c_str());
    for (const Point& p : lines_.front().points) std::printf("%9g", p.x);
    for (const Line& line : lines_) {
      if (line.dashed) continue;
      std::printf("\n%-10s", line.name.c_str());
      for (const Point& p : line.points) std::printf("  %.1e", p.y);
    }
    std::printf("\n");
  }

  /// Writes the file, or nothing where there is no path; the number of failures, 0 or 1.
  int write(const char* path) {
    if (path == nullptr) return 0;
    std::FILE* file = std::fopen(path, "w");
    if (file == nullptr) return std::printf("cannot write %s\n", path), 1;
    limits();
    std::fprintf(file, "<svg xmlns='http://www.w3.org/2000/svg' width='640' height='400' %s>\n",
                 "font-family='sans-serif' font-size='13'");
    std::fprintf(file, "<rect width='640' height='400' fill='white'/>\n");
    text(file, {270, 22}, "middle", title_ + "; dashed: the bound");
    text(file, {270, 390}, "middle", below_);
    axes(file);
    for (const Line& line : lines_) draw(file, line);
    std::fprintf(file, "</svg>\n");
    return std::fclose(file) == 0 ? 0 : 1;
  }

 private:
  struct Line {
    std::string name;
    std::vector<Point> points;
    int colour;
    bool dashed;
  };

  void limits() {
    for (const Line& line : lines_)
      for (const Point& p : line.points) {
        left_ = std::min(left_, p.x), right_ = std::max(right_, p.x);
        low_ = std::min(low_, std::floor(std::log10(p.y))), high_ = std::max(high_, std::ceil(std::log10(p.y)));
      }
  }

  /// Where a point of the data stands in the picture.
  Point place_of(Point p) const {
    return {60 + 420 * (p.x - left_) / (right_ - left_), 350 - 310 * (std::log10(p.y) - low_) / (high_ - low_)};
  }

  static void text(std::FILE* file, Point at, const char* anchor, const std::string& words) {
    std::fprintf(file, "<text x='%.1f' y='%.1f' text-anchor='%s'>%s</text>\n", at.x, at.y, anchor, words.c_str());
  }

  void axes(std::FILE* file) const {
    const double step = std::max(1.0, std::ceil((high_ - low_) / 8));
    for (double power = high_; power >= low_; power -= step) {
      const double y = place_of({left_, std::pow(10, power)}).y;
      std::fprintf(file, "<path d='M60 %.1fH480' stroke='#ddd'/>\n", y);
      text(file, {52, y + 4}, "end", "1e" + std::to_string(static_cast<int>(power)));
    }
    for (const Point& p : lines_.front().points) {
      char number[32];
      std::snprintf(number, sizeof number, "%g", p.x);
      text(file, {place_of(p).x, 368}, "middle", number);
    }
  }

  static void path(std::FILE* file, const Line& line, const char* colour) {
    std::fprintf(file, "' fill='none' stroke='%s' stroke-width='2'%s/>\n", colour,
                 line.dashed ? " stroke-dasharray='5 4' opacity='0.7'" : "");
  }

  void draw(std::FILE* file, const Line& line) const {
    static const char* const colours[] = {"#1f6fb4", "#d9541e", "#2c8f4a", "#7b4ab0", "#8a6a1f"};
    std::fprintf(file, "<path d='");
    for (const Point& p : line.points)
      std::fprintf(file, "%c%.1f %.1f", &p == line.points.data() ? 'M' : 'L', place_of(p).x, place_of(p).y);
    path(file, line, colours[line.colour]);
    if (!line.dashed)
      for (const Point& p : line.points)
        std::fprintf(file, "<circle cx='%.1f' cy='%.1f' r='3' fill='%s'/>\n", place_of(p).x, place_of(p).y,
                     colours[line.colour]);
    text(file, {490, place_of(line.points.back()).y + 4}, "start", line.name);
  }

  std::string title_, below_;
  std::vector<Line> lines_;
  int colours_ = 0;
  double left_ = 1e300, right_ = -1e300, low_ = 300, high_ = -300;
};

}  // namespace course
