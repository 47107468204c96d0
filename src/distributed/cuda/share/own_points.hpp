// DeviceOwnPoints: a rank's points in device memory as the coarse tree sees them (partition/coarse.hpp). They are not
// sorted: each has the code of a cell that it is in. Some levels cost one look at all points.
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
  /// `sources`, and `targets` unless null, are in device memory. `meanwhile`: work for the host, or none, that is done
  /// once, while the device counts.
  DeviceOwnPoints(const Points& sources, const Points* targets, int exponent, const Lattice& lattice,
                  farfield::cuda::DeviceMemory& memory, std::function<void()> meanwhile);

  int sets() const override { return static_cast<int>(sets_.size()); }
  std::int64_t points_in(std::size_t set) const override { return sets_[set].points.count; }
  /// Are floats enough for the points of a set?
  bool single(std::size_t set) const {
    return sets_[set].points.count == 0 || sets_[set].points.scalar == Scalar::float32;
  }
  Numbers count_cells(const std::vector<CoarseBox>& boxes, const Numbers& dividing, int below) override;
  std::vector<double> bounds(const std::vector<CellRun>& boxes) override;
  void add_box(CellRun cells) override;

  Owners owners(std::size_t set, const std::vector<CoarseBox>& boxes);

 private:
  /// One kind of points. Cells have codes: 0 is the root, and every count adds those of the cells that it counts.
  struct Set {
    Points points;
    Scaling scale;
    OnDevice<std::uint32_t> code;
  };

  void count(Set& set, int shift, int below, const std::int32_t* first_cell, std::int64_t counters,
             std::uint32_t* counts);
  OnDevice<std::int32_t> of_codes(const std::vector<CellRun>& runs, const std::vector<std::int32_t>& of_runs) const;
  void add_bounds(const Set& set, const std::int32_t* place, std::size_t places, std::vector<double>& bounds);

  Lattice lattice_;
  farfield::cuda::DeviceMemory& memory_;
  std::function<void()> meanwhile_;
  std::vector<Set> sets_;
  std::vector<CellRun> codes_{{0, 1}};     ///< [boxes]: codes of the points in it, where its children have none
  std::int64_t all_codes_ = 1, base_ = 0;  ///< the last count's are [base_, all_codes_)
  bool counted_ = false;                   ///< do points have codes?
};

}  // namespace farfield::distributed
