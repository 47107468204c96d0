// Periodic axes: where a point lies within its cell, and which of its images a target can see.
#pragma once
#include <array>

#include "density/bandwidth.hpp"
#include "density/sample.hpp"

namespace farfield::density {

struct Cell {
  std::array<double, 3> length{};  ///< of the period along each axis; 0: not periodic

  bool periodic(int axis) const { return length[static_cast<std::size_t>(axis)] > 0; }
  bool any() const { return periodic(0) || periodic(1) || periodic(2); }
  /// The same place in [low, low + length) along a periodic axis, itself along others.
  double wrapped(double x, int axis, double low) const;
};

/// The points with each periodic coordinate within half a period of the circular mean, as rules for open axes want
/// them.
Sample unwrapped(const Sample& sample, const Cell& cell);

/// Least and greatest coordinate of points along each axis.
struct Box {
  std::array<double, 3> low{}, high{};
};
Box box_of(const std::vector<double>& positions, int dimension);

/// The points wrapped into [0, length) and all their images from which a target within `box`, wrapped likewise, gets
/// more than exp(-reach^2/2) of a kernel's peak. Throws Error(usage) where a bandwidth exceeds its period: the density
/// would be the same all along that axis.
Sample with_images(const Sample& sample, const Cell& cell, const Box& box, const Bandwidth& bandwidth, double reach);

}  // namespace farfield::density
