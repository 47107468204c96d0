#include "tree/cell/block_grid.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace farfield {

/// Cubes with one between them: 2 edges are 2.309 radii.
static constexpr double box_apart = 2.3;

BlockGrid::BlockGrid(const UnitCell& cell, const FractionRange (&range)[3], const int (&counts)[3], double far_apart)
    : cell_(cell), far_apart_(far_apart) {
  for (int i = 0; i < 3; ++i) {
    range_[i] = range[i], counts_[i] = counts[i];
    for (int axis = 0; axis < 3; ++axis)
      step_[i][axis] = cell.vector(i)[axis] * (range[i].high - range[i].low) / counts[i];
  }
  for (const double second : {-1, 1})
    for (const double third : {-1, 1})
      radius_ = std::max(radius_, 0.5 * length(sum(sum(step_[0], step_[1], second), step_[2], third)));
}

CellIndex BlockGrid::place(int block) const {
  return {block / (counts_[1] * counts_[2]), block / counts_[2] % counts_[1], block % counts_[2]};
}

int BlockGrid::block_of(const Vector3& wrapped) const {
  int block = 0;
  for (int i = 0; i < 3; ++i) {
    const double width = range_[i].high - range_[i].low;
    const double at = width > 0 ? (cell_.fraction(wrapped, i) - range_[i].low) / width * counts_[i] : 0;
    block = block * counts_[i] + (at >= counts_[i] ? counts_[i] - 1 : at >= 0 ? static_cast<int>(at) : 0);
  }
  return block;
}

Vector3 BlockGrid::centre(int block) const {
  const CellIndex at = place(block);
  Vector3 c{};
  for (int i = 0; i < 3; ++i) c = sum(sum(c, cell_.vector(i), range_[i].low), step_[i], at[i] + 0.5);
  return c;
}

Vector3 BlockGrid::root_centre() const {
  Vector3 c{};
  for (int i = 0; i < 3; ++i) c = sum(c, cell_.vector(i), 0.5 * (range_[i].low + range_[i].high));
  return c;
}

double BlockGrid::root_edge() const {
  double edge = 0;
  for (int axis = 0; axis < 3; ++axis) {
    double extent = 0;
    for (int i = 0; i < 3; ++i) extent += std::fabs(step_[i][axis]) * counts_[i];
    edge = std::max(edge, extent);
  }
  return edge;
}

std::vector<CellIndex> BlockGrid::near_images(int block) const {
  std::vector<CellIndex> near{{0, 0, 0}};
  const double reach = far_apart_ * radius_, whole = 0.5 * std::sqrt(3.0) * root_edge();
  for (const CellIndex& n : cell_.cells_within(2 * whole + reach)) {
    if (n == near[0]) continue;
    if (length(difference(sum(centre(block), cell_.displacement(n)), root_centre())) > whole + reach) continue;
    for (int other = 0; other < blocks(); ++other)
      if (!is_far(apart(block, other, n))) {
        near.push_back(n);
        break;
      }
  }
  return near;
}

CellIndex BlockGrid::apart(int from, int to, const CellIndex& image) const {
  const CellIndex a = place(from), b = place(to);
  CellIndex apart{};
  for (int i = 0; i < 3; ++i) apart[i] = a[i] - b[i] + image[i] * counts_[i];
  return apart;
}
Vector3 BlockGrid::vector(const CellIndex& apart) const {
  Vector3 v{};
  for (int i = 0; i < 3; ++i) v = sum(v, step_[i], apart[i]);
  return v;
}

double BlockGrid::repetition() const {
  double images = 0;
  for (int block = 0; block < blocks(); ++block) images += static_cast<double>(near_images(block).size());
  return images / blocks();
}

/// Points at random places are 0.58 radii from the centre, root mean square.
static double typical_ratio(double far_apart) { return 0.58 / (far_apart - 0.58); }

int BlockGrid::degree(int degree) const {
  return static_cast<int>(std::ceil(degree * std::log(typical_ratio(box_apart)) / std::log(typical_ratio(far_apart_))));
}

/// More blocks have fewer points repeated, and more pairs of blocks. On one core a repeated point costs about 150 ns, a
/// translation half a ns per coefficient and coefficient (bench/periodic_boxes.cpp).
static double translation_work(const BlockGrid& grid, int degree) {
  const double pairs = static_cast<double>(grid.blocks()) * grid.blocks();
  return 0.5e-9 * pairs * std::pow(grid.degree(degree) + 1, 4);
}
static double repeated_work(const BlockGrid& grid, double points) { return 150e-9 * points * grid.repetition(); }

BlockGrid choose_blocks(const UnitCell& cell, const FractionRange (&range)[3], double points, int degree) {
  constexpr int most_blocks = 216, finest = 6;
  constexpr double distances[] = {box_apart, 3, 4};
  double extent[3], shortest = INFINITY, longest = 0;
  for (int i = 0; i < 3; ++i) {
    extent[i] = length(cell.vector(i)) * (range[i].high - range[i].low);
    longest = std::max(longest, extent[i]);
    if (i < cell.periodic_count()) shortest = std::min(shortest, extent[i]);
  }
  std::optional<BlockGrid> best;
  double least = INFINITY;
  for (const double unit : {longest, shortest})
    for (int code = 0; code < 3 * finest; ++code) {
      const int finer = code % finest + 1;
      int counts[3];
      double blocks = 1;
      for (int i = 0; i < 3; ++i) {
        const double wanted = std::clamp(std::round(extent[i] / unit * finer), 1.0, 1.0 + most_blocks);
        blocks *= wanted, counts[i] = static_cast<int>(wanted);
      }
      if (best && blocks > most_blocks) continue;
      BlockGrid grid(cell, range, counts, distances[code / finest]);
      const double translating = translation_work(grid, degree);
      if (translating >= least) continue;
      const double work = translating + repeated_work(grid, points);
      if (work < least) least = work, best.emplace(std::move(grid));
    }
  return *best;
}

}  // namespace farfield
