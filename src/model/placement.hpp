// Placement: how the points of a tree lie in its boxes, as far as the truncation error depends on it.
//
// Expected error for random strengths of mixed sign, from the pairs that m2l carries at degree d. Two kinds of pairs
// count:
// - typical ones: e_t(d), the root mean square over random places in two boxes with one box between them; over all
//   far pairs of boxes this is sum n_source n_target e_t^2 / a^2.
// - facing ones: two charges in facing corners of such boxes err most, by e_c(d) = 0.21 (3/4)^d / d over the edge a,
//   and hardly less in some other corners (faced_by, placement_terms.hpp). The error decays as exp(-0.75 d delta) with
//   the distance delta (sum over axes, in edges) of either charge from its corner. The sum over facing pairs is
//   e_c^2 sum of B_source B_target / a^2 with the occupation B of a corner, the sum over the box's points of
//   exp(-1.5 d delta). Random points hardly reach corners, points on a plane never, crystals do.
// Divided by the mean over targets of sum 1/r^2 these sums are the squared relative error of the potential; with one
// power more of 1/a^2, the factor d^2 and the mean of sum 1/r^4 they are that of the gradient; and so on: with k
// derivatives, those of the result and one of a dipole, 1/a^(2+2k), d^(2k) and 1/r^(2+2k).
#pragma once
#include "tree/edge_powers.hpp"
#include "tree/tree.hpp"

namespace farfield {

/// Square roots of the ratios above for one kind of pairs, by the number of derivatives, without the factors e_t or
/// e_c, and d.
struct Placement {
  double order[edge_powers] = {};
};

struct PlacedPoints {
  const double* axis[3];
  const std::int64_t *begin, *end;  ///< [boxes]
};

/// Norms of the result for random strengths of unit variance: means over targets of sum 1/r^2, sum 1/r^4 and, where
/// asked for, sum 1/r^6 and sum 1/r^8.
struct ResultNorms {
  double order[edge_powers] = {};
  double near_share = 1;  ///< share of sum 1/r^4 that comes from leaves within two edges
};
/// Do the points stand in planes along all three axes, as in a crystal? Their facing corners then line up, and errors
/// that cancel among random points do not.
bool stand_in_planes(const TreeView& tree, const PlacedPoints& points);

struct NormsOf {
  double softening = 0;  ///< sums are of powers of 1/(r^2 + softening^2)
  int derivatives = 1;   ///< above 1: of all four powers
};
ResultNorms result_norms(const TreeView& tree, const PlacedPoints& sources, const PlacedPoints& targets, int threads,
                         const NormsOf& of = {});

/// From sums over all far pairs to the ratios of a Placement; `targets`: how many targets the tree has.
Placement relative(const Placement& sums, std::int64_t targets, const ResultNorms& norms);
/// Sums of typical pairs at a degree: boxes with two between them (`beyond`) err (2/3)^d as much.
Placement typical_sums(const Placement& beside, const Placement& beyond, int degree);

/// Sums over the far pairs of one tree in host memory, which must outlive this object.
class FarPairs {
 public:
  struct Looks {
    std::int64_t boxes = 0;   ///< drawn, for typical pairs; 0: up to 128, by the number of targets
    std::int64_t points = 0;  ///< looked at in one box, for facing pairs; 0: as many as the degree needs
    int derivatives = 1;      ///< up to which sums are estimated well
  };
  FarPairs(const TreeView& tree, const PlacedPoints& sources, const PlacedPoints& targets, int threads)
      : FarPairs(tree, sources, targets, threads, Looks()) {}
  FarPairs(const TreeView& tree, const PlacedPoints& sources, const PlacedPoints& targets, int threads,
           const Looks& looks);
  Placement typical(const ResultNorms& norms, int degree) const;
  Placement facing(const ResultNorms& norms, int degree) const;

 private:
  const TreeView& tree_;
  const PlacedPoints &sources_, &targets_;
  int threads_;
  Looks looks_;
  Placement beside_, beyond_;  ///< sums, the same at all degrees
};

}  // namespace farfield
