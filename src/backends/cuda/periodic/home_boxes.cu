#include <algorithm>
#include <cmath>

#include "backends/cuda/boxes/images/image_boxes.hpp"
#include "backends/cuda/periodic/home_boxes.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "methods/fmm.hpp"

namespace farfield::cuda {
namespace {

/// *other becomes 1 where a source of a box is an image or in another block; a block of threads for each box.
__global__ void __launch_bounds__(sum_threads)
    look_for_others(const BlockBox* boxes, TreeView tree, FollowedImages images, const std::uint32_t* block,
                    int* other) {
  const BlockBox own = boxes[blockIdx.x];
  const std::int64_t end = tree.source_end[own.box];
  for (std::int64_t s = tree.source_begin[own.box] + threadIdx.x; s < end; s += sum_threads)
    if (!images.at_home(s) || block[images.point[s]] != static_cast<std::uint32_t>(own.block)) *other = 1;
}

/// Boxes of one level, on the host.
struct BoxesOfLevel {
  BoxId first;
  std::vector<double> centre[3];
  std::vector<std::int64_t> begin, end;

  BoxesOfLevel(const TreeView& tree, int level, cudaStream_t stream) : first(tree.level_begin[level]) {
    const BoxId boxes = tree.level_begin[level + 1] - first;
    for (std::size_t axis = 0; axis < 3; ++axis)
      read(centre[axis], tree.centre + static_cast<std::int64_t>(axis) * tree.boxes, boxes, stream);
    read(begin, tree.source_begin, boxes, stream), read(end, tree.source_end, boxes, stream);
    require(cudaStreamSynchronize(stream), "boxes of a level");
  }
  template <class T>
  void read(std::vector<T>& to, const T* from, BoxId boxes, cudaStream_t stream) const {
    to.resize(static_cast<std::size_t>(boxes));
    download(to.data(), from + first, boxes, stream);
  }
};

}  // namespace

/// The blocks of a cell along the axes, in a tree's coordinates.
struct HomeBoxes::Cut {
  double low[3], side[3];  ///< of the cell, of a block
  int counts[3] = {};      ///< of blocks along each axis
  std::vector<int> number;

