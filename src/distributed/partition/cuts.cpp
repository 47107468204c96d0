#include "distributed/partition/cuts.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/error.hpp>
#include <string>
#include <utility>

namespace farfield::distributed {
namespace {

/// Of a piece, so that no rank owns a tenth more or less than its own. Boxes hold a twentieth of a piece, so there is a
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

PlacesOfBorders places_by_count(const Numbers& points, const Pieces& pieces) {
  PlacesOfBorders places;
  std::size_t place = 0;
  double before = 0;
  const auto half = [&] { return static_cast<double>(points[place]) / 2; };
  for (std::size_t r = 1; r < pieces.most.size(); ++r) {
    for (; place < points.size() && before + half() < pieces.begin[r]; ++place)
      before += static_cast<double>(points[place]);
    places.push_back(place);
  }
  return places;
}

Borders::Borders(const Numbers& points, const Pieces& pieces) : before_(running<double>(points)) {
  for (std::size_t r = 1; r < pieces.most.size(); ++r)
    find_places(most_off * std::min(pieces.of(r - 1), pieces.of(r)), pieces.begin[r]);
}

/// Where no box ends near enough, the nearest one's end, or both of two as near.
void Borders::find_places(double tolerance, double aim) {
  const auto from = std::lower_bound(before_.begin(), before_.end(), aim - tolerance),
             to = std::upper_bound(from, before_.end(), aim + tolerance);
  const auto first = static_cast<std::size_t>(from - before_.begin());
  if (from < to) return borders_.push_back({first, static_cast<std::size_t>(to - before_.begin()), aim});
  if (from == before_.end()) return borders_.push_back({first - 1, first, aim});  // an aim rounded beyond all points
  const double above = before_[first] - aim, below = aim - before_[first - 1];    // the first is 0
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
  const Candidates& places = borders_[border];
  std::pair<std::int64_t, double> least;
  std::size_t found = places.first;
  for (std::size_t b = places.first; b < places.end; ++b) {
    const std::pair cost(wrong[b - places.first], std::fabs(before_[b] - places.aim));
    if (b == places.first || cost < least) least = cost, found = b;
  }
  return found;
}

PlacesOfBorders Borders::places(const Numbers& wrong) const {
  PlacesOfBorders places;
  const std::int64_t* of_border = wrong.data();
  for (std::size_t k = 0; k < borders_.size(); of_border += borders_[k].end - borders_[k].first, ++k)
    places.push_back(best_place(k, of_border));
  return places;
}

namespace {

/// Places where pieces that end at them, or begin, are as large as their ranks take.
class Room {
 public:
  Room(const Numbers& points, const Pieces& pieces)
      : before_(running<std::int64_t>(points)), most_(pieces.most), last_(most_.size() + 1, points.size()) {
    for (std::size_t r = most_.size(); r-- > 0;) last_[r] = first_of(r, last_[r + 1]);
    if (last_[0] > 0)
      throw Error(ErrorCode::memory,
                  "boxes of up to " + std::to_string(*std::max_element(points.begin(), points.end())) +
                      " points are not divided, which is too much for most_points of the ranks; raise it");
  }
  /// Of the border behind a rank whose piece begins there: the rank takes what is before it, and others what is behind.
  std::size_t nearest(std::size_t place, std::size_t rank, std::size_t begin) const {
    const auto beyond = std::upper_bound(before_.begin(), before_.end(), before_[begin] + most_[rank]);
    return std::clamp(place, std::max(begin, last_[rank + 1]), static_cast<std::size_t>(beyond - before_.begin()) - 1);
  }

 private:
  /// From where on the rank takes all up to `end`.
  std::size_t first_of(std::size_t rank, std::size_t end) const {
    const auto first = std::lower_bound(before_.begin(), before_.end(), before_[end] - most_[rank]);
    return static_cast<std::size_t>(first - before_.begin());
  }

  Numbers before_;
  const std::vector<std::int64_t>& most_;
  PlacesOfBorders last_;  ///< [ranks + 1]: ranks from r on take all behind last_[r], and no more
};

}  // namespace

std::vector<int> owners_of_boxes(const PlacesOfBorders& places, const Numbers& points, const Pieces& pieces) {
  const Room room(points, pieces);
  std::vector<int> owners(points.size(), pieces.ranks() - 1);
  std::size_t begin = 0;
  for (std::size_t r = 0; r < places.size(); ++r) {
    const std::size_t end = room.nearest(places[r], r, begin);
    std::fill(owners.begin() + static_cast<std::ptrdiff_t>(begin), owners.begin() + static_cast<std::ptrdiff_t>(end),
              static_cast<int>(r));
    begin = end;
  }
  return owners;
}

}  // namespace farfield::distributed
