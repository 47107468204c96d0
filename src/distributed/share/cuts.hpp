// Cuts: which rank owns which of the boxes at the top of the tree, in Morton order. The same on all ranks.
#pragma once
#include <cstdint>
#include <vector>

namespace farfield::distributed {

using Numbers = std::vector<std::int64_t>;

/// How many points lie before each rank's piece if all pieces are equal; [ranks + 1].
std::vector<double> equal_pieces(std::int64_t points, int ranks);

/// `points`: of each box. The piece of a rank ends nearest to where it should (`aims`).
std::vector<int> owners_by_count(const Numbers& points, const std::vector<double>& aims);

/// Borders between ranks: pieces whose points are where they are held already, as far as no border lies further than a
/// twentieth of a share from where it should. Nobody needs to know what others hold, but for sums over the ranks.
class Borders {
 public:
  /// `points`: of each box, held by all ranks.
  Borders(const Numbers& points, const std::vector<double>& aims);

  /// How many points of those that a rank holds in each box would be on the wrong side of each border, wherever this
  /// may lie.
  Numbers on_wrong_side(const Numbers& held, int rank) const;
  /// Of all boxes; `wrong`: added up over ranks.
  std::vector<int> owners(const Numbers& wrong) const;

 private:
  void find_places(double tolerance, double aim);
  std::size_t best_place(std::size_t border, const std::int64_t* wrong) const;

  /// Ends of boxes [first, end) where a border may lie; place b: b boxes are before it.
  struct Places {
    std::size_t first, end;
    double aim;
  };
  std::vector<double> before_;  ///< [boxes + 1]: points
  std::vector<Places> borders_;
};

}  // namespace farfield::distributed
