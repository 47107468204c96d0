#include "io/picture/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "farfield/error.hpp"
#include "io/drawing/image.hpp"
#include "io/drawing/splat.hpp"
#include "io/picture/frame.hpp"
#include "io/picture/scale.hpp"
#include "io/picture/ticks.hpp"
#include "io/picture/view.hpp"

namespace farfield::io {
namespace {

constexpr Colour ground{0.020f, 0.022f, 0.045f};

// The bodies as spots, and how many are none.
struct Sky {
  std::vector<Spot> spots;
  std::int64_t nowhere = 0, beyond = 0, without_value = 0;
};

Sky make_sky(const Bodies& bodies, const std::vector<double>& values, const Scale& scale, const View& view) {
  Sky sky;
  for (std::size_t i = 0; i < static_cast<std::size_t>(bodies.count()); ++i) {
    const double* const place = &bodies.positions[3 * i];
    if (!(std::isfinite(place[0]) && std::isfinite(place[1]) && std::isfinite(place[2]))) {
      ++sky.nowhere;
      continue;
    }
    const double x = view.x(place[view.across]), y = view.y(place[view.up]);
    if (!(x >= 0 && x <= view.width && y >= 0 && y <= view.height)) {
      ++sky.beyond;
    } else if (scale.finite > 0 && !std::isfinite(values[i])) {
      ++sky.without_value;
    } else {
      const double t = scale.coloured ? scale.place(values[i]) : 0;
      sky.spots.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(t)});
    }
  }
  return sky;
}

// Amounts of light span decades: asinh is linear in the dark and logarithmic in the bright.
struct Exposure {
  float knee = 1, full = 2;  // where the one becomes the other; what is as bright as can be
};

Exposure exposure_of(const std::vector<float>& amount) {
  std::vector<float> lit;
  for (const float a : amount)
    if (a > 1e-3f) lit.push_back(a);
  if (lit.empty()) return {};
  const auto at = [&](double part) {
    const auto place = lit.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(lit.size() - 1));
    std::nth_element(lit.begin(), place, lit.end());
    return *place;
  };
  const float knee = at(0.55), full = std::max(at(0.9985), 1.001f * knee);
  return {knee, full};
}

std::vector<float> brightness(const std::vector<float>& amount, const Exposure& e) {
  std::vector<float> bright(amount.size());
  const float scale = 1 / std::asinh(e.full / e.knee);
  for (std::size_t i = 0; i < amount.size(); ++i) bright[i] = std::min(1.15f, std::asinh(amount[i] / e.knee) * scale);
  return bright;
}

void add_light(const Light& light, const Exposure& exposure, bool coloured, Palette palette, Image& image) {
  const auto bright = brightness(light.amount, exposure);
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

std::string counted(std::int64_t n, const char* what) {
  return fmt::format("; {} {} {}", n, n == 1 ? "body" : "bodies", what);
}

// What one should know and cannot see.
std::string words_of(const View& view, const Sky& sky, const Scale& scale, const PictureStyle& style, bool valued) {
  std::string words = view.words();
  if (valued && scale.finite == 0)
    words += fmt::format("; {}: no finite number, so colours show density", style.label);
  else if (valued && !scale.coloured)
    words += fmt::format("; {}: {} everywhere, so colours show density", style.label, short_number(scale.all.low, 6));
  if (sky.beyond > 0) words += counted(sky.beyond, "outside the picture");
  if (sky.nowhere > 0) words += counted(sky.nowhere, "at no finite place");
  if (sky.without_value > 0) words += counted(sky.without_value, "without a finite number");
  return words;
}

/// `exposure` is found where there is none yet.
void draw_bodies(Image& image, const Layout& l, const Sky& sky, const Scale& scale, std::optional<Exposure>& exposure) {
  Image inner(l.width, l.height, ground);
  const Light light = gather_light(sky.spots, l.width, l.height);
  if (!exposure) exposure = exposure_of(light.amount);
  add_light(light, *exposure, scale.coloured, scale.palette, inner);
  for (int y = 0; y < l.height; ++y)
    for (int x = 0; x < l.width; ++x) image.at(l.left + x, l.top + y) = inner.at(x, y);
}

void require_style(const PictureStyle& style) {
  if (style.width < 320 || style.height < 240 || style.width > 20000 || style.height > 20000)
    throw Error(ErrorCode::usage,
                fmt::format("A picture of {} x {} dots cannot be drawn; ask for 320 x 240 to 20000 x 20000.",
                            style.width, style.height));
  if (!style.limits) return;
  const auto& [left, right, low, high] = *style.limits;
  const bool ranges = right > left && high > low && right - left < 1e290 && high - low < 1e290;
  if (!ranges)
    throw Error(ErrorCode::usage, fmt::format("Limits {:g} to {:g} across and {:g} to {:g} upward show nothing; each "
                                              "pair must be finite and rise.",
                                              left, right, low, high));
}

View view_of(const Bodies& bodies, const PictureStyle& style, const Layout& layout) {
  const View view = make_view(bodies, style.axis, layout.width, layout.height);
  if (!style.limits) return view;
  const auto& [left, right, low, high] = *style.limits;
  return confined(view, {left, right}, {low, high});
}

}  // namespace

