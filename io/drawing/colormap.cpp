#include "io/drawing/colormap.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace farfield::io {
namespace {

// A few anchors, of evenly rising lightness (sequential) or falling off alike on both sides (diverging).
constexpr Colour sequential[] = {{0.20f, 0.16f, 0.52f}, {0.38f, 0.18f, 0.67f}, {0.61f, 0.21f, 0.63f},
                                 {0.82f, 0.28f, 0.50f}, {0.95f, 0.43f, 0.34f}, {0.99f, 0.64f, 0.25f},
                                 {0.99f, 0.83f, 0.42f}, {1.00f, 0.97f, 0.78f}};
constexpr Colour diverging[] = {{0.10f, 0.36f, 0.95f}, {0.30f, 0.60f, 0.98f}, {0.62f, 0.80f, 0.98f},
                                {0.93f, 0.93f, 0.93f}, {0.99f, 0.74f, 0.58f}, {0.96f, 0.47f, 0.32f},
                                {0.88f, 0.16f, 0.17f}};

Colour between(std::span<const Colour> anchors, double t) {
  const double place = std::clamp(t, 0.0, 1.0) * static_cast<double>(anchors.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(place), anchors.size() - 2);
  const auto part = static_cast<float>(place - static_cast<double>(low));
  Colour colour;
  for (std::size_t c = 0; c < 3; ++c) colour[c] = std::lerp(anchors[low][c], anchors[low + 1][c], part);
  return colour;
}

}  // namespace

Colour colour_at(Palette palette, double t) {
  return palette == Palette::sequential ? between(sequential, t) : between(diverging, t);
}

}  // namespace farfield::io
