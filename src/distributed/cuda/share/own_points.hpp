// DeviceOwnPoints: a rank's points in device memory as the coarse tree sees them (share/coarse.hpp). They are not
// sorted: each knows the box that it is in, and a level of the tree costs a look at those whose box is divided.
#pragma once
#include "distributed/cuda/share.hpp"
#include "distributed/share/coarse.hpp"

namespace farfield::distributed {

class DeviceOwnPoints final : public OwnPoints {
 public:
  /// `sources`, and `targets` unless null, are in device memory.
  DeviceOwnPoints(const Points& sources, const Points* targets, int exponent, const Lattice& lattice,
                  farfield::cuda::DeviceMemory& memory);

  int sets() const override { return static_cast<int>(sets_.size()); }
  Numbers count_children(const std::vector<CoarseBox>& boxes, const Numbers& dividing) override;
  std::vector<double> bounds(const Numbers& places) override;
  void add_child(std::size_t place, int octant) override;

  /// Of the first `count` points of a set.
  OnDevice<std::uint32_t> owners(int set, std::int64_t count, const std::vector<CoarseBox>& boxes) const;

 private:
  /// One kind of points. Their boxes have codes: for each box that is divided there are eight more, of its children,
  /// whether they hold points or not.
  struct Set {
    Points points;
    Scaling scale;
    OnDevice<std::uint32_t> code;
  };

  void count(Set& set, int level, const std::int32_t* first_child, std::uint32_t* counts);
  void add_bounds(const Set& set, const std::int32_t* place, std::size_t places, std::vector<double>& bounds);

  Lattice lattice_;
  farfield::cuda::DeviceMemory& memory_;
  std::vector<Set> sets_;
  std::vector<int> box_;     ///< [codes]: number of the box
  std::size_t base_ = 1;     ///< code of the first child of the last count
  std::size_t counted_ = 0;  ///< boxes of the last count
  int boxes_ = 1;
};

}  // namespace farfield::distributed
