#include "tree/cell/unit_cell.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/error.hpp>
#include <string>

namespace farfield {
namespace {

constexpr double flattest =
    1e-12;  // measure over the product of lengths: below, rounding decides which vectors are meant
constexpr double shortest = 1e-90, longest = 1e90;  // so that no product of three lengths leaves the range of double

/// The coordinate axis that is farthest from a's direction.
Vector3 most_across(const Vector3& a) {
  Vector3 axis{};
  int least = 0;
  for (int i = 1; i < 3; ++i)
    if (std::fabs(a[i]) < std::fabs(a[least])) least = i;
  axis[least] = 1;
  return axis;
}

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::usage, sentence); }

void check(const Vector3& row, int i) {
  const std::string name = std::string("the cell's vector ") + "abc"[i];
  for (int axis = 0; axis < 3; ++axis)
    if (!std::isfinite(row[axis]))
      refuse(name + " has a component " + "xyz"[axis] + " that is no finite number; give three finite numbers");
  const double size = std::max({std::fabs(row[0]), std::fabs(row[1]), std::fabs(row[2])});
  if (size == 0) refuse(name + " has length 0; give a vector along each periodic axis, or make the axis open");
  if (size < shortest || size > longest)
    refuse(name + " is shorter than 1e-90 or longer than 1e90; give positions and cell in another unit");
}

}  // namespace

UnitCell::UnitCell(const std::array<Vector3, 3>& rows, const std::array<bool, 3>& periodic) {
  std::string names;
  for (int i = 0; i < 3; ++i) {
    if (!periodic[i]) continue;
    check(rows[i], i);
    names += std::string(names.empty() ? "" : count_ == 1 && periodic[2] && i == 1 ? ", " : " and ") + "abc"[i];
    vector_[count_++] = rows[i];
  }
  if (count_ == 0) refuse("no axis of the cell is periodic; name at least one, or leave the cell out");
  complete();
  double product = 1;
  for (int i = 0; i < count_; ++i) product *= length(vector_[i]);
  if (!(measure_ > flattest * product))
    refuse("the cell's vectors " + names + (count_ == 2 ? " are parallel" : " lie in one plane") +
           ", so that it has no " + (count_ == 2 ? "area" : "volume") +
           "; give vectors that do not, or fewer periodic axes");
  reduce();
  complete();
}

/// Sorts by length and shortens the longest by the closest vector of the lattice of the others, until nothing changes:
/// Semaev's reduction, which is Minkowski's in three dimensions.
void UnitCell::reduce() {
  for (bool changed = true; changed;) {
    changed = false;
    std::stable_sort(vector_.begin(), vector_.begin() + count_,
                     [](const Vector3& a, const Vector3& b) { return dot(a, a) < dot(b, b); });
    for (int last = 1; last < count_ && !changed; ++last) {
      Vector3& v = vector_[last];
      const Vector3 &a = vector_[0], &b = vector_[last - 1];
      const double aa = dot(a, a), bb = dot(b, b), ab = dot(a, b), determinant = aa * bb - ab * ab;
      const bool pair = last == 2;
      const double va = dot(v, a), vb = dot(v, b);
      const double first = std::round(pair ? (va * bb - vb * ab) / determinant : va / aa);
      const double second = pair ? std::round((vb * aa - va * ab) / determinant) : 0;
      Vector3 best = v;
      for (int i = -1; i <= 1; ++i)
        for (int j = pair ? -1 : 0; j <= (pair ? 1 : 0); ++j) {
          const Vector3 other = sum(sum(v, a, -(first + i)), b, -(second + j));
          if (dot(other, other) < dot(best, best) * (1 - 1e-14)) best = other;
        }
      changed = best != v;
      v = best;
    }
  }
}

/// Unit vectors across the periodic ones, dual vectors and measure.
void UnitCell::complete() {
  if (count_ == 1) vector_[1] = cross(vector_[0], most_across(vector_[0]));
  if (count_ < 2) vector_[1] = scaled(vector_[1], 1 / length(vector_[1]));
  if (count_ < 3) {
    vector_[2] = cross(vector_[0], vector_[1]);
    const double size = length(vector_[2]);
    measure_ = size;
    if (size == 0) return;  // refused by the caller
    vector_[2] = scaled(vector_[2], 1 / size);
  }
  const double triple = dot(vector_[0], cross(vector_[1], vector_[2]));
  measure_ = std::fabs(triple);
  for (int i = 0; i < 3; ++i) dual_[i] = scaled(cross(vector_[(i + 1) % 3], vector_[(i + 2) % 3]), 1 / triple);
}

Vector3 UnitCell::displacement(const CellIndex& image) const {
  Vector3 d{};
  for (int i = 0; i < count_; ++i) d = sum(d, vector_[i], image[i]);
  return d;
}

std::optional<PointBox> UnitCell::along_axes() const {
  PointBox box;
  if (count_ < 3) return {};
  for (const Vector3& v : vector_)
    for (int axis = 0; axis < 3; ++axis) {
      if (v[axis] == 0) continue;
      if (std::fabs(v[axis]) != length(v)) return {};
      (v[axis] < 0 ? box.low : box.high)[axis] = v[axis];
    }
  return box;
}

CellView UnitCell::view() const {
  CellView v{count_, {}, {}};
  for (int i = 0; i < 3; ++i)
    std::copy_n(vector_[i].data(), 3, v.vector[i]), std::copy_n(dual_[i].data(), 3, v.dual[i]);
  return v;
}

double UnitCell::fraction(const Vector3& x, int i) const { return dot(x, dual_[i]); }

Vector3 UnitCell::wrapped(const Vector3& x) const {
  Vector3 home = x;
  view().wrap(home.data());
  return home;
}

Vector3 UnitCell::minimum_image(const Vector3& d) const {
  Vector3 shortest = d;
  view().shorten(shortest.data());
  return shortest;
}

std::vector<CellIndex> UnitCell::cells_within(double reach) const {
  int most[3] = {};
  for (int i = 0; i < count_; ++i) most[i] = static_cast<int>(reach * length(dual_[i]) * (1 + 1e-12));
  std::vector<CellIndex> found;
  for (int i = -most[0]; i <= most[0]; ++i)
    for (int j = -most[1]; j <= most[1]; ++j)
      for (int k = -most[2]; k <= most[2]; ++k)
        if (length(displacement({i, j, k})) <= reach) found.push_back({i, j, k});
  return found;
}

std::vector<CellIndex> near_cells(const UnitCell& cell, double edge) {
  const double apart = 2 * edge * (1 - 1e-12);
  std::vector<CellIndex> near;
  for (const CellIndex& image : cell.cells_within(2 * std::sqrt(3.0) * edge)) {
    const Vector3 d = cell.displacement(image);
    if (std::max({std::fabs(d[0]), std::fabs(d[1]), std::fabs(d[2])}) < apart) near.push_back(image);
  }
  return near;
}

}  // namespace farfield
