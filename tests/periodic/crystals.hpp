// Cells, crystals and four charges whose periodic energies are known.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "support/ewald.hpp"
#include "support/random.hpp"

namespace farfield::testing {

/// `digits` as printed: within one unit of the last place, or within 3e-15 of the size, which is all that positions in
/// double allow.
inline void expect_digits(Real value, const std::string& digits) {
  const Real expected = std::strtold(digits.c_str(), nullptr);
  const auto places = static_cast<int>(digits.size() - digits.find('.') - 1);
  const Real error = std::max(std::pow(10.0L, -places), 3e-15L * std::fabs(expected));
  EXPECT_LE(std::fabs(value - expected), error) << static_cast<double>(value) << " for " << digits;
}

struct Crystal {
  Rows cell;
  std::vector<Vec> x;
  std::vector<double> q;
};

inline Rows box(double a, double b, double c) { return {{{a, 0, 0}, {0, b, 0}, {0, 0, c}}}; }
/// A unit cube whose numbers are each off by up to `most`.
inline Rows random_cell(Stream& random, double most) {
  Rows cell = box(1, 1, 1);
  for (auto& row : cell)
    for (double& value : row) value += random.between(-most, most);
  return cell;
}
/// Vector i is periodic where bit i is set.
inline Axes axes_of(int bits) { return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0}; }
inline Rows hexagonal(double c) { return {{{1, 0, 0}, {-0.5, std::sqrt(3.0) / 2, 0}, {0, 0, c}}}; }
inline const Rows triclinic{{{1, 0, 0}, {0.3, 1.1, 0}, {-0.4, 0.25, 0.9}}};
inline const Rows body_centred{{{-0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0.5, 0.5, -0.5}}};
inline const Rows face_centred{{{0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}}};

inline Crystal rock_salt() { return {{{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}}, {{0, 0, 0}, {1, 0, 0}}, {1, -1}}; }
inline Crystal caesium_chloride() { return {box(1, 1, 1), {{0, 0, 0}, {0.5, 0.5, 0.5}}, {1, -1}}; }
inline Crystal zincblende() { return {face_centred, {{0, 0, 0}, {0.25, 0.25, 0.25}}, {1, -1}}; }
inline Crystal wurtzite() {
  const Real c = std::sqrt(8.0L / 3), h = std::sqrt(3.0L) / 6;
  return {hexagonal(std::sqrt(8.0 / 3)),
          {{0, 2 * h, 0}, {0.5, h, c / 2}, {0, 2 * h, 0.375L * c}, {0.5, h, 0.875L * c}},
          {1, 1, -1, -1}};
}
inline Crystal fluorite() { return {face_centred, {{0, 0, 0}, {0.25, 0.25, 0.25}, {0.75, 0.75, 0.75}}, {2, -1, -1}}; }
inline Crystal cuprite() {
  return {box(1, 1, 1),
          {{0, 0, 0}, {0.5, 0.5, 0.5}, {0.25, 0.25, 0.25}, {0.75, 0.75, 0.25}, {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}},
          {-2, -2, 1, 1, 1, 1}};
}
inline Crystal perovskite() {
  return {box(1, 1, 1), {{0, 0, 0}, {0.5, 0.5, 0.5}, {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}}, {4, 2, -2, -2, -2}};
}

inline const std::vector<Vec> four_x = {
    {0.1L, 0.2L, 0.3L}, {0.45L, 0.75L, 0.15L}, {0.8L, 0.35L, 0.6L}, {0.25L, 0.5L, 0.85L}};
inline const std::vector<double> four_q = {1, -2, 1.5, -0.5}, four_q_charged = {1, -2, 1.5, 0.5};

}  // namespace farfield::testing