  Cut(const BlockGrid& grid, const PointBox& cell, const Scaling& scale) {
    for (int i = 0; i < 3; ++i)
      for (int axis = 0; axis < 3; ++axis)
        if (grid.cell().vector(i)[static_cast<std::size_t>(axis)] != 0) counts[axis] = grid.count(i);
    for (int axis = 0; axis < 3; ++axis)
      low[axis] = scale(cell.low[axis]), side[axis] = (scale(cell.high[axis]) - low[axis]) / counts[axis];
    number.resize(static_cast<std::size_t>(grid.blocks()));
    for (int block = 0; block < grid.blocks(); ++block) {
      int at[3];
      for (int axis = 0; axis < 3; ++axis)
        at[axis] = static_cast<int>(
            std::floor((scale(grid.centre(block)[static_cast<std::size_t>(axis)]) - low[axis]) / side[axis]));
      number[index(at)] = block;
    }
  }
  std::size_t index(const int (&at)[3]) const {
    return static_cast<std::size_t>((at[0] * counts[1] + at[1]) * counts[2] + at[2]);
  }
  /// Of how many boxes of this edge a block is along each axis; false: of no number that will do.
  bool divide(double edge, int (&parts)[3]) const {
    bool divides = true;
    for (int axis = 0; axis < 3; ++axis) {
      parts[axis] = whole_boxes(side[axis], edge, least_along, most_along);
      divides = divides && parts[axis] > 0;
    }
    return divides;
  }
  /// Where the box with this centre stands; `box` becomes no_box where that is not at home. false: boxes do not begin
  /// where blocks do.
  bool find(const double (&centre)[3], const int (&parts)[3], double edge, BlockBox& box) const {
    constexpr double rounding = 1e-6;  // of an edge: boxes divide the cell to 2^-32
    int block[3], place[3];
    for (int axis = 0; axis < 3; ++axis) {
      const int at = static_cast<int>(std::floor((centre[axis] - low[axis]) / edge));
      if (at < 0 || at >= counts[axis] * parts[axis]) return box.box = no_box, true;
      if (std::fabs(centre[axis] - low[axis] - (at + 0.5) * edge) > rounding * edge) return false;
      block[axis] = at / parts[axis], place[axis] = at % parts[axis];
    }
    box.block = number[index(block)];
    box.place = (place[0] * parts[1] + place[1]) * parts[2] + place[2];
    return true;
  }
};

void HomeBoxes::place(const std::optional<BlockGrid>& grid, const BlockedCloud& cloud) {
  count_ = 0;
  grid_.reset();
  if (grid && grid->cell().along_axes()) grid_.emplace(*grid);
  block_ = cloud.block(), points_ = cloud.count();
}

/// Boxes at home of one level that hold points; none: not where blocks could be of them. A leaf coarser than these
/// boxes, or one that lies across a side of the cell, has points that are in none of them.
std::vector<BlockBox> HomeBoxes::of_level(const Cut& cut, const TreeView& tree, int level, cudaStream_t stream) const {
  const BoxesOfLevel all(tree, level, stream);
  std::vector<BlockBox> boxes;
  std::int64_t points = 0;
  for (std::size_t i = 0; i < all.begin.size(); ++i) {
    BlockBox own{all.first + static_cast<BoxId>(i), 0, 0};
    if (!cut.find({all.centre[0][i], all.centre[1][i], all.centre[2][i]}, parts_, tree.lattice.edge(level), own))
      return {};
    if (own.box == no_box || all.begin[i] == all.end[i]) continue;
    boxes.push_back(own);
    points += all.end[i] - all.begin[i];
  }
  if (points != points_) return {};
  return boxes;
}

/// Of the levels that will do the coarsest, which has the fewest boxes.
void HomeBoxes::find(const CudaTree& built, const FollowedImages& images, const Scaling& scale) {
  count_ = 0;
  const TreeView tree = built.tree.view();
  const std::optional<PointBox> cell = grid_ ? grid_->cell().along_axes() : std::nullopt;
  if (!cell || points_ == 0) return;
  const Cut cut(*grid_, *cell, scale);
  scale_ = scale;
  for (int level = coarsest; level < tree.levels && !found(); ++level) {
    level_ = level, edge_ = tree.lattice.edge(level);
    if (!cut.divide(edge_, parts_)) continue;
    const std::vector<BlockBox> boxes = of_level(cut, tree, level, built.memory->stream);
    if (!boxes.empty() && holds_all(boxes, images, built)) count_ = static_cast<int>(boxes.size());
  }
}

/// Do these boxes hold the points of their blocks and nothing else? They are on the device then. Waits.
bool HomeBoxes::holds_all(const std::vector<BlockBox>& boxes, const FollowedImages& images, const CudaTree& built) {
  const cudaStream_t stream = built.memory->stream;
  std::vector<BoxId> at(static_cast<std::size_t>(places() * grid_->blocks()), no_box);
  for (const BlockBox& own : boxes) at[static_cast<std::size_t>(own.place * grid_->blocks() + own.block)] = own.box;
  DeviceArray<int> other(*built.memory);
  int found = 0;
  upload(boxes_, boxes.data(), std::ssize(boxes), stream);
  upload(at_, at.data(), std::ssize(at), stream);
  upload(other, &found, 1, stream);
  look_for_others<<<static_cast<unsigned>(boxes.size()), sum_threads, 0, stream>>>(boxes_.data(), built.tree.view(),
                                                                                   images, block_, other.data());
  require_launch("boxes at home");
  download(&found, other.data(), 1, stream);
  require(cudaStreamSynchronize(stream), "boxes at home");
  return found == 0;
}

/// Where boxes fill blocks alike, ratios differ by the rounding of sides.
bool HomeBoxes::Made::is_of(int other_degree, const int (&other)[3], double other_ratio) const {
  return degree == other_degree && std::equal(parts, parts + 3, other) && std::fabs(ratio / other_ratio - 1) < 1e-9;
}

void HomeBoxes::use(DeviceField& field, cudaStream_t stream) {
  const FieldView& f = field.view();
  field_ = &field;
  const std::int64_t all = std::int64_t(places()) * f.blocks;
  part_.resize(all * f.count), charge_.resize(2 * all);
  const double ratio = edge_ / scale_(f.unit);
  if (made_.is_of(f.degree, parts_, ratio)) return;
  const BoxShifts shifts = make_box_shifts(f.degree, scale_(f.unit), edge_, parts_);
  upload(m2m_, shifts.m2m.data(), std::ssize(shifts.m2m), stream);
  upload(l2l_, shifts.l2l.data(), std::ssize(shifts.l2l), stream);
  require(cudaStreamSynchronize(stream), "matrices of boxes");
  made_ = {f.degree, {parts_[0], parts_[1], parts_[2]}, shifts.pitch, ratio};
}

BlockBoxes HomeBoxes::view() {
  const FieldView& f = field_->view();
  BlockBoxes v{boxes_.data(), count_,      at_.data(), places(), made_.pitch,  f.blocks,
               m2m_.data(),   l2l_.data(), {},         0,        part_.data(), charge_.data()};
  for (int axis = 0; axis < 3; ++axis) v.root_centre[axis] = scale_(f.root_centre[axis]);
  v.root_factor = 1 / scale_(f.root_edge);
  return v;
}

/// Charges beside the first m2m; the rest beside the m2m of coarser levels, and m2l.
void HomeBoxes::begin(const Work<float>& work, int level) {
  const bool first = level == work.tree.levels - 1;
  if (!first && level != level_) return;
  Work<float> of_blocks = work;
  of_blocks.stream = beside_.fork(work.stream);
  if (first) charges_of_boxes(view(), of_blocks);
  if (level != level_) return;
  blocks_from_boxes(field_->view(), view(), of_blocks);
  field_->translate(of_blocks.stream, true);
}
void HomeBoxes::finish(const Work<float>& work) {
  beside_.join(work.stream);
  boxes_from_blocks(field_->view(), view(), work);
}
void HomeBoxes::complete(const Work<float>& work) { add_net_charge(field_->view(), view(), work); }

}  // namespace farfield::cuda
