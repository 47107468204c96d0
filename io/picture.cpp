#include "picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "farfield/error.hpp"
#include "image.hpp"
#include "splat.hpp"

namespace farfield::io {
namespace {

constexpr Colour ground{0.020f, 0.022f, 0.045f}, ink{0.86f, 0.87f, 0.92f}, faint_ink{0.50f, 0.52f, 0.60f};
constexpr int margin = 26, top = 64, bar_width = 12, bar_room = 130, small_text = 2;

struct Range {
  double low = 0, high = 0;
  double middle() const { return 0.5 * (low + high); }
  double width() const { return high - low; }
};

// Quantiles of a thinned list: a hundred thousand of many values are as good as all.
Range quantiles(const double* values, std::size_t count, std::size_t stride, double outside) {
  const std::size_t thin = std::max<std::size_t>(1, count / 200000);
  std::vector<double> sample;
  for (std::size_t i = 0; i < count; i += thin)
    if (std::isfinite(values[i * stride])) sample.push_back(values[i * stride]);
  if (sample.empty()) return {};
  const auto at = [&](double part) {
    const auto place =
        sample.begin() + static_cast<std::ptrdiff_t>(std::lround(part * static_cast<double>(sample.size() - 1)));
    std::nth_element(sample.begin(), place, sample.end());
    return *place;
  };
  const double low = at(outside);
  return {low, at(1 - outside)};
}

// The number range behind the colours.
struct Scale {
  Range range;
  Palette palette = Palette::sequential;
  bool falling = false;  // negative values alone: the largest magnitude is the lightest

  double place(double value) const {
    const double t = (value - range.low) / range.width();
    return std::clamp(falling ? 1 - t : t, 0.0, 1.0);
  }
};

Scale make_scale(const std::vector<double>& values) {
  Scale scale{quantiles(values.data(), values.size(), 1, 0.02)};
  Range& range = scale.range;
  const double most = std::max(std::abs(range.low), std::abs(range.high));
  if (std::min(-range.low, range.high) > 0.02 * most) {
    scale.palette = Palette::diverging;
    range = {-most, most};
  } else {
    scale.falling = range.high <= 0 && range.low < 0;
  }
  if (!(range.width() > 1e-12 * most)) range = {range.low - 0.5 - most, range.high + 0.5 + most};  // all values equal
  return scale;
}

// The two axes that span the picture, and how places become dots.
struct View {
  std::array<std::size_t, 2> axes{0, 1};
  std::array<double, 2> centre{};
  double dots = 1;  // per unit of length
  double x0 = 0, y0 = 0;
};

View make_view(const Bodies& bodies, const PictureStyle& style) {
  const auto n = static_cast<std::size_t>(bodies.count());
  std::array<Range, 3> extent;
  for (std::size_t c = 0; c < 3; ++c) extent[c] = quantiles(bodies.positions.data() + c, n, 3, 0.0025);
  // The picture is wide: the longest axis lies across it, the shortest is looked along. Ties go to x and y.
  std::array<std::size_t, 3> order{0, 1, 2};
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return extent[a].width() > 1.25 * extent[b].width(); });
  View view{{order[0], order[1]}, {}, 1, 0, 0};
  const double across = style.width - 2 * margin - bar_room, down = style.height - top - margin;
  double dots = HUGE_VAL;
  const double room[2] = {across, down};
  for (std::size_t c = 0; c < 2; ++c) {
    view.centre[c] = extent[view.axes[c]].middle();
    if (extent[view.axes[c]].width() > 0) dots = std::min(dots, 0.96 * room[c] / extent[view.axes[c]].width());
  }
  view.dots = std::isfinite(dots) ? dots : 1;
  view.x0 = margin + across / 2;
  view.y0 = top + down / 2;
  return view;
}

std::vector<Spot> make_spots(const Bodies& bodies, const std::vector<double>& values, const Scale& scale,
                             const View& view, const PictureStyle& style) {
  std::vector<Spot> spots;
  for (std::size_t i = 0; i < static_cast<std::size_t>(bodies.count()); ++i) {
    const double x = view.x0 + view.dots * (bodies.positions[3 * i + view.axes[0]] - view.centre[0]);
    const double y = view.y0 - view.dots * (bodies.positions[3 * i + view.axes[1]] - view.centre[1]);
    if (!(x > -8 && x < style.width + 8 && y > -8 && y < style.height + 8)) continue;  // NaN fails too
    if (!values.empty() && !std::isfinite(values[i])) continue;
    const double t = values.empty() ? 0 : scale.place(values[i]);
    spots.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(t)});
  }
  return spots;
}

