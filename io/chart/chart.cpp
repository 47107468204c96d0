#include "io/chart/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/drawing/image.hpp"
#include "io/drawing/line.hpp"
#include "io/picture/ticks.hpp"

namespace farfield::io {
namespace {

constexpr Colour ground{0.020f, 0.022f, 0.045f}, ink{0.86f, 0.87f, 0.92f}, faint_ink{0.50f, 0.52f, 0.60f};
constexpr Colour rule{0.13f, 0.135f, 0.18f};
constexpr std::array<Colour, 4> colours = {
    {{0.99f, 0.64f, 0.25f}, {0.38f, 0.66f, 1.00f}, {0.93f, 0.93f, 0.96f}, {0.45f, 0.83f, 0.55f}}};
constexpr int text = 2, letter = 6 * text, row = 11 * text;  // dots of a letter's dot, of a letter, of a line of text

struct Span {
  double low = HUGE_VAL, high = -HUGE_VAL;
  void add(double value) {
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  }
  /// With room around the numbers; a constant gets an axis around it, and no numbers one from 0 to 1.
  Span widened(double share) const {
    if (low > high) return {0, 1};
    const double size = std::max(std::fabs(low), std::fabs(high));
    const double room = high - low > 1e-12 * size ? share * (high - low) : size > 0 ? 0.5 * size : 1;
    return {low - room, high + room};
  }
};

/// A panel on the canvas: where it stands, and which numbers its edges are.
struct Field {
  int left, top, width, height;
  Span across, up;
  double x(double value) const { return left + width * (value - across.low) / (across.high - across.low); }
  double y(double value) const { return top + height * (up.high - value) / (up.high - up.low); }
  int bottom() const { return top + height; }
};

Span extent_of(const Panel& panel) {
  Span span;
  for (const Line& line : panel.lines)
    for (const double value : line.values) span.add(value);
  return span.widened(0.06);
}

void draw_up(Image& image, const Field& f, const std::string& label) {
  const Ticks ticks = make_ticks(f.up.low, f.up.high, std::clamp(f.height / (2 * row), 6, 9));
  for (std::size_t i = 0; i < ticks.places.size(); ++i) {
    const int y = static_cast<int>(std::lround(f.y(ticks.places[i])));
    fill_rectangle(image, f.left, y, f.width, 1, rule);
    draw_text(image, f.left - text_width(ticks.labels[i], text) - letter, y - 3 * text, ticks.labels[i], text, ink);
  }
  draw_text(image, f.left, f.top - row, ticks.caption(label), text, faint_ink);
}

void draw_across(Image& image, const Field& f, const std::string& name) {
  const Ticks ticks = make_ticks(f.across.low, f.across.high, 9);
  for (std::size_t i = 0; i < ticks.places.size(); ++i) {
    const int x = static_cast<int>(std::lround(f.x(ticks.places[i])));
    fill_rectangle(image, x, f.bottom(), 1, 3 * text, faint_ink);
    const int width = text_width(ticks.labels[i], text);
    draw_text(image, std::min(x - width / 2, image.width - width), f.bottom() + 5 * text, ticks.labels[i], text, ink);
  }
  const std::string caption = ticks.caption(name);
  draw_text(image, f.left + (f.width - text_width(caption, text)) / 2, f.bottom() + 5 * text + row, caption, text,
            faint_ink);
}

void draw_values(Image& image, const Field& f, const std::vector<double>& places, const Line& line, Colour colour) {
  std::size_t before = places.size();  // the last place with a finite number; at first none
  for (std::size_t i = 0; i < std::min(places.size(), line.values.size()); ++i) {
    if (!std::isfinite(line.values[i])) continue;
    const std::size_t from = before < places.size() ? before : i;
    draw_line(image, f.x(places[from]), f.y(line.values[from]), f.x(places[i]), f.y(line.values[i]), 2.4, colour);
    before = i;
  }
}

void draw_frame(Image& image, const Field& f) {
  fill_rectangle(image, f.left, f.top, f.width, 1, faint_ink);
  fill_rectangle(image, f.left, f.bottom(), f.width + 1, 1, faint_ink);
  fill_rectangle(image, f.left, f.top, 1, f.height, faint_ink);
  fill_rectangle(image, f.left + f.width, f.top, 1, f.height, faint_ink);
}

/// Names stand above the panel on the right, each in its line's colour; one line alone is told by the label.
void draw_panel(Image& image, const Field& f, const Chart& chart, const Panel& panel) {
  draw_up(image, f, panel.label);
  int right = f.left + f.width;
  for (std::size_t i = panel.lines.size(); i-- > 0;) {
    const Colour colour = colours[i % colours.size()];
    draw_values(image, f, chart.places, panel.lines[i], colour);
    if (panel.lines.size() == 1) continue;
    right -= text_width(panel.lines[i].name, text);
    draw_text(image, right, f.top - row, panel.lines[i].name, text, colour);
    right -= 3 * letter;
  }
  draw_frame(image, f);
}

}  // namespace

void draw_chart(const std::string& path, const Chart& chart) {
  Image image(chart.width, chart.height, ground);
  draw_text(image, 2 * letter, 2 * letter, chart.title, text, ink);
  Span across;
  for (const double place : chart.places) across.add(place);
  const int panels = std::max(1, static_cast<int>(chart.panels.size()));
  const int top = 2 * letter + 2 * row, each = (chart.height - top - 3 * row) / panels;
  for (int p = 0; p < static_cast<int>(chart.panels.size()); ++p) {
    const Panel& panel = chart.panels[static_cast<std::size_t>(p)];
    const Field field{12 * letter,    top + p * each + row, chart.width - 15 * letter,
                      each - 2 * row, across.widened(0),    extent_of(panel)};
    draw_panel(image, field, chart, panel);
    if (p + 1 == panels) draw_across(image, field, chart.axis);
  }
  write_png(path, image);
}

}  // namespace farfield::io
