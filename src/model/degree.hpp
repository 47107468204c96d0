// degree: corrects the degree once the tree is known, by how the points lie in their boxes (placement.hpp).
#pragma once
#include <farfield/report.hpp>

#include "model/decision.hpp"
#include "model/placement.hpp"

namespace farfield {

/// The sums that the expected error of one tree is made of; a backend forms them where its arrays are.
class PlacementSums {
 public:
  virtual ~PlacementSums() = default;
  virtual int levels() const = 0;
  virtual double targets() const = 0;
  /// See stand_in_planes (placement.hpp).
  virtual bool in_planes() = 0;
  virtual double finest_edge() const = 0;  ///< of the tree's boxes, scaled
  /// Does a leaf hold more than `most` sources or targets? Then many points coincide.
  virtual bool heaped(std::int64_t most) = 0;
  virtual ResultNorms norms() = 0;
  virtual Placement typical(const ResultNorms& norms, int degree) = 0;
  virtual Placement facing(const ResultNorms& norms, int degree) = 0;  ///< costs most
};

struct Settled {
  int degree;
  bool in_planes;  ///< see placement.hpp
};

/// Smallest degree whose expected error, in potential, gradient and Hessian alike, stays within the tolerance for
/// strengths of mixed sign, from 4 (or from one below the decision's degree, and from its least degree) to
/// highest_degree. Updates the report.
Settled settle_degree(const Decision& decision, PlacementSums& sums, Report& report);

/// For arrays in host memory. `softening`: scaled like the points.
Settled settle_degree(const Decision& decision, const TreeView& tree, const PlacedPoints& sources,
                      const PlacedPoints& targets, double softening, int threads, Report& report);

}  // namespace farfield
