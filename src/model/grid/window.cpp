#include "model/grid/window.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace farfield {
namespace {

struct Entry {
  double spacings, shape;
};
struct Row {
  int first;  ///< the entries are those of errors 10^-first, 10^-(first + 1), ...
  Entry entry[7];
};

// For the Gaussian: the coarsest grid, and the shape of the window there, with which the largest error over all pairs
// along one axis is 10^-k; of the potential, and of potential and gradient (over 1/bandwidth). Found by bisection and
// golden section, taps of taps_of, places of a pair within a cell of the grid in steps of a fifth of a spacing, in long
// double. Errors between follow linearly in k, to a factor of 1.16. Left out are coarser grids whose taps of both signs
// add up to more than seven times their sum, which would enlarge rounding.
constexpr int narrowest = 3;
constexpr Row table[2][widest_window - narrowest + 1] = {
    {
        {2, {{1.099, 6.6}}},                                                                              // width 3
        {2, {{0.913, 7.2}, {1.415, 9.2}, {5.231, 11.2}}},                                                 // width 4
        {3, {{1.136, 8.9}, {1.539, 11.3}, {3.197, 14.0}}},                                                // width 5
        {4, {{1.354, 11.3}, {1.715, 13.5}, {2.724, 15.9}}},                                               // width 6
        {5, {{1.538, 13.7}, {1.863, 15.8}, {2.810, 18.2}}},                                               // width 7
        {6, {{1.689, 15.6}, {2.016, 18.0}, {2.752, 20.6}, {5.651, 23.4}}},                                // width 8
        {6, {{1.634, 16.1}, {1.833, 17.9}, {2.122, 20.1}, {2.758, 22.8}, {4.552, 25.3}}},                 // width 9
        {7, {{1.786, 18.4}, {1.966, 19.9}, {2.271, 22.6}, {2.824, 25.1}, {4.109, 27.5}}},                 // width 10
        {8, {{1.916, 20.4}, {2.103, 22.4}, {2.386, 24.9}, {2.882, 27.3}, {4.038, 30.0}}},                 // width 11
        {9, {{2.044, 22.8}, {2.233, 25.0}, {2.491, 27.0}, {2.968, 29.6}, {3.894, 32.1}, {6.067, 34.5}}},  // width 12
        {10, {{2.162, 25.0}, {2.344, 27.1}, {2.596, 29.3}, {3.073, 32.1}, {3.863, 34.4}}},                // width 13
        {10, {{2.132, 25.3}, {2.273, 26.9}, {2.457, 29.2}, {2.708, 31.7}, {3.142, 34.3}}},                // width 14
        {11, {{2.245, 27.3}, {2.379, 29.3}, {2.562, 31.8}, {2.807, 34.0}}},                               // width 15
        {12, {{2.350, 29.6}, {2.485, 31.6}, {2.667, 34.2}}},                                              // width 16
    },
    {
        {1, {{0.778, 5.8}}},                                                                              // width 3
        {2, {{1.120, 8.0}}},                                                                              // width 4
        {3, {{1.362, 10.3}}},                                                                             // width 5
        {3, {{1.244, 10.5}, {1.554, 12.5}, {2.544, 15.7}}},                                               // width 6
        {4, {{1.462, 13.1}, {1.801, 15.6}, {3.384, 19.2}}},                                               // width 7
        {5, {{1.639, 15.4}, {1.940, 17.6}, {3.146, 21.6}}},                                               // width 8
        {6, {{1.788, 17.6}, {2.158, 20.8}, {2.991, 23.5}, {5.815, 26.1}}},                                // width 9
        {6, {{1.747, 18.4}, {1.938, 20.0}, {2.268, 23.0}, {2.989, 25.6}, {4.681, 28.1}}},                 // width 10
        {7, {{1.880, 20.4}, {2.073, 22.4}, {2.426, 25.7}, {2.945, 27.6}, {4.270, 30.2}}},                 // width 11
        {8, {{2.019, 22.8}, {2.214, 25.0}, {2.523, 27.8}, {2.952, 29.6}, {4.209, 32.7}}},                 // width 12
        {9, {{2.139, 24.7}, {2.352, 27.8}, {2.623, 29.9}, {3.038, 31.8}, {4.188, 34.8}}},                 // width 13
        {9, {{2.115, 25.3}, {2.268, 27.6}, {2.464, 30.1}, {2.696, 31.7}, {3.199, 34.5}, {4.308, 37.8}}},  // width 14
        {10, {{2.227, 27.8}, {2.380, 30.1}, {2.556, 32.0}, {2.782, 33.5}, {3.283, 37.0}}},                // width 15
        {11, {{2.344, 30.4}, {2.491, 32.3}, {2.655, 34.1}, {2.884, 36.0}}},                               // width 16
    },
};

Entry between(const Entry& a, const Entry& b, double share) {
  return {a.spacings + share * (b.spacings - a.spacings), a.shape + share * (b.shape - a.shape)};
}

double bessel_i0(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > 1e-17 * sum; ++k) term *= x * x / (4.0 * k * k), sum += term;
  return sum;
}

