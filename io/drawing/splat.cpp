#include "io/drawing/splat.hpp"

#include <algorithm>
#include <cmath>

namespace farfield::io {
namespace {

constexpr int cell = 6;                            // dots per cell of the density estimate
constexpr float narrowest = 0.62f, widest = 2.1f;  // standard deviations of a spot, in dots
constexpr float spots_across = 0.55f;              // times the mean distance of neighbours

// Bodies per dot around each cell.
class Density {
 public:
  Density(const std::vector<Spot>& spots, int width, int height)
      : columns_(width / cell + 1), rows_(height / cell + 1), values_(static_cast<std::size_t>(columns_) * rows_) {
    for (const Spot& spot : spots) values_[index(spot)] += 1.0f / (cell * cell);
    blur(values_, columns_, rows_, 1);
  }
  float at(const Spot& spot) const { return values_[index(spot)]; }

 private:
  std::size_t index(const Spot& spot) const {
    const int column = std::clamp(static_cast<int>(spot.x) / cell, 0, columns_ - 1);
    const int row = std::clamp(static_cast<int>(spot.y) / cell, 0, rows_ - 1);
    return static_cast<std::size_t>(row) * columns_ + column;
  }
  int columns_, rows_;
  std::vector<float> values_;
};

// Weights of a Gaussian on the dots around `centre` along one axis, of sum 1.
struct Profile {
  static constexpr int reach = 6;
  int first;
  float weight[2 * reach + 1];
  int count;

  Profile(float centre, float sigma) {
    const int half = std::min(static_cast<int>(std::ceil(2.6f * sigma)), reach);
    first = static_cast<int>(std::floor(centre)) - half;
    count = 2 * half + 1;
    float sum = 0;
    for (int i = 0; i < count; ++i) {
      const float d = (static_cast<float>(first + i) + 0.5f - centre) / sigma;
      sum += weight[i] = std::exp(-0.5f * d * d);
    }
    for (int i = 0; i < count; ++i) weight[i] /= sum;
  }
};

void add_spot(const Spot& spot, float sigma, Light& light) {
  const Profile across(spot.x, sigma), down(spot.y, sigma);
  for (int j = std::max(0, -down.first); j < down.count && down.first + j < light.height; ++j)
    for (int i = std::max(0, -across.first); i < across.count && across.first + i < light.width; ++i) {
      const std::size_t at = static_cast<std::size_t>(down.first + j) * light.width + (across.first + i);
      const float weight = down.weight[j] * across.weight[i];
      light.amount[at] += weight;
      light.colour[at] += weight * spot.t;
    }
}

// One pass along lines of `count` values which lie `stride` apart.
void blur_line(float* values, int count, std::size_t stride, int radius, std::vector<float>& line) {
  line.resize(static_cast<std::size_t>(count));
  const float scale = 1.0f / static_cast<float>(2 * radius + 1);
  const auto value = [&](int i) { return i < 0 || i >= count ? 0.0f : values[static_cast<std::size_t>(i) * stride]; };
  double sum = 0;
  for (int i = -radius; i < radius; ++i) sum += value(i);
  for (int i = 0; i < count; ++i) {
    sum += value(i + radius);
    line[static_cast<std::size_t>(i)] = static_cast<float>(sum) * scale;
    sum -= value(i - radius);
  }
  for (int i = 0; i < count; ++i)
    values[static_cast<std::size_t>(i) * stride] = std::max(0.0f, line[static_cast<std::size_t>(i)]);
}

}  // namespace

void blur(std::vector<float>& values, int width, int height, int radius) {
  std::vector<float> line;
  const auto row = static_cast<std::size_t>(width);
  for (int pass = 0; pass < 3; ++pass) {
    for (int y = 0; y < height; ++y)
      blur_line(values.data() + static_cast<std::size_t>(y) * row, width, 1, radius, line);
    for (int x = 0; x < width; ++x) blur_line(values.data() + x, height, row, radius, line);
  }
}

Light gather_light(const std::vector<Spot>& spots, int width, int height) {
  const auto dots = static_cast<std::size_t>(width) * height;
  Light light{width, height, std::vector<float>(dots), std::vector<float>(dots)};
  const Density density(spots, width, height);
  for (const Spot& spot : spots) {
    const float apart = 1 / std::sqrt(std::max(density.at(spot), 1e-6f));
    add_spot(spot, std::clamp(spots_across * apart, narrowest, widest), light);
  }
  for (std::size_t i = 0; i < dots; ++i)
    if (light.amount[i] > 0) light.colour[i] /= light.amount[i];
  return light;
}

}  // namespace farfield::io
