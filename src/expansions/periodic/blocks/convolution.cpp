#include "expansions/periodic/blocks/convolution.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "expansions/periodic/convolution_sums.hpp"
#include "expansions/periodic/harmonic_sum.hpp"

namespace farfield {
namespace {

using Numbers = SolidConvolution::Numbers;

/// Places |d| < extent.
struct Displacements {
  int extent[3];
  int count() const { return (2 * extent[0] - 1) * (2 * extent[1] - 1) * (2 * extent[2] - 1); }
  CellIndex at(int i) const {
    const int third = 2 * extent[2] - 1, second = 2 * extent[1] - 1;
    return {i / third / second - extent[0] + 1, i / third % second - extent[1] + 1, i % third - extent[2] + 1};
  }
};

/// How often an image counts: once, or as often as it is one of the lattice's vectors away.
double weight_of(const CellIndex& image, int vector) { return vector < 0 ? 1 : image[vector]; }

class TableMaker {
 public:
  TableMaker(const BlockGrid& grid, const SolidConvolution& convolution, double unit, int threads)
      : grid_(grid), convolution_(convolution), unit_(unit), threads_(threads) {}

  /// Visits displacement d with a sum to which it adds. Of d and -d one is made: the other has odd degrees with the
  /// other sign, where images count alike on both sides, else even ones.
  using Add = std::function<void(const CellIndex& d, HarmonicSum& sum)>;
  Numbers make(const Displacements& places, bool turns, const Add& add) const {
    const int degree = 2 * convolution_.degree(), count = places.count();
    const auto size = static_cast<std::size_t>(convolution::orders(degree));
    Numbers all(static_cast<std::size_t>(count) * size);
#pragma omp parallel num_threads(threads_)
    {
      HarmonicSum harmonics(degree);
      std::vector<double> sums(convolution_.table_size());
#pragma omp for schedule(dynamic)
      for (int i = 0; i <= count / 2; ++i) {
        std::fill(sums.begin(), sums.end(), 0.0);
        add(places.at(i), harmonics);
        harmonics.add_to(sums.data());
        write(sums.data(), turns, &all[static_cast<std::size_t>(i) * size],
              &all[static_cast<std::size_t>(count - 1 - i) * size]);
      }
    }
    return all;
  }
  void add(const CellIndex& d, double weight, HarmonicSum& sum) const {
    if (weight != 0 && grid_.is_far(d)) sum.add_outer(scaled(grid_.vector(d), 1 / unit_), [&](int) { return weight; });
  }

 private:
  void write(const double* sums, bool turns, SolidConvolution::Number* to, SolidConvolution::Number* opposite) const {
    for (int n = 0; n <= 2 * convolution_.degree(); ++n)
      for (int m = 0; m <= n; ++m, ++to, ++opposite) {
        *to = convolution_.table_number(sums, n, m);
        if (to != opposite) *opposite = ((n & 1) != 0) != turns ? -*to : *to;
      }
  }

  const BlockGrid& grid_;
  const SolidConvolution& convolution_;
  double unit_;
  int threads_;
};

void set_reach(const BlockGrid& grid, const BlockImages& images, BlockConvolution& c) {
  for (int block = 0; block < grid.blocks(); ++block)
    for (const CellIndex& n : images.points[static_cast<std::size_t>(block)])
      for (int i = 0; i < 3; ++i) {
        const int at = grid.place(block)[i] + n[i] * c.count[i];
        c.reach[i] = std::max({c.reach[i], at - c.count[i] + 1, -at});
      }
}

std::vector<double> make_weights(const BlockGrid& grid, const BlockImages& images, const BlockConvolution& c,
                                 int vector) {
  int size[3];
  for (int i = 0; i < 3; ++i) size[i] = c.count[i] + 2 * c.reach[i];
  std::vector<double> weights(static_cast<std::size_t>(size[0] * size[1] * size[2]));
  for (int block = 0; block < grid.blocks(); ++block)
    for (const CellIndex& n : images.points[static_cast<std::size_t>(block)]) {
      if (n == CellIndex{0, 0, 0}) continue;
      int index = 0;
      for (int i = 0; i < 3; ++i) index = index * size[i] + grid.place(block)[i] + n[i] * c.count[i] + c.reach[i];
      weights[static_cast<std::size_t>(index)] = weight_of(n, vector);
    }
  return weights;
}

}  // namespace

std::vector<convolution::Complex> BlockConvolution::waves() const {
  constexpr long double two_pi = 6.283185307179586476925286766559L;
  std::vector<convolution::Complex> all;
  for (int axis = 0; axis < 3; ++axis)
    for (int i = 0; i < length(axis); ++i) {
      const long double angle = two_pi * i / length(axis);
      all.push_back({static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))});
    }
  return all;
}

