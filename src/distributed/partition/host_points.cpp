// A rank's points in host memory, sorted by the boxes of the coarse tree.
#include <limits>
#include <numeric>
#include <utility>

#include "distributed/partition/coarse.hpp"
#include "tree/reader.hpp"

namespace farfield::distributed {
namespace {

/// This rank's points of one kind, sources or targets.
struct OwnSet {
  struct Own {
    std::size_t begin, end;  ///< in `point`
  };
  AnyReader read;
  std::vector<std::uint32_t> point;  ///< indices of the points, those of a box together
  std::vector<Own> range;            ///< of the boxes
  std::vector<Own> cell;             ///< of the cells that were counted last

  OwnSet(const Points& points, int exponent)
      : read(points, Scaling(exponent)), point(static_cast<std::size_t>(points.count)), range{{0, point.size()}} {
    std::iota(point.begin(), point.end(), std::uint32_t(0));
  }
  Own of(CellRun cells) const {
    return {cell[static_cast<std::size_t>(cells.begin)].begin, cell[static_cast<std::size_t>(cells.end) - 1].end};
  }
};

class HostPoints final : public OwnPoints {
 public:
  HostPoints(const Given& given, int exponent, const Lattice& lattice) : lattice_(lattice) {
    sets_.emplace_back(given.sources, exponent);
    if (given.targets) sets_.emplace_back(*given.targets, exponent);
  }
  int sets() const override { return static_cast<int>(sets_.size()); }
  std::int64_t points_in(std::size_t set) const override { return std::ssize(sets_[set].point); }
  Numbers count_cells(const std::vector<CoarseBox>& boxes, const Numbers& dividing, int below) override;
  std::vector<double> bounds(const std::vector<CellRun>& boxes) override;
  void add_box(CellRun cells) override;
  std::vector<std::int32_t> owners(std::size_t set, const std::vector<CoarseBox>& boxes) const;

 private:
  std::uint32_t cell_at(const OwnSet& set, std::uint32_t point, int level, int below) const;
  void count_cells(OwnSet& set, const Numbers& dividing, int level, int below, std::int64_t* counts);

  Lattice lattice_;
  std::vector<OwnSet> sets_;
};

/// Of a point in a box at `level`.
std::uint32_t HostPoints::cell_at(const OwnSet& set, std::uint32_t point, int level, int below) const {
  std::uint32_t cell = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const auto index = static_cast<std::uint64_t>(lattice_.index(set.read(point, axis), axis));
    cell |= spread_bits(static_cast<std::uint32_t>(index >> (lattice_.depth - level - below)) & ((1u << below) - 1))
            << axis;
  }
  return cell;
}

/// Sorts the points of the boxes by their cells, too.
void HostPoints::count_cells(OwnSet& set, const Numbers& dividing, int level, int below, std::int64_t* counts) {
  const std::size_t of_box = std::size_t(1) << 3 * below;
  std::vector<std::uint32_t> sorted, cell;
  std::vector<std::size_t> next(of_box);
  set.cell.clear();
  for (const std::int64_t box : dividing) {
    const OwnSet::Own own = set.range[static_cast<std::size_t>(box)];
    cell.resize(own.end - own.begin), sorted.resize(cell.size());
    for (std::size_t i = 0; i < cell.size(); ++i) {
      cell[i] = cell_at(set, set.point[own.begin + i], level, below);
      ++counts[cell[i]];
    }
    std::size_t begin = own.begin;
    for (std::size_t c = 0; c < of_box; ++c) {
      next[c] = begin - own.begin;
      set.cell.push_back({begin, begin + static_cast<std::size_t>(counts[c])});
      begin = set.cell.back().end;
    }
    for (std::size_t i = 0; i < cell.size(); ++i) sorted[next[cell[i]]++] = set.point[own.begin + i];
    std::copy(sorted.begin(), sorted.end(), set.point.begin() + static_cast<std::ptrdiff_t>(own.begin));
    counts += of_box;
  }
}

Numbers HostPoints::count_cells(const std::vector<CoarseBox>& boxes, const Numbers& dividing, int below) {
  const std::size_t of_set = dividing.size() << 3 * below;
  Numbers counts(of_set * sets_.size(), 0);
  for (std::size_t s = 0; s < sets_.size(); ++s)
    count_cells(sets_[s], dividing, boxes[static_cast<std::size_t>(dividing[0])].level, below, &counts[s * of_set]);
  return counts;
}

std::vector<double> HostPoints::bounds(const std::vector<CellRun>& boxes) {
  std::vector<double> bounds(6 * boxes.size(), std::numeric_limits<double>::infinity());
  for (const OwnSet& set : sets_)
    for (std::size_t k = 0; k < boxes.size(); ++k) {
      const OwnSet::Own own = set.of(boxes[k]);
      for (std::size_t i = own.begin; i < own.end; ++i)
        for (int axis = 0; axis < 3; ++axis) {
          const double x = set.read(set.point[i], axis);
          double* bound = &bounds[6 * k + 2 * static_cast<std::size_t>(axis)];
          bound[0] = std::min(bound[0], x), bound[1] = std::min(bound[1], -x);
        }
    }
  return bounds;
}

void HostPoints::add_box(CellRun cells) {
  for (OwnSet& set : sets_) set.range.push_back(set.of(cells));
}

std::vector<std::int32_t> HostPoints::owners(std::size_t set, const std::vector<CoarseBox>& boxes) const {
  if (set >= sets_.size()) return {};
  const OwnSet& own = sets_[set];
  std::vector<std::int32_t> owners(own.point.size());
  for (std::size_t b = 0; b < boxes.size(); ++b)
    for (std::size_t i = own.range[b].begin; boxes[b].is_leaf() && i < own.range[b].end; ++i)
      owners[own.point[i]] = boxes[b].first_rank;
  return owners;
}

}  // namespace

Partition divide(Ranks& ranks, const Given& given, const Geometry& geometry, const Decision& decision) {
  HostPoints points(given, geometry.exponent, make_lattice(geometry, decision.root));
  Partition partition = divide(ranks, points, given, geometry, decision);
  partition.source_owner = points.owners(0, partition.boxes);
  partition.target_owner = points.owners(1, partition.boxes);
  return partition;
}

}  // namespace farfield::distributed
