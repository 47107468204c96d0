#include "io/picture/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/picture/ticks.hpp"

namespace farfield::io {
namespace {

constexpr Colour ink{0.86f, 0.87f, 0.92f}, faint_ink{0.50f, 0.52f, 0.60f};
constexpr int tick_letters = 9, rows_below = 4;  // room for numbers on the left, and for lines of text below

// Lines of at most `most` letters; words that are longer are broken.
std::vector<std::string> broken(const std::string& text, int most) {
  const auto room = static_cast<std::size_t>(std::max(most, 1));
  std::vector<std::string> lines;
  std::string rest = text;
  while (rest.size() > room) {
    const auto blank = rest.rfind(' ', room);
    const bool word = blank != rest.npos && blank > 0;
    lines.push_back(rest.substr(0, word ? blank : room));
    rest.erase(0, word ? blank + 1 : room);
  }
  lines.push_back(rest);
  return lines;
}

void draw_frame(Image& image, int x, int y, int width, int height) {
  fill_rectangle(image, x, y, width, 1, faint_ink);
  fill_rectangle(image, x, y + height - 1, width, 1, faint_ink);
  fill_rectangle(image, x, y, 1, height, faint_ink);
  fill_rectangle(image, x + width - 1, y, 1, height, faint_ink);
}

void draw_axis_across(Image& image, const Layout& l, const View& view) {
  const Range range = view.shown_across();
  const auto ticks = make_ticks(range.low, range.high, std::clamp(l.width / (8 * l.letter()), 6, 11));
  int free = 0;  // numbers must not run into each other
  for (std::size_t i = 0; i < ticks.places.size(); ++i) {
    const int x = l.left + static_cast<int>(std::lround(view.x(ticks.places[i])));
    fill_rectangle(image, x, l.bottom(), 1, 3 * l.text, faint_ink);
    const int width = text_width(ticks.labels[i], l.text), start = x - width / 2;
    if (start < free) continue;
    draw_text(image, start, l.bottom() + 5 * l.text, ticks.labels[i], l.text, ink);
    free = start + width + l.letter();
  }
  const std::string name = ticks.caption(std::string(1, "xyz"[view.across]));
  draw_text(image, l.left + (l.width - text_width(name, l.text)) / 2, l.bottom() + 5 * l.text + l.line(), name, l.text,
            faint_ink);
}

void draw_axis_up(Image& image, const Layout& l, const View& view) {
  const Range range = view.shown_up();
  const auto ticks = make_ticks(range.low, range.high, std::clamp(l.height / (3 * l.line()), 6, 11));
  for (std::size_t i = 0; i < ticks.places.size(); ++i) {
    const int y = l.top + static_cast<int>(std::lround(view.y(ticks.places[i])));
    fill_rectangle(image, l.left - 3 * l.text, y, 3 * l.text, 1, faint_ink);
    const int x = l.left - 5 * l.text - text_width(ticks.labels[i], l.text);
    draw_text(image, x, y - 3 * l.text, ticks.labels[i], l.text, ink);
  }
  draw_text(image, l.left, l.top - l.line(), ticks.caption(std::string(1, "xyz"[view.up])), l.text, faint_ink);
}

// Above the frame, where it hides no body.
void draw_scale_bar(Image& image, const Layout& l, const View& view) {
  const double length = round_length(0.25 * l.width / view.dots);
  const std::string text = short_number(length);
  const int dots = static_cast<int>(std::lround(length * view.dots)), x = l.right() - dots, y = l.top - 8 * l.text;
  fill_rectangle(image, x, y, dots, l.text, ink);
  fill_rectangle(image, x, y - 2 * l.text, l.text, 5 * l.text, ink);
  fill_rectangle(image, x + dots - l.text, y - 2 * l.text, l.text, 5 * l.text, ink);
  draw_text(image, x - l.letter() - text_width(text, l.text), y - 3 * l.text, text, l.text, ink);
}

struct Bar {
  int x, y, width, height;
};

// A triangle on the bar's end: numbers go on beyond it, as far as `most`.
void draw_beyond(Image& image, const Layout& l, const Bar& bar, Colour colour, const std::string& most, bool above) {
  const int tall = bar.width;
  for (int row = 0; row < tall; ++row) {
    const int wide = bar.width - bar.width * row / tall;
    fill_rectangle(image, bar.x + (bar.width - wide) / 2, above ? bar.y - 2 - row : bar.y + bar.height + 1 + row, wide,
                   1, colour);
  }
  const int y = above ? bar.y - tall - 2 - l.line() : bar.y + bar.height + tall + 4 * l.text;
  draw_text(image, bar.x, y, most, l.text, ink);
}

}  // namespace

Layout make_layout(int width, int height, const std::string& title, bool bar) {
  Layout l;
  l.text = width >= 900 && height >= 600 ? 2 : 1;
  const int margin = 2 * l.letter();
  l.title = broken(title, (width - 2 * margin) / l.letter());
  const auto most = static_cast<std::size_t>(std::max(1, height / 4 / l.line()));
  if (l.title.size() > most) l.title.resize(most);
  l.left = margin + tick_letters * l.letter();
  l.top = margin + (static_cast<int>(l.title.size()) + 2) * l.line();
  l.width = width - l.left - (bar ? 13 * l.letter() + margin : margin);
  l.height = height - l.top - 5 * l.text - rows_below * l.line() - margin / 2;
  return l;
}

void draw_title(Image& image, const Layout& l) {
  for (std::size_t i = 0; i < l.title.size(); ++i)
    draw_text(image, 2 * l.letter(), 2 * l.letter() + static_cast<int>(i) * l.line(), l.title[i], l.text, ink);
}

void draw_axes(Image& image, const Layout& l, const View& view) {
  draw_frame(image, l.left, l.top, l.width, l.height);
  draw_axis_across(image, l, view);
  draw_axis_up(image, l, view);
  draw_scale_bar(image, l, view);
}

void draw_bar(Image& image, const Layout& l, const Scale& scale, const std::string& label) {
  const int tall = std::min(160 * l.text, l.height - 8 * l.line());
  const Bar bar{l.right() + 2 * l.letter(), l.top + (l.height - tall) / 2, 6 * l.text, tall};
  for (int row = 0; row < bar.height; ++row)
    fill_rectangle(image, bar.x, bar.y + row, bar.width, 1,
                   colour_at(scale.palette, scale.place(scale.value_at(1 - (row + 0.5) / bar.height))));
  const auto ticks = make_ticks(scale.range.low, scale.range.high, 7);
  for (std::size_t i = 0; i < ticks.places.size(); ++i) {
    const double part = (0.5 * ticks.places[i] - 0.5 * scale.range.low) / scale.range.half();
    const int y = bar.y + static_cast<int>(std::lround((1 - part) * (bar.height - 1)));
    fill_rectangle(image, bar.x + bar.width, y, 2 * l.text, 1, faint_ink);
    draw_text(image, bar.x + bar.width + 4 * l.text, y - 3 * l.text, ticks.labels[i], l.text, ink);
  }
  const auto colour = [&](double value) { return colour_at(scale.palette, scale.place(value)); };
  if (scale.all.high > scale.range.high)
    draw_beyond(image, l, bar, colour(scale.range.high), "to " + short_number(scale.all.high, 3), true);
  if (scale.all.low < scale.range.low)
    draw_beyond(image, l, bar, colour(scale.range.low), "to " + short_number(scale.all.low, 3), false);
  // The label, and the numbers' unit below it where both do not fit into one line.
  const int above = scale.all.high > scale.range.high ? 2 * l.line() + bar.width : l.line();
  const auto lines = broken(ticks.caption(label), (image.width - l.letter() - bar.x) / l.letter());
  for (std::size_t i = 0; i < lines.size(); ++i)
    draw_text(image, bar.x, bar.y - above - 4 * l.text - static_cast<int>(lines.size() - 1 - i) * l.line(), lines[i],
              l.text, faint_ink);
}

void draw_words(Image& image, const Layout& l, const std::string& words) {
  const auto lines = broken(words, (image.width - 4 * l.letter()) / l.letter());
  for (std::size_t i = 0; i < std::min<std::size_t>(lines.size(), rows_below - 2); ++i)
    draw_text(image, 2 * l.letter(), l.bottom() + 6 * l.text + (2 + static_cast<int>(i)) * l.line(), lines[i], l.text,
              faint_ink);
}

}  // namespace farfield::io
