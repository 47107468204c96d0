#include "model/placement.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "model/placement/sums.hpp"

namespace farfield {

void occupy(const TreeView& tree, BoxId box, const PlacedPoints& points, const CornerWeights& decay, std::int64_t most,
            float* corner) {
  const double per_edge = 1 / tree.lattice.edge(tree.level[box]);
  const EvenlySpaced looked_at(points.begin[box], points.end[box] - points.begin[box], most);
  looked_at.each([&](std::int64_t i) {
    occupy(corner_place(tree, box, points, i, per_edge), looked_at.each_for(), decay, corner);
  });
}

static std::vector<float> occupations(const TreeView& tree, const PlacedPoints& points, int degree, std::int64_t most,
                                      int threads) {
  std::vector<float> corner(static_cast<std::size_t>(tree.boxes) * corners);
  const CornerWeights decay = CornerWeights::of_degree(degree);
  const BoxId first = tree.levels > 2 ? tree.level_begin[2] : tree.boxes;
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
  for (BoxId box = first; box < tree.boxes; ++box)
    occupy(tree, box, points, decay, most, corner.data() + static_cast<std::size_t>(box) * corners);
  return corner;
}

/// Sums over boxes of pairs[box] / a^2, / a^4 and so on, in the order of boxes: the same for any number of threads.
static Placement over_edges(const TreeView& tree, const std::vector<double>& pairs) {
  Placement sum;
  for (BoxId box = 0; box < tree.boxes; ++box)
    add_over_edges(sum, pairs[static_cast<std::size_t>(box)], tree.lattice.edge(tree.level[box]));
  return sum;
}

double facing_pairs(const TreeView& tree, BoxId target, const float* targets, const float* sources) {
  const float* own = targets + static_cast<std::ptrdiff_t>(target) * corners;
  if (std::all_of(own, own + corners, [](float b) { return b == 0; })) return 0;
  double sum = 0;
  for (int which = 0; which < facing_boxes; ++which) {
    const BoxId source = facing_box(tree, target, which);
    if (source == no_box) continue;
    const float* there = sources + static_cast<std::ptrdiff_t>(source) * corners;
    for (int octant = 0; octant < corners; ++octant)
      if (there[octant] > 0) sum += static_cast<double>(there[octant] * faced_by(own, 1, octant, which));
  }
  return sum;
}

FarPairs::FarPairs(const TreeView& tree, const PlacedPoints& sources, const PlacedPoints& targets, int threads,
                   const Looks& looks)
    : tree_(tree), sources_(sources), targets_(targets), threads_(threads), looks_(looks) {
  const BoxSample sample = sample_boxes(
      tree, looks.boxes > 0 ? looks.boxes : boxes_to_draw(tree.target_count(0)), powers_drawn(looks.derivatives),
      [&](BoxId box) { return static_cast<double>(targets.end[box] - targets.begin[box]); });
  std::vector<FarSources> far(sample.boxes.size());
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
  for (std::size_t i = 0; i < far.size(); ++i) far[i] = far_sources(tree, sample.boxes[i].box, sources);
  for (std::size_t i = 0; i < far.size(); ++i) add_far(beside_, beyond_, sample.boxes[i], far[i]);
}

Placement relative(const Placement& sums, std::int64_t targets, const ResultNorms& norms) {
  const double count = static_cast<double>(std::max<std::int64_t>(1, targets));
  const auto ratio = [&](double sum, double norm) { return norm > 0 ? std::sqrt(sum / count / norm) : 0.0; };
  Placement found;
  for (int k = 0; k < edge_powers; ++k) found.order[k] = ratio(sums.order[k], norms.order[k]);
  return found;
}

Placement typical_sums(const Placement& beside, const Placement& beyond, int degree) {
  const double further = std::pow(2.0 / 3.0, 2 * degree);
  Placement sums;
  for (int k = 0; k < edge_powers; ++k) sums.order[k] = beside.order[k] + further * beyond.order[k];
  return sums;
}

Placement FarPairs::typical(const ResultNorms& norms, int degree) const {
  return relative(typical_sums(beside_, beyond_, degree), tree_.target_count(0), norms);
}

Placement FarPairs::facing(const ResultNorms& norms, int degree) const {
  const std::int64_t most = looks_.points > 0 ? looks_.points : points_looked_at(degree);
  const bool alike = sources_.begin == targets_.begin;
  const std::vector<float> from = occupations(tree_, sources_, degree, most, threads_);
  const std::vector<float> to = alike ? std::vector<float>() : occupations(tree_, targets_, degree, most, threads_);
  std::vector<double> pairs(static_cast<std::size_t>(tree_.boxes));
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads_)
  for (BoxId box = tree_.level_begin[2]; box < tree_.boxes; ++box)
    pairs[static_cast<std::size_t>(box)] = facing_pairs(tree_, box, alike ? from.data() : to.data(), from.data());
  return relative(over_edges(tree_, pairs), tree_.target_count(0), norms);
}

