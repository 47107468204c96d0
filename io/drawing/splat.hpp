// From bodies to light: each body a small round spot on a grid of dots, their light and values summed.
#pragma once
#include <cstddef>
#include <vector>

namespace farfield::io {

/// A body on the canvas: place in dots (centres of dots at halves), and where its value lies on the colour scale.
struct Spot {
  float x, y, t;
};

struct Light {
  int width, height;
  std::vector<float> amount;  ///< light per dot; one body brings 1 in all
  std::vector<float> colour;  ///< its mean t, where there is light
};

/// Spots are as wide as the bodies around them are apart, within limits: dense parts stay sharp, thin parts smooth.
Light gather_light(const std::vector<Spot>& spots, int width, int height);

/// Blurred by three passes of a box of the given radius each way, which is nearly a Gaussian.
void blur(std::vector<float>& values, int width, int height, int radius);

}  // namespace farfield::io