static convolution::GridTransform transform_of(const BlockConvolution& c, const int (&first)[3], const int (&end)[3]) {
  convolution::GridTransform g;
  for (int i = 0; i < 3; ++i) g.first[i] = first[i], g.count[i] = end[i] - first[i], g.length[i] = c.length(i);
  return g;
}
convolution::GridTransform BlockConvolution::of_blocks() const { return transform_of(*this, {0, 0, 0}, count); }
convolution::GridTransform BlockConvolution::of_points() const {
  return transform_of(*this, {-reach[0], -reach[1], -reach[2]},
                      {count[0] + reach[0], count[1] + reach[1], count[2] + reach[2]});
}
convolution::GridTransform BlockConvolution::of_images() const {
  return transform_of(*this, {1 - count[0], 1 - count[1], 1 - count[2]}, count);
}
convolution::GridTransform BlockConvolution::of_alone() const {
  const auto all = of_points();
  return transform_of(*this, {all.first[0] - count[0] + 1, all.first[1] - count[1] + 1, all.first[2] - count[2] + 1},
                      {count[0] + reach[0], count[1] + reach[1], count[2] + reach[2]});
}

BlockConvolution make_convolution(const BlockGrid& grid, const BlockImages& images, const SolidConvolution& convolution,
                                  double unit, int sets, int threads) {
  BlockConvolution c;
  for (int i = 0; i < 3; ++i) c.count[i] = grid.count(i);
  set_reach(grid, images, c);
  const TableMaker maker(grid, convolution, unit, threads);
  const Displacements home{{c.count[0], c.count[1], c.count[2]}},
      all{{c.count[0] + c.reach[0], c.count[1] + c.reach[1], c.count[2] + c.reach[2]}};
  c.alone = maker.make(all, false, [&](const CellIndex& d, HarmonicSum& sum) { maker.add(d, -1, sum); });
  for (int vector = -1; vector < sets - 1; ++vector) {
    c.images.push_back(maker.make(home, vector >= 0, [&](const CellIndex& d, HarmonicSum& sum) {
      for (const CellIndex& n : images.near) {
        if (n == CellIndex{0, 0, 0}) continue;
        maker.add({d[0] + n[0] * c.count[0], d[1] + n[1] * c.count[1], d[2] + n[2] * c.count[2]}, weight_of(n, vector),
                  sum);
      }
    }));
    c.weights.push_back(make_weights(grid, images, c, vector));
  }
  return c;
}

std::int64_t convolution_bytes(const BlockGrid& grid, int degree, int sets) {
  std::int64_t displacements = 1, frequencies = 1;
  BlockConvolution c;
  for (int i = 0; i < 3; ++i) c.count[i] = grid.count(i);
  set_reach(grid, BlockImages(grid), c);
  for (int i = 0; i < 3; ++i) {
    const std::int64_t length = 2 * (c.count[i] + c.reach[i]) - 1;
    displacements *= 2 * c.count[i] - 1, frequencies *= length;
  }
  const std::int64_t tables = sets * displacements + frequencies + (1 + sets) * frequencies;
  return 16 * convolution::orders(2 * degree) * tables + 96 * convolution::orders(degree) * frequencies;
}

}  // namespace farfield
