#include "distributed/share/cuts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace farfield::distributed {

std::vector<int> owners_by_count(const Numbers& points, int ranks) {
  const auto sum = std::accumulate(points.begin(), points.end(), std::int64_t(0));
  const double all = static_cast<double>(std::max<std::int64_t>(1, sum));
  std::vector<int> owners;
  std::int64_t before = 0;
  for (const std::int64_t count : points) {
    const double middle = static_cast<double>(before) + static_cast<double>(count) / 2;
    owners.push_back(std::min(ranks - 1, static_cast<int>(middle / all * ranks)));
    before += count;
  }
  return owners;
}

namespace {

/// Of a share, so that no rank owns a tenth more or less than one. Pieces are a twentieth of a share, so there is a
/// place for a border within half of that on either side of the middle.
constexpr double most_off = 0.05;

/// Finds the borders between ranks, from the first on.
class Borders {
 public:
  Borders(const Numbers& held, int ranks)
      : held_(held), boxes_(held.size() / static_cast<std::size_t>(ranks)) {
    lower_.assign(boxes_, 0), all_.assign(boxes_, 0);
    for (std::size_t i = 0; i < held.size(); ++i) all_[i % boxes_] += held[i];
    share_ = static_cast<double>(std::accumulate(all_.begin(), all_.end(), std::int64_t(0))) / ranks;
  }

  /// Boxes before the border that ends the next rank's piece.
  std::size_t next() {
    for (std::size_t b = 0; b < boxes_; ++b) lower_[b] += held_[static_cast<std::size_t>(rank_) * boxes_ + b];
    ++rank_;
    return best();
  }

 private:
  /// Where the fewest points are on the wrong side, of equal places that nearest to the middle. Where no box ends near
  /// enough, the nearest one's end.
  std::size_t best() const {
    std::int64_t before = 0, wrong = std::accumulate(lower_.begin(), lower_.end(), std::int64_t(0));
    std::tuple<double, std::int64_t, double> least;
    std::size_t found = 0;
    for (std::size_t b = 0; b <= boxes_; ++b) {
      const double off = std::fabs(static_cast<double>(before) - share_ * rank_);
      const std::tuple cost(std::max(0.0, off - most_off * share_), wrong, off);
      if (b == 0 || cost < least) least = cost, found = b;
      if (b < boxes_) before += all_[b], wrong += all_[b] - 2 * lower_[b];
    }
    return found;
  }

  const Numbers& held_;
  int rank_ = 0;
  std::size_t boxes_;
  Numbers lower_, all_;  ///< [boxes]: points that ranks below the border hold, and those of all
  double share_;
};

}  // namespace

std::vector<int> owners_that_hold(const Numbers& held, int ranks) {
  Borders borders(held, ranks);
  std::vector<int> owners(held.size() / static_cast<std::size_t>(ranks), ranks - 1);
  std::size_t begin = 0;
  for (int rank = 0; rank + 1 < ranks; ++rank) {
    const std::size_t end = std::max(begin, borders.next());
    std::fill(owners.begin() + static_cast<std::ptrdiff_t>(begin), owners.begin() + static_cast<std::ptrdiff_t>(end),
              rank);
    begin = end;
  }
  return owners;
}

}  // namespace farfield::distributed
