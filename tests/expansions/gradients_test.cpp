// Derivatives of expansions, against the gradient of a point charge and against exact identities.
#include "expansions/expansion_test.hpp"

namespace farfield::testing {
namespace {

Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

/// Largest row sum of |A|: how much a map can enlarge, for rounding bounds.
double row_sum(const SparseMap& a) {
  double largest = 0;
  for (int row = 0; row < a.rows; ++row) {
    double sum = 0;
    for (int e = a.begin[row]; e < a.begin[row + 1]; ++e) sum += std::abs(a.value[e]);
    largest = std::max(largest, sum);
  }
  return largest;
}

/// Tail of the derivative of 1/|x - y| beyond `degree`: sum over n > degree of (n+1) ratio^n, over the distance^2.
double gradient_tail(int degree, double ratio, double distance) {
  const double power = std::pow(ratio, degree + 1);
  return power * ((degree + 2) / (1 - ratio) + ratio / ((1 - ratio) * (1 - ratio))) / (distance * distance);
}

TEST(Gradients, OfALocalExpansionIsThatOfTheCharge) {
  constexpr unsigned seed = 11;
  SCOPED_TRACE(seed);
  Random random(seed);
  for (int trial = 0; trial < 20; ++trial) {
    const Point u = random.point(0.5);
    Point y = random.point(2);
    y[trial % 3] = 3;
    const Point d = minus(y, u);
    for (int degree : {1, 6, 18, 36}) {
      const auto gradient = LaplaceBasis::local_gradient(degree);
      const Vector local = singular(degree, y), r = regular(degree, u);
      // The sum's terms are at most (n+1) ratio^n / |y|^2: their sum is the tail from degree 0.
      const double ratio = norm(u) / norm(y);
      const double bound = gradient_tail(degree - 1, ratio, norm(y)) * (ratio > 0 ? 1 / ratio : 1) +
                           rounding(8 * (degree + 1) * (degree + 1)) * gradient_tail(-1, ratio, norm(y));
      for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(dot(multiply(gradient[axis], local), r), d[axis] / std::pow(norm(d), 3), bound) << degree;
    }
  }
}

TEST(Gradients, OfAMultipoleIsThatOfTheCharge) {
  constexpr unsigned seed = 12;
  SCOPED_TRACE(seed);
  Random random(seed);
  for (int trial = 0; trial < 20; ++trial) {
    const Point y = random.point(0.5);
    Point u = random.point(2);
    u[trial % 3] = -2.5;
    const Point d = minus(y, u);
    for (int degree : {0, 1, 6, 18, 36}) {
      const auto gradient = LaplaceBasis::multipole_gradient(degree);
      const Vector multipole = regular(degree, y), s = singular(degree + 1, u);
      const double ratio = norm(y) / norm(u);
      const double bound = gradient_tail(degree, ratio, norm(u)) +
                           rounding(8 * (degree + 2) * (degree + 2)) * gradient_tail(-1, ratio, norm(u));
      for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(dot(multiply(gradient[axis], multipole), s), d[axis] / std::pow(norm(d), 3), bound) << degree;
    }
  }
}

TEST(Gradients, MapsHaveTheShapesThatTheStagesExpect) {
  const auto local = LaplaceBasis::local_gradient(5), multipole = LaplaceBasis::multipole_gradient(5);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(local[axis].rows, 36);
    EXPECT_EQ(local[axis].columns, 36);
    EXPECT_EQ(local[axis].begin[25], local[axis].begin[36]) << "top degree is zero";
    EXPECT_EQ(multipole[axis].rows, 49);
    EXPECT_EQ(multipole[axis].columns, 36);
  }
}

TEST(Gradients, CommuteAndAnnihilateTheLaplacian) {
  constexpr int degree = 20;
  constexpr unsigned seed = 13;
  SCOPED_TRACE(seed);
  const Vector local = Random(seed).vector(LaplaceBasis::coefficient_count(degree));
  const auto d = LaplaceBasis::local_gradient(degree);
  const auto second = [&](int i, int j) { return multiply(d[i], multiply(d[j], local)); };
  const Vector xx = second(0, 0), yy = second(1, 1), zz = second(2, 2), xy = second(0, 1), yx = second(1, 0);
  const double bound = rounding(16) * row_sum(d[0]) * row_sum(d[0]);  // at most 4 x 4 products per element
  for (std::size_t i = 0; i < local.size(); ++i) {
    EXPECT_NEAR(xx[i] + yy[i] + zz[i], 0, 3 * bound);
    EXPECT_NEAR(xy[i], yx[i], bound);
  }
}

}  // namespace
}  // namespace farfield::testing
