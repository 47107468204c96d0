// UnitCell: the lattice whose images a periodic sum adds. One, two or three vectors, of any lengths, angles and
// handedness.
//
// The vectors are reduced (Minkowski: none can be shortened by whole multiples of the others), so that an unreduced
// cell gives the same sums at the same price. Images are counted in reduced vectors everywhere.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tree/cell/cell_view.hpp"
#include "tree/cell/vector3.hpp"
#include "tree/geometry.hpp"

namespace farfield {

/// How often each reduced vector is added; 0 beyond UnitCell::periodic_count.
using CellIndex = std::array<int, 3>;

class UnitCell {
 public:
  /// `rows`: the lattice vectors a, b, c; those whose axis is not periodic are not read. Throws Error where the
  /// periodic ones are not finite, or span no length, area or volume.
  UnitCell(const std::array<Vector3, 3>& rows, const std::array<bool, 3>& periodic);

  int periodic_count() const { return count_; }
  /// Reduced vectors, the shortest first, of either handedness; beyond periodic_count unit vectors across them.
  const Vector3& vector(int i) const { return vector_[i]; }
  /// dual(i) . vector(j) = delta_ij; a reciprocal vector is 2 pi times a whole combination of the first periodic_count.
  const Vector3& dual(int i) const { return dual_[i]; }
  /// What points that are wrapped fill, if three vectors lie along the axes.
  std::optional<PointBox> along_axes() const;
  /// Volume, area or length.
  double measure() const { return measure_; }
  Vector3 displacement(const CellIndex& image) const;
  CellView view() const;

  /// Coordinate i of x in reduced vectors.
  double fraction(const Vector3& x, int i) const;
  /// The image of x whose fractions are in [0, 1) along the periodic vectors: x minus whole multiples of these, rounded
  /// once (a point that rounding would put on the upper face is moved to the lower one).
  Vector3 wrapped(const Vector3& x) const;
  /// The shortest of d's images.
  Vector3 minimum_image(const Vector3& d) const;
  /// All images whose displacement is at most `reach` long, in a fixed order.
  std::vector<CellIndex> cells_within(double reach) const;

 private:
  void reduce();
  void complete();

  int count_ = 0;
  std::array<Vector3, 3> vector_{}, dual_{};
  double measure_ = 0;
};

/// The images of a cube whose points are not all apart from it by the edge of a cube: less than two edges away along
/// every axis, as neighbours are among boxes. An operator of the others converges as m2l does.
std::vector<CellIndex> near_cells(const UnitCell& cell, double edge);

}  // namespace farfield
