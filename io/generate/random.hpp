// Random numbers that are the same on every platform: std distributions are not.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>

namespace farfield::io {

/// xoshiro256++ (Blackman & Vigna 2019), its state filled by splitmix64. Streams of one seed are independent, so that
/// for example another choice of strengths leaves the positions as they were.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t state = seed ^ (stream * 0xd1342543de82ef95ULL);
    for (auto& word : state_) {
      state += 0x9e3779b97f4a7c15ULL;
      std::uint64_t mixed = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ULL;
      mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
      word = mixed ^ (mixed >> 31);
    }
  }

  std::uint64_t bits() {
    const std::uint64_t result = rotated(state_[0] + state_[3], 23) + state_[0], shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotated(state_[3], 45);
    return result;
  }

  /// In the open interval (0, 1): the middle of one of 2^52 equal pieces.
  double uniform() { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }
  double between(double low, double high) { return low + (high - low) * uniform(); }

  /// A point within the unit ball, by rejection: square roots and logarithms are not needed.
  std::array<double, 3> ball() {
    while (true) {
      const std::array<double, 3> p{between(-1, 1), between(-1, 1), between(-1, 1)};
      if (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] <= 1) return p;
    }
  }

  /// A direction, uniform on the unit sphere; very short vectors are drawn again, their rounding would show.
  std::array<double, 3> direction() {
    while (true) {
      const auto p = ball();
      const double length = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
      if (length > 1e-3) return {p[0] / length, p[1] / length, p[2] / length};
    }
  }

 private:
  static std::uint64_t rotated(std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace farfield::io
