#include "expansions/fitted/projection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "expansions/fitted/gauss_rule.hpp"
#include "expansions/laplace_harmonics.hpp"
#include "expansions/laplace_translations.hpp"

namespace farfield::laplace {
namespace {

using Matrix = std::vector<std::vector<double>>;

/// The functions of degrees up to `beyond` by their parities, each class in the order of their degrees.
std::array<std::vector<int>, 8> parity_classes(int beyond) {
  std::array<std::vector<int>, 8> classes;
  for (int n = 0; n <= beyond; ++n)
    for (int m = -n; m <= n; ++m) {
      const auto odd = [&](int axis) { return reflection_sign(n, m, axis) < 0 ? axis : 0; };
      classes[static_cast<std::size_t>(odd(1) | odd(2) | odd(4))].push_back(index(n, m));
    }
  return classes;
}

/// How many functions of a class are of degrees up to `degree`.
std::size_t low_ones(const std::vector<int>& of_class, int degree) {
  return static_cast<std::size_t>(std::ranges::count_if(of_class, [&](int i) { return i < count(degree); }));
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

/// Of a class G_ij, i among those of degrees up to `degree`, j >= i.
std::array<Matrix, 8> gram_matrices(const std::array<std::vector<int>, 8>& classes, int degree, int beyond) {
  std::array<Matrix, 8> gram;
  for (std::size_t c = 0; c < 8; ++c)
    gram[c].assign(low_ones(classes[c], degree), std::vector<double>(classes[c].size()));
  for_each_node(beyond, [&](const std::vector<double>& value, double weight) {
    for (std::size_t c = 0; c < 8; ++c)
      for (std::size_t i = 0; i < gram[c].size(); ++i) {
        const double own = weight * value[static_cast<std::size_t>(classes[c][i])];
        for (std::size_t j = i; j < classes[c].size(); ++j)
          gram[c][i][j] += own * value[static_cast<std::size_t>(classes[c][j])];
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

/// The projection onto degrees up to `degree`; `gram`: of these degrees or more.
SparseMap projection_of(const std::array<std::vector<int>, 8>& classes, const std::array<Matrix, 8>& gram, int degree,
                        int beyond) {
  std::vector<std::vector<Entry>> rows(static_cast<std::size_t>(count(degree)));
  for (std::size_t c = 0; c < 8; ++c) {
    const std::size_t low = low_ones(classes[c], degree);
    Matrix own(gram[c].begin(), gram[c].begin() + static_cast<std::ptrdiff_t>(low));
    solve(own);
    for (std::size_t i = 0; i < low; ++i) {
      const int row = classes[c][i];
      rows[static_cast<std::size_t>(row)].push_back({row, row, 1});
      for (std::size_t j = low; j < classes[c].size(); ++j)
        rows[static_cast<std::size_t>(row)].push_back({row, classes[c][j], own[i][j]});
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

}  // namespace

std::map<int, SparseMap> cube_projections(const std::set<int>& degrees, int beyond) {
  const auto classes = parity_classes(beyond);
  const std::array<Matrix, 8> gram = gram_matrices(classes, *degrees.rbegin(), beyond);
  std::map<int, SparseMap> projections;
  for (const int degree : degrees) projections[degree] = projection_of(classes, gram, degree, beyond);
  return projections;
}

}  // namespace farfield::laplace
