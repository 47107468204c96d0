#include "tree/cell/block_grid.hpp"

#include <algorithm>
#include <cmath>

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
  find_near();
}

/// Coordinate i of a vector of length d in edges of blocks is at most d times the length of the dual vector.
void BlockGrid::find_near() {
  const double distance = far_apart_ * radius_;
  std::size_t count = 1;
  for (int i = 0; i < 3; ++i) {
    const double width = (range_[i].high - range_[i].low) / counts_[i];
    reach_[i] = width > 0 ? static_cast<int>(distance * length(cell_.dual(i)) / width * (1 + 1e-12)) : 0;
    count *= static_cast<std::size_t>(2 * reach_[i] + 1);
  }
  near_.resize(count);
  for (int i = -reach_[0]; i <= reach_[0]; ++i)
    for (int j = -reach_[1]; j <= reach_[1]; ++j)
      for (int k = -reach_[2]; k <= reach_[2]; ++k) near_[near_index({i, j, k})] = length(vector({i, j, k})) < distance;
}

CellIndex BlockGrid::place(int block) const {
  return {block / (counts_[1] * counts_[2]), block / counts_[2] % counts_[1], block % counts_[2]};
}

BlockView BlockGrid::view() const {
  BlockView v{cell_.view(), {}, {}, {}};
  for (int i = 0; i < 3; ++i)
    v.low[i] = range_[i].low, v.width[i] = range_[i].high - range_[i].low, v.counts[i] = counts_[i];
  return v;
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
  const CellIndex home = place(block);
  CellIndex most{};
  for (int i = 0; i < cell_.periodic_count(); ++i) most[i] = (reach_[i] + counts_[i] - 1) / counts_[i] + 1;
  for (int i = -most[0]; i <= most[0]; ++i)
    for (int j = -most[1]; j <= most[1]; ++j)
      for (int k = -most[2]; k <= most[2]; ++k) {
        const CellIndex n{i, j, k};
        if (n == near[0]) continue;
        if (is_near_some_block({home[0] + i * counts_[0], home[1] + j * counts_[1], home[2] + k * counts_[2]}))
          near.push_back(n);
      }
  return near;
}

/// Of the blocks at home those within reach of `place` are asked.
bool BlockGrid::is_near_some_block(const CellIndex& place) const {
  CellIndex low, high;
  for (int i = 0; i < 3; ++i) {
    low[i] = std::max(place[i] - counts_[i] + 1, -reach_[i]), high[i] = std::min(place[i], reach_[i]);
    if (low[i] > high[i]) return false;
  }
  for (int i = low[0]; i <= high[0]; ++i)
    for (int j = low[1]; j <= high[1]; ++j)
      for (int k = low[2]; k <= high[2]; ++k)
        if (near_[near_index({i, j, k})]) return true;
  return false;
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

/// More blocks have fewer points repeated, and more pairs of blocks, or frequencies. Seconds of a repeated point and of
/// a translation per coefficient and coefficient: pairs on one core (bench/periodic_boxes.cpp), waves on one H200
/// (bench/gpu_replay.cu, 1.1e6 atoms in 4^3, 5^3 ... 8^3 blocks).
struct BlockCosts {
  double repeated, coefficient;
  int most_blocks, most_cuts;
};
static BlockCosts costs_of(BlockSums sums) {
  return sums == BlockSums::pairs ? BlockCosts{150e-9, 0.5e-9, 216, 6} : BlockCosts{110e-12, 3e-12, 512, 8};
}

/// How many distances are tried. Of 4,000 charges at 1e-6 sums by waves, whose blocks are small, came to 0.9 of the
/// tolerance at the larger ones, to 0.1 by pairs: degrees for larger distances are chosen for typical places.
static int distances_of(BlockSums sums) { return sums == BlockSums::pairs ? 3 : 1; }

static double translation_work(const BlockGrid& grid, int degree, BlockSums sums) {
  double translations = 1;
  for (int i = 0; i < 3; ++i) translations *= sums == BlockSums::pairs ? grid.count(i) : 2 * grid.count(i) + 1;
  translations *= sums == BlockSums::pairs ? translations : 0.5;  // half of the frequencies
  return costs_of(sums).coefficient * translations * std::pow(grid.degree(degree) + 1, 4);
}
static double repeated_work(const BlockGrid& grid, double points, BlockSums sums) {
  return costs_of(sums).repeated * points * grid.repetition();
}

BlockGrid choose_blocks(const UnitCell& cell, const FractionRange (&range)[3], double points, int degree,
                        BlockSums sums) {
  const int most_blocks = costs_of(sums).most_blocks, most_cuts = costs_of(sums).most_cuts;
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
    for (int code = 0; code < distances_of(sums) * most_cuts; ++code) {
      const int finer = code % most_cuts + 1;
      int counts[3];
      double blocks = 1;
      for (int i = 0; i < 3; ++i) {
        const double wanted = std::clamp(std::round(extent[i] / unit * finer), 1.0, 1.0 + most_blocks);
        blocks *= wanted, counts[i] = static_cast<int>(wanted);
      }
      if (best && blocks > most_blocks) continue;
      BlockGrid grid(cell, range, counts, distances[code / most_cuts]);
      const double translating = translation_work(grid, degree, sums);
      if (translating >= least) continue;
      const double work = translating + repeated_work(grid, points, sums);
      if (work < least) least = work, best.emplace(std::move(grid));
    }
  return *best;
}

/// So many blocks so wide along each vector of the cell, if these are whole numbers; else no blocks.
static CellIndex counts_of_blocks(const UnitCell& cell, double edge) {
  CellIndex counts{};
  for (int i = 0; i < cell.periodic_count(); ++i) {
    const double along = length(cell.vector(i)) / edge, whole = std::round(along);
    if (std::fabs(along - whole) > 1e-6 || whole < 1 || whole > costs_of(BlockSums::waves).most_blocks) return {};
    counts[static_cast<std::size_t>(i)] = static_cast<int>(whole);
  }
  return counts;
}

std::optional<BlockGrid> choose_blocks_of_boxes(const BlockGrid& grid, double points, int degree, double edge) {
  // Of what p2m and l2p of blocks take of a point, 70 ps and 98 on an H200 at degree 12, about what boxes spare.
  constexpr double saved = 100e-12;
  const auto work = [&](const BlockGrid& g) {
    return translation_work(g, degree, BlockSums::waves) + repeated_work(g, points, BlockSums::waves);
  };
  const FractionRange range[3] = {grid.range(0), grid.range(1), grid.range(2)};
  const int most_blocks = std::min(costs_of(BlockSums::waves).most_blocks, 2 * grid.blocks());
  double least = work(grid) + saved * points;
  std::optional<BlockGrid> best;
  for (const double boxes : {1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0}) {  // of half, once and twice the width
    const CellIndex wanted = counts_of_blocks(grid.cell(), boxes * edge);
    const int counts[3] = {wanted[0], wanted[1], wanted[2]}, blocks = counts[0] * counts[1] * counts[2];
    if (blocks > most_blocks || 4 * blocks < grid.blocks()) continue;
    BlockGrid other(grid.cell(), range, counts, box_apart);
    if (const double own = work(other); own < least) least = own, best.emplace(std::move(other));
  }
  if (best) best->choose_for_boxes();
  return best;
}

}  // namespace farfield