constexpr std::int64_t most_in_leaf = 1024;  ///< points of a leaf that are looked at, for planes

/// Do too few coordinates coincide for planes (coincide_on_axis), as seen without sorting? In buckets of a fifth of the
/// mean gap, neighbours with an empty bucket between them do not coincide.
static bool surely_spread(const double* x, std::int64_t count, double low, double range, double share) {
  std::uint64_t occupied[(5 * most_in_leaf + 1) / 64 + 1] = {};
  const double buckets = 5 * static_cast<double>(count) * (1 - 1e-9);
  for (std::int64_t i = 0; i < count; ++i) {  // divides, since the inverse of a range of 1e-308 is infinite
    const auto bucket = static_cast<std::size_t>((x[i] - low) / range * buckets);
    occupied[bucket / 64] |= std::uint64_t(1) << bucket % 64;
  }
  std::int64_t runs = 0;
  std::uint64_t carry = 0;
  for (const std::uint64_t word : occupied) {
    runs += std::popcount(word & ~(word << 1 | carry));
    carry = word >> 63;
  }
  return static_cast<double>(runs - 1) > (1 - share) * static_cast<double>(count - 1);
}

/// Is the share of neighbours along an axis, in the leaf's sorted coordinates, that are closer than a fifth of the mean
/// gap large? 0.18 for random points, 0.86 for a lattice shaken by a tenth of its spacing, 0.5 for three tenths; 1 on a
/// flat axis.
static bool coordinates_coincide(const double* first, std::int64_t count) {
  constexpr double share = 0.4;
  const auto [low, high] = std::minmax_element(first, first + count);
  const double range = *high - *low;
  if (range == 0) return true;
  if (surely_spread(first, count, *low, range, share)) return false;
  std::vector<double> x(first, first + count);
  std::sort(x.begin(), x.end());
  std::int64_t close = 0;
  for (std::size_t i = 1; i < x.size(); ++i) close += coincide_on_axis(x[i - 1], x[i], range, count);
  return static_cast<double>(close) > share * static_cast<double>(count - 1);
}

bool shows_planes(const PlacedPoints& points, BoxId box) {
  const std::int64_t begin = points.begin[box], end = std::min(points.end[box], begin + most_in_leaf);
  bool all = true;
  for (int axis = 0; axis < 3 && all; ++axis) all = coordinates_coincide(points.axis[axis] + begin, end - begin);
  return all;
}

bool stand_in_planes(const TreeView& tree, const PlacedPoints& points) {
  int leaves = 0, in_planes = 0;
  const auto stretch = static_cast<BoxId>(stretch_of_planes(tree.boxes));
  for (BoxId start = 0; start < tree.boxes; start += stretch)
    for (BoxId box = start; box < std::min(tree.boxes, start + stretch); ++box) {
      if (!may_show_planes(tree, points, box)) continue;
      ++leaves;
      in_planes += shows_planes(points, box);
      break;  // one leaf of each stretch of boxes
    }
  return are_planes(leaves, in_planes);
}

}  // namespace farfield
