// The generators share what operators of a degree have in common and skip what is zero. They give the same numbers, bit
// for bit, as the formulas written down one element at a time in long double.
#include "expansions/expansion_test.hpp"
#include "expansions/offsets.hpp"

namespace farfield::testing {
namespace {

using laplace::BinomialRoots;
using laplace::Complex;
using laplace::index;

std::size_t place(int out, int in, int count) {
  return static_cast<std::size_t>(in) * static_cast<std::size_t>(count) + static_cast<std::size_t>(out);
}

std::vector<Complex> regular_of(int degree, const double u[3]) {
  return laplace::regular_harmonics(degree, laplace::recurrence_table<long double>(degree), u);
}

/// h_n^m(u + v) of laplace_translations.hpp, all k and l.
Vector plain_m2m(int degree) {
  const int count = laplace::count(degree);
  constexpr double centre[3] = {0.25, 0.25, 0.25};
  const BinomialRoots roots(2 * degree);
  const std::vector<Complex> shift = regular_of(degree, centre);
  const auto factor = [&](int n, int m, int k, int l) {
    if (std::abs(m - l) > n - k) return Complex(0);
    return roots(k - l, n - m - k + l) * roots(k + l, n + m - k - l) * shift[index(n - k, m - l)];
  };
  Vector a(place(0, count, count), 0);
  for (int n = 0; n <= degree; ++n)
    for (int m = 0; m <= n; ++m)
      for (int k = 0; k <= n; ++k)
        for (int l = 0; l <= k; ++l) {
          const Complex p = factor(n, m, k, l), q = l ? factor(n, m, k, -l) * (l & 1 ? -1.0L : 1.0L) : Complex(0);
          const long double scale = std::ldexp(laplace::real_factor(m) / laplace::real_factor(l), -k);
          a[place(index(n, m), index(k, l), count)] = static_cast<double>(scale * (p + q).real());
          if (l > 0) a[place(index(n, m), index(k, -l), count)] = static_cast<double>(-scale * (p - q).imag());
          if (m > 0) a[place(index(n, -m), index(k, l), count)] = static_cast<double>(scale * (p + q).imag());
          if (l > 0 && m > 0) a[place(index(n, -m), index(k, -l), count)] = static_cast<double>(scale * (p - q).real());
        }
  return a;
}

/// g_n^m(t + v), likewise.
Vector plain_m2l(int degree, const double t[3], double edge) {
  const int count = laplace::count(degree);
  const BinomialRoots roots(2 * degree);
  std::vector<Complex> g = regular_of(2 * degree, t);
  const long double r =
      std::hypot(static_cast<long double>(t[0]), static_cast<long double>(t[1]), static_cast<long double>(t[2]));
  for (int n = 0; n <= 2 * degree; ++n)
    for (int m = -n; m <= n; ++m) g[index(n, m)] /= std::pow(r, 2 * n + 1);
  Vector a(place(0, count, count), 0);
  for (int n = 0; n <= degree; ++n)
    for (int m = 0; m <= n; ++m)
      for (int k = 0; k <= degree; ++k)
        for (int l = 0; l <= k; ++l) {
          const Complex p = roots(n - m, k - l) * roots(n + m, k + l) * g[index(n + k, m + l)];
          const Complex q =
              l ? (l & 1 ? -1.0L : 1.0L) * roots(n - m, k + l) * roots(n + m, k - l) * g[index(n + k, m - l)]
                : Complex(0);
          const long double scale = std::pow(static_cast<long double>(edge), k + 1) * (k & 1 ? -1 : 1) *
                                    laplace::real_factor(m) / laplace::real_factor(l);
          a[place(index(k, l), index(n, m), count)] = static_cast<double>(scale * (p + q).real());
          if (l > 0) a[place(index(k, -l), index(n, m), count)] = static_cast<double>(scale * (p - q).imag());
          if (m > 0) a[place(index(k, l), index(n, -m), count)] = static_cast<double>(scale * (p + q).imag());
          if (l > 0 && m > 0)
            a[place(index(k, -l), index(n, -m), count)] = static_cast<double>(-scale * (p - q).real());
        }
  return a;
}

using Matrix = std::vector<std::vector<long double>>;  // rows and columns m = -n ... n

Matrix zeros(int rows, int columns) {
  return Matrix(static_cast<std::size_t>(rows), std::vector<long double>(static_cast<std::size_t>(columns), 0));
}

/// Y^n = sum_jk T_jk G_j Y^{n-1} G_k^T / (n (2n-1)), cosines and sines together.
Matrix next_turn(const Matrix& y, int n, long double c, long double s) {
  const long double turn[3][3] = {{c, 0, -s}, {0, 1, 0}, {s, 0, c}};
  const auto g = laplace::derivative_entries(n, n, -1, laplace::regular_ladder);
  Matrix next = zeros(2 * n + 1, 2 * n + 1);
  for (int k = 0; k < 3; ++k) {
    Matrix half = zeros(2 * n + 1, 2 * n - 1);
    for (int j = 0; j < 3; ++j)
      for (const Entry& e : g[j])
        for (int i = 0; i < 2 * n - 1; ++i)
          half[e.column - n * n][i] += turn[j][k] * e.value * y[e.row - (n - 1) * (n - 1)][i];
    for (const Entry& e : g[k])
      for (int row = 0; row < 2 * n + 1; ++row)
        next[row][e.column - n * n] += half[row][e.row - (n - 1) * (n - 1)] * e.value;
  }
  for (auto& row : next)
    for (long double& value : row) value /= static_cast<long double>(n) * (2 * n - 1);
  return next;
}

Vector plain_blocks(int degree, const double t[3]) {
  const long double x = t[0], y = t[1], z = t[2], r = std::hypot(x, y, z);
  Matrix turned{{1}};
  Vector blocks{1};
  for (int n = 1; n <= degree; ++n) {
    turned = next_turn(turned, n, z / r, std::hypot(x, y) / r);
    for (int m = 0; m <= n; ++m)
      for (int k = 0; k <= n; ++k) blocks.push_back(static_cast<double>(turned[n + m][n + k]));
    for (int m = 1; m <= n; ++m)
      for (int k = 1; k <= n; ++k) blocks.push_back(static_cast<double>(turned[n - m][n - k]));
  }
  return blocks;
}

Vector plain_shift(int degree, const double t[3], long double edge) {
  const long double r =
      std::hypot(static_cast<long double>(t[0]), static_cast<long double>(t[1]), static_cast<long double>(t[2]));
  const BinomialRoots roots(2 * degree);
  Vector shift;
  for (int m = 0; m <= degree; ++m)
    for (int n = m; n <= degree; ++n)
      for (int k = m; k <= degree; ++k) {
        const long double size = roots(n - m, k + m) * roots(n + m, k - m) * std::pow(edge, n + 1);
        shift.push_back(static_cast<double>(((n + m) & 1 ? -size : size) / std::pow(r, n + k + 1)));
      }
  return shift;
}

/// Element by element: 0 and -0 are the same number.
void expect_equal(const Vector& found, const Vector& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], expected[i]) << what << ", number " << i;
}

