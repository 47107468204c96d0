// Orbits of translations in the plane: which sources they have, and that a product per orbit is the sum of its
// translations, in long double.
#include "orbits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>
#include <set>
#include <vector>

namespace farfield::testing {
namespace {

using Number = std::complex<long double>;
using lab::Orbit;

TEST(Orbits, HaveEverySourceOfTheInteractionListOnce) {
  for (int child = 0; child < 4; ++child) {
    std::set<std::pair<int, int>> found;
    for (const Orbit& orbit : lab::orbits_of(child)) {
      int x = orbit.x, y = orbit.y;
      for (int j = 0; j < orbit.size; ++j) {
        EXPECT_TRUE(lab::is_far(child, x, y));
        EXPECT_TRUE(found.insert({x, y}).second) << x << ' ' << y << " twice";
        const int turned = -y;
        y = x, x = turned;
      }
    }
    EXPECT_EQ(found.size(), 27u);
    EXPECT_EQ(lab::singles_of(child).back().size, 1);
  }
}

std::vector<Number> random_terms(std::mt19937_64& random, int p) {
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<Number> a(static_cast<std::size_t>(p));
  for (Number& x : a) x = {static_cast<long double>(unit(random)), static_cast<long double>(unit(random))};
  return a;
}

/// Laurent series of a unit charge at z, about 0, and what its Taylor series about t gives at t + u.
TEST(Orbits, OneTranslationConvergesToTheField) {
  const Number z(0.3L, -0.45L), t(2, -1), u(-0.4L, 0.35L);
  long double last = 1;
  for (const int p : {8, 12, 16, 24}) {
    Number sum = 0, row = 1;
    for (int l = 0; l < p; ++l, row *= u / t) {
      Number term = 1.0L / t;
      for (int k = 0; k < p; ++k, term *= z / t) sum += static_cast<long double>(lab::pascal(l, k)) * row * term;
    }
    const long double error = std::abs(sum * (t + u - z) - 1.0L);
    EXPECT_LT(error, std::pow(0.62L, p)) << p;
    EXPECT_LT(error, last) << p;
    last = error;
  }
}

TEST(Orbits, OneProductIsTheSumOfTheirTranslations) {
  constexpr int p = 16;
  std::mt19937_64 random(3);
  const Number i(0, 1);
  for (int child = 0; child < 4; ++child)
    for (const Orbit& orbit : lab::orbits_of(child)) {
      const Number t(orbit.x, orbit.y);
      std::vector<std::vector<Number>> a;
      for (int j = 0; j < orbit.size; ++j) a.push_back(random_terms(random, p));
      for (int l = 0; l < p; ++l) {
        Number one_by_one = 0, together = 0;
        for (int k = 0; k < p; ++k) {
          Number turned = 1, sum = 0;
          for (int j = 0; j < orbit.size; ++j, turned *= i) {
            const auto& source = a[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)];
            one_by_one += static_cast<long double>(lab::pascal(l, k)) * std::pow(turned * t, -(k + l + 1)) * source;
            sum += std::pow(-i, j * ((k + l + 1) % 4)) * source;
          }
          const lab::Complex2 power = lab::inverse_power(orbit.x, orbit.y, k + l);
          together += static_cast<long double>(lab::pascal(l, k)) *
                      Number(static_cast<long double>(power.x), static_cast<long double>(power.y)) * sum;
        }
        EXPECT_LT(std::abs(together - one_by_one), 1e-13L * (1 + std::abs(one_by_one))) << child << ' ' << l;
      }
    }
}

}  // namespace
}  // namespace farfield::testing
