// Arbitrary bytes as the numbers that a fuzz target asks for. What was saved keeps its meaning only as long as the
// order of these questions does.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace farfield::fuzz {

/// A broken promise: libFuzzer saves the input, the plain driver fails.
[[noreturn]] inline void broken(const std::string& promise) {
  std::fprintf(stderr, "broken: %s\n", promise.c_str());
  std::abort();
}
inline void require(bool kept, const char* promise) {
  if (!kept) broken(promise);
}

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), left_(size) {}
  bool empty() const { return left_ == 0; }

  /// Zeros follow the end.
  template <class T>
  T take() {
    T value{};
    const std::size_t size = std::min(left_, sizeof value);
    if (size > 0) std::memcpy(&value, at_, size);
    at_ += size, left_ -= size;
    return value;
  }
  int below(int n) { return take<std::uint8_t>() % n; }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool flag() { return take<std::uint8_t>() & 1; }

  /// Any double: of all exponents, round, notorious, or any pattern of bits.
  double real() {
    static constexpr double notorious[] = {0,        -0.0,
                                           5e-324,   -1e-310,
                                           2.3e-308, 1e-200,
                                           1e-60,    1e-46,
                                           1.2e-38,  0.1,
                                           0.3,      0.30000000000000004,
                                           1e18,     9.96920996838687e36,
                                           3.5e38,   1e50,
                                           1e150,    1e200,
                                           -1e308,   1.7976931348623157e308};
    switch (below(5)) {
      case 0:
        return take<double>();
      case 1:
        return notorious[below(static_cast<int>(std::size(notorious)))];
      case 2:
        return std::ldexp(static_cast<double>(take<std::int32_t>()), 8 * take<std::int8_t>());
      case 3:
        return take<std::int8_t>();
      default:
        return take<std::int16_t>() * 0x1p-15;
    }
  }

  /// Interleaved points: anywhere, on an earlier one, a few ulps from it, on a lattice, in the unit cube.
  std::vector<double> points(int count) {
    std::vector<double> xyz;
    for (int i = 0; i < count; ++i) add_point(xyz, i);
    return xyz;
  }

 private:
  void add_point(std::vector<double>& xyz, int before) {
    const int kind = below(6);
    if (kind <= 1 && before > 0) return add_copy(xyz, below(before), kind == 1);
    const std::uint16_t places = kind == 2 ? take<std::uint16_t>() : std::uint16_t{0};
    for (int axis = 0; axis < 3; ++axis) {
      if (kind == 2)
        xyz.push_back(places >> (4 * axis) & 15);
      else
        xyz.push_back(kind == 3 ? real() : take<std::uint16_t>() * 0x1p-16);
    }
  }
  void add_copy(std::vector<double>& xyz, int of, bool moved) {
    for (int axis = 0; axis < 3; ++axis) xyz.push_back(xyz[static_cast<std::size_t>(3 * of + axis)]);
    if (!moved) return;
    double& x = xyz[xyz.size() - 1 - static_cast<std::size_t>(below(3))];
    const int ulps = take<std::int8_t>();
    for (int k = 0; k < std::abs(ulps) % 8; ++k) x = std::nextafter(x, ulps < 0 ? -INFINITY : INFINITY);
  }

  const std::uint8_t* at_;
  std::size_t left_;
};

}  // namespace farfield::fuzz
