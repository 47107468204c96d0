// Seeded random numbers, the same on every platform: the standard's distributions are not.
#pragma once
#include <cstdint>
#include <cstdio>
#include <random>

namespace farfield::testing {

class Stream {
 public:
  explicit Stream(std::uint64_t seed) : engine_(seed) {}
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }  ///< [0, 1)
  double between(double low, double high) { return low + (high - low) * unit(); }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(n)); }

 private:
  std::mt19937_64 engine_;
};

/// Others in each run; prints the seed.
inline Stream fresh_stream() {
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  return Stream(seed);
}

}  // namespace farfield::testing