constexpr int degrees[] = {0, 1, 2, 5, 13, 27};

TEST(Generators, M2mIsTheFormula) {
  for (const int degree : degrees)
    expect_equal(LaplaceBasis::m2m(degree), plain_m2m(degree), "degree " + std::to_string(degree));
}

TEST(Generators, M2lIsTheFormula) {
  for (const int degree : degrees)
    for (int id = 0; id<operator_count; id += degree> 6 ? 8 : 1) {
      const CanonicalOffset c = canonical_offsets()[static_cast<std::size_t>(id)];
      const double t[3] = {0.5 * c.x, 0.5 * c.y, 0.5 * c.z}, edge = target_edge_of(id);
      const std::string what = "degree " + std::to_string(degree) + ", operator " + std::to_string(id);
      const RotationOperator op = LaplaceBasis::m2l_rotation(degree, t, edge);
      expect_equal(op.blocks, plain_blocks(degree, t), "blocks, " + what);
      expect_equal(op.shift, plain_shift(degree, t, edge), "shift, " + what);
      if (degree < 20) expect_equal(LaplaceBasis::m2l(degree, t, edge), plain_m2l(degree, t, edge), "dense, " + what);
    }
}

TEST(Generators, WriteSingleAsDoubleRounded) {
  constexpr int degree = 7;
  constexpr double t[3] = {3, 2, 1};
  const Vector wide = LaplaceBasis::m2l(degree, t, 1);
  std::vector<float> narrow(wide.size());
  LaplaceBasis::DenseM2l(degree).fill(t, 1, narrow.data());
  for (std::size_t i = 0; i < wide.size(); ++i) EXPECT_EQ(narrow[i], static_cast<float>(wide[i])) << i;
}

TEST(Generators, SizesAreThoseOfTheParts) {
  for (const int degree : degrees) {
    constexpr double t[3] = {3, 2, 1};
    const RotationSizes sizes = LaplaceBasis::rotation_sizes(degree);
    EXPECT_EQ(sizes.azimuth, degree + 1);
    EXPECT_EQ(sizes.blocks, static_cast<int>(plain_blocks(degree, t).size()));
    EXPECT_EQ(sizes.shift, static_cast<int>(plain_shift(degree, t, 1).size()));
  }
}

}  // namespace
}  // namespace farfield::testing
