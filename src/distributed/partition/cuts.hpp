// Cuts: which rank owns which of the boxes at the top of the tree, in Morton order. The same on all ranks. A place is a
// number of boxes: those before a border between two ranks.
#pragma once
#include <cstddef>

#include "distributed/partition/pieces.hpp"

namespace farfield::distributed {

using Numbers = std::vector<std::int64_t>;
using PlacesOfBorders = std::vector<std::size_t>;  ///< [ranks - 1]

/// Nearest to where pieces should end. `points`: of each box.
PlacesOfBorders places_by_count(const Numbers& points, const Pieces& pieces);

/// Where points stay where they are held already, as far as no border lies further than a twentieth of a piece from
/// where it should. Nobody needs to know what others hold, but for sums over the ranks.
class Borders {
 public:
  /// `points`: of each box, held by all ranks.
  Borders(const Numbers& points, const Pieces& pieces);

  /// How many points of those that a rank holds in each box would be on the wrong side of each border, wherever this
  /// may lie.
  Numbers on_wrong_side(const Numbers& held, int rank) const;
  /// `wrong`: added up over ranks.
  PlacesOfBorders places(const Numbers& wrong) const;

 private:
  void find_places(double tolerance, double aim);
  std::size_t best_place(std::size_t border, const std::int64_t* wrong) const;

  /// Where a border may lie: [first, end).
  struct Candidates {
    std::size_t first, end;
    double aim;
  };
  std::vector<double> before_;  ///< [boxes + 1]: points
  std::vector<Candidates> borders_;
};

/// The owner of each box. A border moves where a rank would own more points than it takes. Throws Error(memory) where
/// boxes are too large for that.
std::vector<int> owners_of_boxes(const PlacesOfBorders& places, const Numbers& points, const Pieces& pieces);

}  // namespace farfield::distributed
