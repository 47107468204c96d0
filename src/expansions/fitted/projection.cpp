#include "expansions/fitted/projection.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "expansions/fitted/gauss_rule.hpp"
#include "expansions/laplace_harmonics.hpp"
#include "expansions/laplace_translations.hpp"

namespace farfield::laplace {
namespace {

using Matrix = std::vector<std::vector<double>>;

/// The functions of one class, in the order of their degrees.
struct ParityClass {
  std::vector<int> all;
  std::size_t low = 0;  ///< how many are of degrees up to `degree`
};

std::array<ParityClass, 8> parity_classes(int degree, int beyond) {
  std::array<ParityClass, 8> classes;
  for (int n = 0; n <= beyond; ++n)
    for (int m = -n; m <= n; ++m) {
      const auto odd = [&](int axis) { return reflection_sign(n, m, axis) < 0 ? axis : 0; };
      ParityClass& own = classes[static_cast<std::size_t>(odd(1) | odd(2) | odd(4))];
      own.all.push_back(index(n, m));
      if (n <= degree) own.low = own.all.size();
    }
  return classes;
}

/// Calls f(all R_i there, weight) for the nodes of an octant of the cube, which weigh as much as the whole: products of
/// two functions of degrees up to `beyond` are integrated to rounding.
template <class F>
void for_each_node(int beyond, F&& f) {
  const int along = beyond + 1;
  const GaussRule rule(along + along % 2);  // half of the nodes are positive
  const std::vector<double> table = recurrence_table<double>(beyond);
  std::vector<double> value(static_cast<std::size_t>(count(beyond)));
  const std::size_t half = rule.x.size() / 2;
  const auto at = [&](std::size_t i) { return static_cast<double>(rule.x[i] / 2); };
  for (std::size_t i = 0; i < half; ++i)
    for (std::size_t j = 0; j < half; ++j)
      for (std::size_t k = 0; k < half; ++k) {
        columns(beyond, table.data(), at(i), at(j), at(k), StoreFunctions<double>{value.data()});
        f(value, static_cast<double>(rule.weight[i] * rule.weight[j] * rule.weight[k]));
      }
}

/// Of each class G_ij, i among the low ones.
std::array<Matrix, 8> gram_matrices(const std::array<ParityClass, 8>& classes, int beyond) {
  std::array<Matrix, 8> gram;
  for (std::size_t c = 0; c < 8; ++c) gram[c].assign(classes[c].low, std::vector<double>(classes[c].all.size()));
  for_each_node(beyond, [&](const std::vector<double>& value, double weight) {
    for (std::size_t c = 0; c < 8; ++c)
      for (std::size_t i = 0; i < classes[c].low; ++i) {
        const double own = weight * value[static_cast<std::size_t>(classes[c].all[i])];
        for (std::size_t j = i; j < classes[c].all.size(); ++j)
          gram[c][i][j] += own * value[static_cast<std::size_t>(classes[c].all[j])];
      }
  });
  return gram;
}

/// Solves G_dd P = G_d. in place by Cholesky's factors, of which `g` holds the upper half at first.
void solve(Matrix& g) {
  const std::size_t n = g.size();
  for (std::size_t i = 0; i < n; ++i) {  // G = U^T U; the columns behind G_dd become U^-T G_d.
    for (std::size_t k = 0; k < i; ++k)
      for (std::size_t j = i; j < g[i].size(); ++j) g[i][j] -= g[k][i] * g[k][j];
    const double root = std::sqrt(g[i][i]);
    for (std::size_t j = i; j < g[i].size(); ++j) g[i][j] /= root;
  }
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = n; j < g[i].size(); ++j) {
      for (std::size_t k = i + 1; k < n; ++k) g[i][j] -= g[i][k] * g[k][j];
      g[i][j] /= g[i][i];
    }
}

}  // namespace

SparseMap cube_projection(int degree, int beyond) {
  const std::array<ParityClass, 8> classes = parity_classes(degree, beyond);
  std::array<Matrix, 8> projection = gram_matrices(classes, beyond);
  std::vector<std::vector<Entry>> rows(static_cast<std::size_t>(count(degree)));
  for (std::size_t c = 0; c < 8; ++c) {
    solve(projection[c]);
    for (std::size_t i = 0; i < classes[c].low; ++i) {
      const int row = classes[c].all[i];
      rows[static_cast<std::size_t>(row)].push_back({row, row, 1});
      for (std::size_t j = classes[c].low; j < classes[c].all.size(); ++j)
        rows[static_cast<std::size_t>(row)].push_back({row, classes[c].all[j], projection[c][i][j]});
    }
  }
  SparseMap map{count(degree), count(beyond), {0}, {}, {}};
  for (const std::vector<Entry>& row : rows) {
    for (const Entry& entry : row) {
      map.column.push_back(entry.column);
      map.value.push_back(static_cast<double>(entry.value));
    }
    map.begin.push_back(static_cast<std::int32_t>(map.column.size()));
  }
  return map;
}

}  // namespace farfield::laplace