double value_at(const Window& w, double z) { return z * z < 1 ? bessel_i0(w.shape * std::sqrt(1 - z * z)) : 1; }

/// Fourier transform of the window times I_0(shape), its points one apart.
double transform_of(const Window& w, double theta) {
  const double half = w.width * theta / 2, square = w.shape * w.shape - half * half,
               root = std::sqrt(std::fabs(square));
  const double ratio = root < 1e-8 ? 1 : square > 0 ? std::sinh(root) / root : std::sin(root) / root;
  return w.width * ratio;
}

/// Coefficients of the polynomial of that degree through f at Chebyshev's points, in powers of u in [-1, 1].
template <class F>
std::vector<double> interpolate(int degree, const F& f) {
  const int n = degree + 1;
  std::vector<double> x, y;
  for (int i = 0; i < n; ++i)
    x.push_back(std::cos(std::numbers::pi * (2 * i + 1) / (2.0 * n))), y.push_back(f(x.back()));
  // coefficients of Chebyshev's polynomials, then those of powers
  std::vector<double> powers(static_cast<std::size_t>(n), 0), previous{1}, current{0, 1};
  for (int k = 0; k < n; ++k) {
    double c = 0;
    for (int i = 0; i < n; ++i)
      c += (k == 0 ? 1.0 : 2.0) / n * y[static_cast<std::size_t>(i)] *
           std::cos(k * std::numbers::pi * (2 * i + 1) / (2.0 * n));
    for (std::size_t i = 0; i < previous.size(); ++i) powers[i] += c * previous[i];
    std::vector<double> next(current.size() + 1, 0);
    for (std::size_t i = 0; i < current.size(); ++i) next[i + 1] += 2 * current[i];
    for (std::size_t i = 0; i < previous.size(); ++i) next[i] -= previous[i];
    previous = std::exchange(current, next);
  }
  return powers;
}

double at(const std::vector<double>& powers, double u) {
  double sum = 0;
  for (auto c = powers.rbegin(); c != powers.rend(); ++c) sum = sum * u + *c;
  return sum;
}

}  // namespace

std::vector<Window> windows_for(double tolerance, bool gradient, int axes) {
  // seen at all places of a pair, the ends of a cell included: errors of the table's spacings are up to 3 times theirs,
  // those of gradients up to 20 times; these end at 1e-10, since rounding reaches 2e-11 in space
  if (gradient && tolerance < 5e-11) return {};
  // of the least tolerances the quotient is 0; 400 digits are beyond the table, too
  const double digits = std::clamp(-std::log10(tolerance / ((gradient ? 24.0 : 3.0) * axes)), 2.0, 400.0);
  std::vector<Window> windows;
  for (int width = narrowest; width <= widest_window; ++width) {
    const Row& row = table[gradient][width - narrowest];
    const double place = std::max(0.0, digits - row.first);
    const int below = static_cast<int>(place);
    const auto known = [&](int i) { return i < 7 && row.entry[i].spacings > 0; };
    if (digits < row.first - 1 || !known(below) || (place > below && !known(below + 1))) continue;
    const Entry e = place > below ? between(row.entry[below], row.entry[below + 1], place - below) : row.entry[below];
    windows.push_back({width, e.shape, e.spacings});
  }
  return windows;
}