// Amounts of light span decades: asinh is linear in the dark and logarithmic in the bright.
std::vector<float> brightness(const std::vector<float>& amount) {
  std::vector<float> lit;
  for (const float a : amount)
    if (a > 1e-3f) lit.push_back(a);
  if (lit.empty()) return std::vector<float>(amount.size());
  const auto at = [&](double part) {
    const auto place = lit.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(lit.size() - 1));
    std::nth_element(lit.begin(), place, lit.end());
    return *place;
  };
  const float knee = at(0.55), full = std::max(at(0.9985), 1.001f * knee);
  std::vector<float> bright(amount.size());
  const float scale = 1 / std::asinh(full / knee);
  for (std::size_t i = 0; i < amount.size(); ++i) bright[i] = std::min(1.15f, std::asinh(amount[i] / knee) * scale);
  return bright;
}

void add_light(const Light& light, bool coloured, Palette palette, Image& image) {
  const auto bright = brightness(light.amount);
  const std::size_t dots = bright.size();
  std::array<std::vector<float>, 3> glow;
  for (auto& channel : glow) channel = std::vector<float>(dots);
  for (std::size_t i = 0; i < dots; ++i) {
    const Colour hue = colour_at(palette, coloured ? light.colour[i] : bright[i]);
    const float shine = bright[i];
    for (std::size_t c = 0; c < 3; ++c) {
      image.pixels[i][c] += shine * hue[c];
      glow[c][i] = bright[i] * bright[i] * hue[c];
    }
  }
  // Light spills over, as in an eye or a lens; screened, so that nothing burns out.
  for (std::size_t c = 0; c < 3; ++c) {
    blur(glow[c], light.width, light.height, 7);
    for (std::size_t i = 0; i < dots; ++i) {
      float& value = image.pixels[i][c];
      value = 1 - (1 - std::min(value, 1.0f)) * (1 - std::min(0.55f * glow[c][i], 1.0f));
    }
  }
}

std::string shortened(std::string text, int room, int scale) {
  if (text_width(text, scale) <= room) return text;
  const int fits = room / text_width("x", scale) - 3;
  return text.substr(0, static_cast<std::size_t>(std::max(fits, 0))) + "...";
}

// Three digits in at most eight characters: 12300, 0.00123, 1.23e6.
std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size == 0 || (size >= 1e-3 && size < 1e3)) return fmt::format("{:.3g}", value);
  if (size >= 1e3 && size < 1e5) return fmt::format("{:.0f}", value);
  const int exponent = static_cast<int>(std::floor(std::log10(size)));
  return fmt::format("{:.3g}e{}", value / std::pow(10.0, exponent), exponent);
}

void draw_bar(Image& image, const Scale& scale, const std::string& label) {
  const int height = std::min(320, image.height - 2 * top), x = image.width - bar_room, y = (image.height - height) / 2;
  for (int row = 0; row < height; ++row) {
    const double t = 1 - (row + 0.5) / height;
    fill_rectangle(image, x, y + row, bar_width, 1, colour_at(scale.palette, scale.falling ? 1 - t : t));
  }
  constexpr int ticks = 5;
  for (int tick = 0; tick < ticks; ++tick) {
    const double part = static_cast<double>(tick) / (ticks - 1), value = scale.range.low + part * scale.range.width();
    const int at = y + static_cast<int>(std::lround((1 - part) * (height - 1)));
    fill_rectangle(image, x + bar_width, at, 4, 1, faint_ink);
    draw_text(image, x + bar_width + 9, at - 7, tick_text(value), small_text, ink);
  }
  draw_text(image, image.width - 12 - text_width(label, small_text), y - 40, label, small_text, faint_ink);
}

}  // namespace

void draw(const std::string& path, const Bodies& bodies, const std::vector<double>& values, const PictureStyle& style) {
  if (style.width < 320 || style.height < 240 || style.width > 20000 || style.height > 20000)
    throw Error(ErrorCode::usage,
                fmt::format("A picture of {} x {} dots cannot be drawn; ask for 320 x 240 to 20000 x 20000.",
                            style.width, style.height));
  if (!values.empty() && static_cast<std::int64_t>(values.size()) != bodies.count())
    throw Error(ErrorCode::internal,
                fmt::format("{}: {} values for {} bodies; please report it.", path, values.size(), bodies.count()));
  const Scale scale = make_scale(values);
  const auto spots = make_spots(bodies, values, scale, make_view(bodies, style), style);
  Image image(style.width, style.height, ground);
  add_light(gather_light(spots, style.width, style.height), !values.empty(), scale.palette, image);
  const std::string title = style.title.empty() ? bodies.description : style.title;
  draw_text(image, margin, margin, shortened(title, style.width - 2 * margin, small_text), small_text, ink);
  if (!values.empty()) draw_bar(image, scale, style.label);
  write_png(path, image);
}

}  // namespace farfield::io
