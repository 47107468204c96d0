// DeviceOwnPoints: a rank's points in device memory as the coarse tree sees them (partition/coarse.hpp). They are not
// sorted: each knows the box that it is in. The first levels cost one look at all points, further ones another at those
// of boxes that are divided.
#pragma once
#include "distributed/cuda/share.hpp"
#include "distributed/partition/coarse.hpp"

namespace farfield::distributed {

/// Who owns the points of a set, in device memory.
struct Owners {
  const std::uint32_t* code;       ///< of each point; as long as its DeviceOwnPoints
  OnDevice<std::int32_t> of_code;  ///< [codes]
};

class DeviceOwnPoints final : public OwnPoints {
 public:
  /// `sources`, and `targets` unless null, are in device memory.
  DeviceOwnPoints(const Points& sources, const Points* targets, int exponent, const Lattice& lattice,
                  farfield::cuda::DeviceMemory& memory);

  int sets() const override { return static_cast<int>(sets_.size()); }
  std::int64_t points_in(std::size_t set) const override { return sets_[set].points.count; }
  /// Are floats enough for the points of a set?
  bool single(std::size_t set) const {
    return sets_[set].points.count == 0 || sets_[set].points.scalar == Scalar::float32;
  }
  Numbers count_children(const std::vector<CoarseBox>& boxes, const Numbers& dividing) override;
  std::vector<double> bounds(const Numbers& places) override;
  void add_child(std::size_t place, int octant) override;

  Owners owners(std::size_t set, const std::vector<CoarseBox>& boxes) const;

 private:
  /// One kind of points. Their boxes have codes: the first ones are of cells a few levels below the root, then there
  /// are eight more for each box that is divided further, whether or not its children hold points.
  struct Set {
    Points points;
    Scaling scale;
    OnDevice<std::uint32_t> code;
  };

  void count(Set& set, int level, int below, const std::int32_t* first_child, std::size_t base, std::size_t counters,
             std::uint32_t* counts);
  Numbers count(int level, int below, const std::int32_t* first_child, std::size_t base, std::size_t counters);
  int octant_of_cell(std::size_t cell, int level) const;
  Numbers sum_cells(const std::vector<std::int32_t>& place) const;
  OnDevice<std::int32_t> of_codes(const std::vector<std::int32_t>& of_boxes) const;
  void add_bounds(const Set& set, const std::int32_t* place, std::size_t places, std::vector<double>& bounds);

  Lattice lattice_;
  farfield::cuda::DeviceMemory& memory_;
  std::vector<Set> sets_;
  int cell_levels_;
  Numbers in_cells_;      ///< [sets][cells]: points
  std::vector<int> box_;  ///< [codes]: number of the box
  int boxes_ = 1;
  Numbers dividing_;  ///< boxes of the last count, of this level
  int level_ = 0;
  std::size_t base_ = 0;  ///< code of the first child of the first of them, below the cells
};

}  // namespace farfield::distributed