/// What one picture of a series has from the first.
struct Series::Setting {
  Scale scale;
  Layout layout;
  View view;
  std::optional<Exposure> exposure;

  static Setting of(const Bodies& bodies, const std::vector<double>& values, const PictureStyle& style) {
    const Scale scale = make_scale(values);
    const Layout layout = make_layout(style.width, style.height, style.title, scale.coloured);
    return {scale, layout, view_of(bodies, style, layout), {}};
  }
};

Series::Series(PictureStyle style) : style_(std::move(style)) { require_style(style_); }
Series::~Series() = default;

void Series::draw(const std::string& path, const Bodies& bodies, const std::vector<double>& values,
                  const std::string& title) {
  if (!values.empty() && static_cast<std::int64_t>(values.size()) != bodies.count())
    throw Error(ErrorCode::internal,
                fmt::format("{}: {} values for {} bodies; please report it.", path, values.size(), bodies.count()));
  style_.title = title;
  if (!first_) first_ = std::make_unique<Setting>(Setting::of(bodies, values, style_));
  auto& [scale, layout, view, exposure] = *first_;
  const std::size_t room = layout.title.size();  // lines: another number of them would move the frame
  layout.title = make_layout(style_.width, style_.height, title, scale.coloured).title;
  layout.title.resize(room);
  Image image(style_.width, style_.height, ground);
  draw_title(image, layout);
  if (bodies.count() == 0) {
    draw_words(image, layout, "no bodies, so there is nothing to see");
    return write_png(path, image);
  }
  Scale own = scale;
  own.finite = std::count_if(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  const Sky sky = make_sky(bodies, values, own, view);
  draw_bodies(image, layout, sky, own, exposure);
  draw_axes(image, layout, view);
  if (own.coloured) draw_bar(image, layout, own, style_.label);
  draw_words(image, layout, words_of(view, sky, own, style_, !values.empty()));
  write_png(path, image);
}

std::vector<double> Series::look() const {
  if (!first_ || !first_->exposure) return {};
  const auto& [scale, layout, view, exposure] = *first_;
  const auto number = [](auto value) { return static_cast<double>(value); };
  return {number(view.across),
          number(view.up),
          number(view.along),
          view.centre[0],
          view.centre[1],
          view.dots,
          scale.range.low,
          scale.range.high,
          scale.all.low,
          scale.all.high,
          number(scale.palette == Palette::diverging),
          number(scale.falling),
          number(scale.coloured),
          exposure->knee,
          exposure->full};
}

void Series::take_look(const std::vector<double>& look) {
  if (look.size() != 15 || !std::all_of(look.begin(), look.end(), [](double value) { return std::isfinite(value); })) return;
  const auto axis = [&](std::size_t at) { return static_cast<std::size_t>(std::clamp(look[at], 0.0, 2.0)); };
  Scale scale;
  scale.range = {look[6], look[7]}, scale.all = {look[8], look[9]};
  scale.palette = look[10] != 0 ? Palette::diverging : Palette::sequential;
  scale.falling = look[11] != 0, scale.coloured = look[12] != 0;
  const Layout layout = make_layout(style_.width, style_.height, "t", scale.coloured);
  const View view{axis(0),
                  axis(1),
                  axis(2),
                  {look[3], look[4]},
                  look[5],
                  static_cast<double>(layout.width),
                  static_cast<double>(layout.height)};
  const Exposure exposure{static_cast<float>(look[13]), static_cast<float>(look[14])};
  const bool sound = view.across + view.up + view.along == 3 && view.across != view.up && view.up != view.along &&
                     view.dots > 0 && scale.range.half() > (scale.coloured ? 0 : -1) && exposure.knee > 0 &&
                     exposure.full > exposure.knee;
  if (sound) first_ = std::make_unique<Setting>(Setting{scale, layout, view, exposure});
}

void draw(const std::string& path, const Bodies& bodies, const std::vector<double>& values, const PictureStyle& style) {
  Series(style).draw(path, bodies, values, style.title.empty() ? bodies.description : style.title);
}

}  // namespace farfield::io
