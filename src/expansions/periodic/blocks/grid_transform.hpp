// Discrete Fourier transforms of numbers that stand on a grid of blocks, along one axis after the other and as their
// formula says: lengths are 3 to some 20. For loops of the host and threads of a device: each stage visits every
// `step`-th of what it makes. The numbers are coefficients, complex in a sense of their own (convolution_sums.hpp); of
// a transform
//
//   sum over s of x(s) exp(-i 2 pi k s / length) = cosine - i sine
//
// both parts are such coefficients, so that conj x(s) has the conjugates of both. Frequencies k and -k are conjugate in
// i: of the first axis half of them are made.
#pragma once
#include "expansions/periodic/convolution_sums.hpp"

namespace farfield::convolution {

struct alignas(16) Wave {
  Complex cosine, sine;
};

/// Of `count` numbers from place `first` on along each axis, taken as 0 elsewhere on a circle of `length` places.
struct GridTransform {
  int count[3] = {}, first[3] = {}, length[3] = {};
  const Complex* waves = nullptr;  ///< exp(i 2 pi s / length), s < length, of one axis behind the other

  FARFIELD_HD int half() const { return length[0] / 2 + 1; }
  FARFIELD_HD int frequencies() const { return half() * length[1] * length[2]; }
  FARFIELD_HD int numbers() const { return count[0] * count[1] * count[2]; }
  /// Of what stands between the stages.
  FARFIELD_HD int after_first() const { return half() * count[1] * count[2]; }
  FARFIELD_HD int after_second() const { return half() * length[1] * count[2]; }
  FARFIELD_HD int rest_first() const { return half() * length[1] * count[2]; }
  FARFIELD_HD int rest_second() const { return half() * count[1] * count[2]; }
  FARFIELD_HD const Complex* waves_of(int axis) const {
    return waves + (axis > 0 ? length[0] : 0) + (axis > 1 ? length[1] : 0);
  }
};

FARFIELD_HD void add_wave(Wave& sum, const Complex& x, double cosine, double sine) {
  sum.cosine.real += x.real * cosine, sum.cosine.imaginary += x.imaginary * cosine;
  sum.sine.real += x.real * sine, sum.sine.imaginary += x.imaginary * sine;
}
/// (a - i b) (cosine - i sine)
FARFIELD_HD void add_wave(Wave& sum, const Wave& x, double cosine, double sine) {
  add_wave(sum, x.cosine, cosine, sine);
  sum.cosine.real -= x.sine.real * sine, sum.cosine.imaginary -= x.sine.imaginary * sine;
  sum.sine.real += x.sine.real * cosine, sum.sine.imaginary += x.sine.imaginary * cosine;
}
/// The real part of (a - i b) (cosine + i sine).
FARFIELD_HD void add_real(Complex& sum, const Wave& x, double cosine, double sine) {
  sum.real += x.cosine.real * cosine + x.sine.real * sine;
  sum.imaginary += x.cosine.imaginary * cosine + x.sine.imaginary * sine;
}

/// visit(i, cosine, sine) of the angles `step` (first + i) 2 pi / length for i < count.
template <class Visit>
FARFIELD_HD void along(const Complex* waves, int length, int step, int first, int count, const Visit& visit) {
  int at = step * first % length;
  if (at < 0) at += length;
  for (int i = 0; i < count; ++i) {
    const Complex wave = waves[at];
    visit(i, wave.real, wave.imaginary);
    at += step;
    if (at >= length) at -= length;
  }
}

/// Place `i` of a grid, the last axis' places one after the other.
struct GridPlace {
  int at[3];
  FARFIELD_HD GridPlace(int i, int second, int third) : at{i / third / second, i / third % second, i % third} {}
};

/// The block of which an image stands there; g of a grid around `blocks`.
FARFIELD_HD int block_of_image(const GridTransform& g, const int (&blocks)[3], const GridPlace& place) {
  int block = 0;
  for (int i = 0; i < 3; ++i) {
    const int at = (place.at[i] + g.first[i]) % blocks[i];
    block = block * blocks[i] + (at < 0 ? at + blocks[i] : at);
  }
  return block;
}

/// Forward, along the first axis: x(i) is number i of the grid. To [k0][s1][s2].
template <class Numbers>
FARFIELD_HD void transform_first(const GridTransform& g, int begin, int step, const Numbers& x, Wave* to) {
  const int rest = g.count[1] * g.count[2];
  for (int i = begin; i < g.after_first(); i += step) {
    Wave sum;
    along(g.waves_of(0), g.length[0], i / rest, g.first[0], g.count[0],
          [&](int s, double cosine, double sine) { add_wave(sum, x(s * rest + i % rest), cosine, sine); });
    to[i] = sum;
  }
}
/// To [k0][k1][s2].
FARFIELD_HD void transform_second(const GridTransform& g, int begin, int step, const Wave* x, Wave* to) {
  for (int i = begin; i < g.after_second(); i += step) {
    const GridPlace p(i, g.length[1], g.count[2]);
    const Wave* const from = x + p.at[0] * g.count[1] * g.count[2] + p.at[2];
    Wave sum;
    along(g.waves_of(1), g.length[1], p.at[1], g.first[1], g.count[1],
          [&](int s, double cosine, double sine) { add_wave(sum, from[s * g.count[2]], cosine, sine); });
    to[i] = sum;
  }
}
/// write(k, wave), k of [k0][k1][k2].
template <class Write>
FARFIELD_HD void transform_third(const GridTransform& g, int begin, int step, const Wave* x, const Write& write) {
  for (int i = begin; i < g.frequencies(); i += step) {
    const GridPlace p(i, g.length[1], g.length[2]);
    const Wave* const from = x + (p.at[0] * g.length[1] + p.at[1]) * g.count[2];
    Wave sum;
    along(g.waves_of(2), g.length[2], p.at[2], g.first[2], g.count[2],
          [&](int s, double cosine, double sine) { add_wave(sum, from[s], cosine, sine); });
    write(i, sum);
  }
}

/// Back, along the last axis: x(k) is that of frequency k. To [k0][k1][s2].
template <class Waves>
FARFIELD_HD void restore_third(const GridTransform& g, int begin, int step, const Waves& x, Wave* to) {
  for (int i = begin; i < g.rest_first(); i += step) {
    const int row = i / g.count[2];
    Wave sum;
    along(g.waves_of(2), g.length[2], g.first[2] + i % g.count[2], 0, g.length[2],
          [&](int k, double cosine, double sine) { add_wave(sum, x(row * g.length[2] + k), cosine, -sine); });
    to[i] = sum;
  }
}
/// To [k0][s1][s2].
FARFIELD_HD void restore_second(const GridTransform& g, int begin, int step, const Wave* x, Wave* to) {
  for (int i = begin; i < g.rest_second(); i += step) {
    const GridPlace p(i, g.count[1], g.count[2]);
    const Wave* const from = x + p.at[0] * g.length[1] * g.count[2] + p.at[2];
    Wave sum;
    along(g.waves_of(1), g.length[1], g.first[1] + p.at[1], 0, g.length[1],
          [&](int k, double cosine, double sine) { add_wave(sum, from[k * g.count[2]], cosine, -sine); });
    to[i] = sum;
  }
}
/// write(s, number), s of [s0][s1][s2].
template <class Write>
FARFIELD_HD void restore_first(const GridTransform& g, int begin, int step, const Wave* x, const Write& write) {
  const int rest = g.count[1] * g.count[2];
  const double unit = 1.0 / (double(g.length[0]) * g.length[1] * g.length[2]);
  for (int i = begin; i < g.numbers(); i += step) {
    Complex sum;
    along(g.waves_of(0), g.length[0], g.first[0] + i / rest, 0, g.half(), [&](int k, double cosine, double sine) {
      const double times = k > 0 ? 2 : 1;  // -k, too: lengths are odd
      add_real(sum, x[k * rest + i % rest], times * cosine, times * sine);
    });
    write(i, Complex{unit * sum.real, unit * sum.imaginary});
  }
}

}  // namespace farfield::convolution
