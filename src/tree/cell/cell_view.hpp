// CellView and BlockView: a cell and its blocks as functions of host and device need them.
#pragma once
#include <cmath>

#include "core/hd.hpp"

namespace farfield {

/// Vectors as UnitCell has them; those beyond `count` do not repeat.
struct CellView {
  int count;
  double vector[3][3], dual[3][3];

  FARFIELD_HD double fraction(const double x[3], int i) const {
    return x[0] * dual[i][0] + x[1] * dual[i][1] + x[2] * dual[i][2];
  }

  /// See UnitCell::wrapped.
  FARFIELD_HD void wrap(double x[3]) const {
    const double given[3] = {x[0], x[1], x[2]};
    double times[3] = {};
    // The first fractions of a point far away are wrong by their rounding; those of what is left are not.
    for (int step = 0; step < 4; ++step) {
      bool inside = true;
      for (int i = 0; i < count; ++i) {
        const double whole = std::floor(fraction(x, i));
        times[i] += whole;
        inside = inside && whole == 0;
      }
      if (inside) return;
      less(given, times, x);
    }
    // Within rounding of a face: onto it, and a little inwards until the computed fraction says so, too.
    for (int step = 0; step < 64; ++step)
      for (int i = 0; i < count; ++i) {
        const double f = fraction(x, i);
        if (f >= 1) add(x, i, -1);
        if (f < 0) add(x, i, std::ldexp(1.0, step - 56) - f);
      }
  }

  /// Moves x by whole vectors to its image that is nearest to `place`, if one is nearer than half of each vector.
  /// Points that are not numbers stay.
  FARFIELD_HD void bring_to(const double place[3], double x[3]) const {
    const double given[3] = {x[0], x[1], x[2]}, from[3] = {x[0] - place[0], x[1] - place[1], x[2] - place[2]};
    double times[3] = {};
    bool any = false;
    for (int i = 0; i < count; ++i) times[i] = std::round(fraction(from, i)), any = any || times[i] != 0;
    if (any && std::isfinite(times[0] + times[1] + times[2])) less(given, times, x);
  }

  /// See UnitCell::minimum_image.
  FARFIELD_HD void shorten(double d[3]) const {
    const double given[3] = {d[0], d[1], d[2]};
    double times[3] = {};
    for (int step = 0; step < 2; ++step) {
      for (int i = 0; i < count; ++i) times[i] += std::round(fraction(d, i));
      less(given, times, d);
    }
    // Of reduced vectors the closest image is at most one away from the rounded one.
    double least = square(d), chosen[3] = {times[0], times[1], times[2]};
    for (int code = 0; code < (count == 3 ? 27 : count == 2 ? 9 : 3); ++code) {
      double other[3] = {times[0], times[1], times[2]}, moved[3];
      for (int i = 0, rest = code; i < count; ++i, rest /= 3) other[i] += rest % 3 - 1;
      less(given, other, moved);
      if (!(square(moved) < least)) continue;
      least = square(moved);
      for (int i = 0; i < 3; ++i) chosen[i] = other[i];
    }
    less(given, chosen, d);
  }

  /// x minus so many of the vectors, rounded once.
  FARFIELD_HD void less(const double x[3], const double times[3], double out[3]) const {
    for (int axis = 0; axis < 3; ++axis) {
      double value = x[axis], error = 0;
      for (int i = 0; i < count; ++i) subtract_exactly(value, error, times[i], vector[i][axis]);
      out[axis] = value + error;
    }
  }

 private:
  FARFIELD_HD static double square(const double d[3]) { return d[0] * d[0] + d[1] * d[1] + d[2] * d[2]; }
  FARFIELD_HD void add(double x[3], int i, double times) const {
    for (int axis = 0; axis < 3; ++axis) x[axis] = std::fma(times, vector[i][axis], x[axis]);
  }
  /// sum - times value, exactly up to the last bit of `error`.
  FARFIELD_HD static void subtract_exactly(double& sum, double& error, double times, double value) {
    const volatile double rounded = -times * value;  // volatile: to be rounded, not contracted with the sum below
    const double product = rounded, lost = std::fma(-times, value, -product);
    const double next = sum + product, part = next - sum;
    error += ((sum - (next - part)) + (product - part)) + lost;
    sum = next;
  }
};

/// Blocks along the cell's vectors, from `low` on and so wide together, in coordinates along these.
struct BlockView {
  CellView cell;
  double low[3], width[3];
  int counts[3];

  FARFIELD_HD int block_of(const double wrapped[3]) const {
    int block = 0;
    for (int i = 0; i < 3; ++i) {
      const double at = width[i] > 0 ? (cell.fraction(wrapped, i) - low[i]) / width[i] * counts[i] : 0;
      block = block * counts[i] + (at >= counts[i] ? counts[i] - 1 : at >= 0 ? static_cast<int>(at) : 0);
    }
    return block;
  }
};

}  // namespace farfield
