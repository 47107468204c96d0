#include "distributed/share/cuts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace farfield::distributed {

std::vector<double> equal_pieces(std::int64_t points, int ranks) {
  std::vector<double> aims;
  for (int r = 0; r <= ranks; ++r) aims.push_back(static_cast<double>(points) * r / ranks);
  return aims;
}

std::vector<int> owners_by_count(const Numbers& points, const std::vector<double>& aims) {
  std::vector<int> owners;
  std::int64_t before = 0;
  for (const std::int64_t count : points) {
    const double middle = static_cast<double>(before) + static_cast<double>(count) / 2;
    owners.push_back(static_cast<int>(std::upper_bound(aims.begin() + 1, aims.end() - 1, middle) - aims.begin()) - 1);
    before += count;
  }
  return owners;
}

namespace {

/// Of a share, so that no rank owns a tenth more or less than one. Pieces are a twentieth of a share, so there is a
/// place for a border within half of that on either side of the middle.
constexpr double most_off = 0.05;

/// [boxes + 1]
template <class T>
std::vector<T> running(const Numbers& counts) {
  std::vector<T> sums{0};
  for (const std::int64_t count : counts) sums.push_back(sums.back() + static_cast<T>(count));
  return sums;
}

}  // namespace

Borders::Borders(const Numbers& points, const std::vector<double>& aims) : before_(running<double>(points)) {
  for (std::size_t r = 1; r + 1 < aims.size(); ++r)
    find_places(most_off * std::min(aims[r] - aims[r - 1], aims[r + 1] - aims[r]), aims[r]);
}

/// Where no box ends near enough, the nearest one's end, or both of two as near.
void Borders::find_places(double tolerance, double aim) {
  const auto from = std::lower_bound(before_.begin(), before_.end(), aim - tolerance),
             to = std::upper_bound(from, before_.end(), aim + tolerance);
  const auto first = static_cast<std::size_t>(from - before_.begin());
  if (from < to) return borders_.push_back({first, static_cast<std::size_t>(to - before_.begin()), aim});
  const double above = before_[first] - aim, below = aim - before_[first - 1];  // the first is 0, the last all points
  borders_.push_back({below <= above ? first - 1 : first, above <= below ? first + 1 : first, aim});
}

Numbers Borders::on_wrong_side(const Numbers& held, int rank) const {
  const Numbers before = running<std::int64_t>(held);
  Numbers wrong;
  for (std::size_t k = 0; k < borders_.size(); ++k)
    for (std::size_t b = borders_[k].first; b < borders_[k].end; ++b)
      wrong.push_back(rank <= static_cast<int>(k) ? before.back() - before[b] : before[b]);
  return wrong;
}

/// Where the fewest points are on the wrong side, of equal places that nearest to the aim.
std::size_t Borders::best_place(std::size_t border, const std::int64_t* wrong) const {
  const Places& places = borders_[border];
  std::pair<std::int64_t, double> least;
  std::size_t found = places.first;
  for (std::size_t b = places.first; b < places.end; ++b) {
    const std::pair cost(wrong[b - places.first], std::fabs(before_[b] - places.aim));
    if (b == places.first || cost < least) least = cost, found = b;
  }
  return found;
}

std::vector<int> Borders::owners(const Numbers& wrong) const {
  std::vector<int> owners(before_.size() - 1, static_cast<int>(borders_.size()));
  std::size_t begin = 0;
  const std::int64_t* of_border = wrong.data();
  for (std::size_t k = 0; k < borders_.size(); of_border += borders_[k].end - borders_[k].first, ++k) {
    const std::size_t end = std::max(begin, best_place(k, of_border));
    std::fill(owners.begin() + static_cast<std::ptrdiff_t>(begin), owners.begin() + static_cast<std::ptrdiff_t>(end),
              static_cast<int>(k));
    begin = end;
  }
  return owners;
}

}  // namespace farfield::distributed
