#include "io/map/paint.hpp"

#include <algorithm>
#include <cmath>

#include "io/picture/ticks.hpp"

namespace farfield::io {
namespace {

constexpr double bands = 36;   // contours, as close as an eye just tells apart: a smooth picture takes thrice the bytes
constexpr double dawn = 0.10;  // of the scale, within which colours rise from the ground

/// Round numbers within the scale: powers of ten, and where these are few their doubles and fives.
std::vector<double> round_numbers(const Decades& d) {
  std::vector<double> numbers;
  const bool few = d.high - d.low < 2;
  for (int power = static_cast<int>(std::floor(d.low)); power <= static_cast<int>(std::ceil(d.high)); ++power)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double number = digit * std::pow(10.0, power), place = d.place(number);
      if ((few || digit == 1) && place > -1e-9 && place < 1 + 1e-9) numbers.push_back(number);
    }
  return numbers;
}

}  // namespace

Colour mixed(const Colour& a, const Colour& b, double part) {
  Colour colour;
  for (std::size_t c = 0; c < 3; ++c) colour[c] = std::lerp(a[c], b[c], static_cast<float>(part));
  return colour;
}

Colour heat_colour(double place) {
  if (!(place > 0)) return map_ground;
  const double band = std::min((std::floor(place * bands) + 0.5) / bands, 1.0), rise = std::min(band / dawn, 1.0);
  return mixed(map_ground, colour_at(Palette::sequential, band), rise * rise * (3 - 2 * rise));
}

void draw_decades(Image& image, const Layout& l, const Decades& decades, const std::string& label) {
  const int tall = std::min(160 * l.text, l.height - 3 * l.line()), wide = 6 * l.text;
  const int x = l.right() + 2 * l.letter(), y = l.top + (l.height - tall) / 2;
  for (int row = 0; row < tall; ++row) fill_rectangle(image, x, y + row, wide, 1, heat_colour(1 - (row + 0.5) / tall));
  for (const double number : round_numbers(decades)) {
    const int at = y + static_cast<int>(std::lround((1 - decades.place(number)) * (tall - 1)));
    fill_rectangle(image, x + wide, at, 2 * l.text, 1, map_faint_ink);
    draw_text(image, x + wide + 4 * l.text, at - 3 * l.text, short_number(number), l.text, map_ink);
  }
  const auto lines = std::count(label.begin(), label.end(), '\n') + 1;
  int top = y - 4 * l.text - static_cast<int>(lines) * l.line();
  for (std::size_t begin = 0; begin <= label.size(); top += l.line()) {
    const std::size_t end = std::min(label.find('\n', begin), label.size());
    draw_text(image, x, top, label.substr(begin, end - begin), l.text, map_faint_ink);
    begin = end + 1;
  }
}

void draw_axis_across(Image& image, const Layout& l, const Ticks& ticks, double low, double high,
                      const std::string& name) {
  for (std::size_t i = 0; i < ticks.places.size(); ++i) {
    const int x = l.left + static_cast<int>(std::lround((ticks.places[i] - low) / (high - low) * (l.width - 1)));
    fill_rectangle(image, x, l.bottom(), 1, 3 * l.text, map_faint_ink);
    draw_text(image, x - text_width(ticks.labels[i], l.text) / 2, l.bottom() + 5 * l.text, ticks.labels[i], l.text,
              map_ink);
  }
  const std::string caption = ticks.caption(name);
  draw_text(image, l.left + (l.width - text_width(caption, l.text)) / 2, l.bottom() + 5 * l.text + l.line(), caption,
            l.text, map_faint_ink);
}

void draw_axis_up(Image& image, const Layout& l, const Ticks& ticks, double low, double high, const std::string& name) {
  for (std::size_t i = 0; i < ticks.places.size(); ++i) {
    const int y = l.top + static_cast<int>(std::lround((high - ticks.places[i]) / (high - low) * (l.height - 1)));
    fill_rectangle(image, l.left - 3 * l.text, y, 3 * l.text, 1, map_faint_ink);
    const int x = l.left - 5 * l.text - text_width(ticks.labels[i], l.text);
    draw_text(image, x, y - 3 * l.text, ticks.labels[i], l.text, map_ink);
  }
  draw_text(image, l.left, l.top - l.line(), ticks.caption(name), l.text, map_faint_ink);
}

void draw_box(Image& image, const Layout& l) {
  fill_rectangle(image, l.left, l.top, l.width, 1, map_faint_ink);
  fill_rectangle(image, l.left, l.bottom() - 1, l.width, 1, map_faint_ink);
  fill_rectangle(image, l.left, l.top, 1, l.height, map_faint_ink);
  fill_rectangle(image, l.right() - 1, l.top, 1, l.height, map_faint_ink);
}

}  // namespace farfield::io