/// Polynomials of that degree; returns their largest error at a few places.
static double fit(WindowPolynomials& p, const Window& w, int degree) {
  const double largest = bessel_i0(w.shape);
  const auto rows = static_cast<std::size_t>(degree + 1), columns = static_cast<std::size_t>(w.width);
  double worst = 0;
  p.degree = degree;
  p.value.assign(rows * columns, 0), p.slope.assign(rows * columns, 0);
  for (std::size_t k = 0; k < columns; ++k) {
    const auto f = [&](double u) {
      return value_at(w, 2 * (static_cast<double>(k) + (u + 1) / 2) / w.width - 1) / largest;
    };
    const std::vector<double> powers = interpolate(degree, f);
    for (const double u : {-0.98, -0.8, -0.55, 0.05, 0.65, 0.93})
      worst = std::max(worst, std::fabs(at(powers, u) - f(u)));
    for (std::size_t d = 0; d < rows; ++d) {
      p.value[d * columns + k] = powers[d];
      // u falls by 2 while the window moves on by one spacing
      if (d > 0) p.slope[(d - 1) * columns + k] = -2 * static_cast<double>(d) * powers[d];
    }
  }
  return worst;
}

WindowPolynomials polynomials_of(const Window& w, double error, bool gradient) {
  WindowPolynomials p;
  int degree = std::max(3, w.width - 2);
  while (fit(p, w, degree) > std::max(error, 5e-15) && degree < 22) ++degree;
  if (gradient) fit(p, w, degree + 3);  // each degree gains about a digit
  return p;
}

std::vector<double> taps_of(const Window& w, double (*transform)(double), double error) {
  constexpr int samples = 256, images = 3;
  const double largest = bessel_i0(w.shape);
  const auto most = static_cast<std::size_t>(std::ceil(8 * w.spacings)) + 24;
  std::vector<double> taps(most + 1, 0);
  for (int k = 0; k <= samples; ++k) {
    const double theta = std::numbers::pi * k / samples, pi2 = 2 * std::numbers::pi;
    double above = 0, below = 0;  // what errs least where images of the grid overlap (Hockney & Eastwood, section 8-3)
    for (int n = -images; n <= images; ++n) {
      const double window = transform_of(w, theta + n * pi2), square = window * window;
      above += square * w.spacings * transform(w.spacings * (theta + n * pi2)), below += square;
    }
    const double value = largest * largest * above / (below * below) / samples * (k == 0 || k == samples ? 0.5 : 1);
    double cosine = 1, next = std::cos(theta);
    for (double& tap : taps) tap += value * cosine, cosine = std::exchange(next, 2 * std::cos(theta) * next - cosine);
  }
  const double total = transform_of(w, 0) / largest, square = total * total;
  double left_out = 0;
  while (taps.size() > 1 && left_out + 2 * square * std::fabs(taps.back()) < error)
    left_out += 2 * square * std::fabs(taps.back()), taps.pop_back();
  return taps;
}

double far_value(const Window& w, const std::vector<double>& taps) {
  constexpr double places[] = {0.02, 0.2, 0.4, 0.6, 0.8, 1};  // of a point within its spacing
  const int width = w.width, last = static_cast<int>(taps.size()) - 1,
            first = static_cast<int>(std::ceil(8 * w.spacings));
  const double largest = bessel_i0(w.shape);
  const auto values_at = [&](double place) {
    std::vector<double> values;
    for (int k = 0; k < width; ++k) values.push_back(value_at(w, 2 * (k + place) / width - 1) / largest);
    return values;
  };
  std::vector<std::vector<double>> windows;
  for (const double place : places) windows.push_back(values_at(place));
  double worst = 0;
  for (const std::vector<double>& source : windows) {
    const auto convolved = [&](int at) {
      double sum = 0;
      for (int l = std::max(0, at - last); l < std::min(width, at + last + 1); ++l)
        sum += source[static_cast<std::size_t>(l)] * taps[static_cast<std::size_t>(std::abs(at - l))];
      return sum;
    };
    std::vector<double> grid;
    for (int at = first; at < first + last + 2 * width; ++at) grid.push_back(convolved(at));
    for (const std::vector<double>& target : windows)
      for (std::size_t apart = 0; apart + static_cast<std::size_t>(width) <= grid.size(); ++apart) {
        double sum = 0;
        for (std::size_t k = 0; k < target.size(); ++k) sum += target[k] * grid[apart + k];
        worst = std::max(worst, std::fabs(sum));
      }
  }
  return worst;
}

}  // namespace farfield
