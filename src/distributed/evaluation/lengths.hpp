// Lengths: the softening lengths that points bring along, on the ranks that own or hold them.
#pragma once
#include "distributed/share/share.hpp"
#include "tree/geometry.hpp"

namespace farfield::distributed {

/// Does some rank pass lengths with a set?
struct LengthsGiven {
  bool sources = false, targets = false;
};
/// The range of the lengths of all ranks' points; those of a set without lengths on any rank, and of points of a rank
/// that has none while others have, are `otherwise`.
LengthRange lengths_of_all(Ranks& ranks, const Points& sources, const Points* targets, double otherwise,
                           LengthsGiven given);

struct Lengths {
  std::vector<double> own_sources, own_targets;  ///< of the own points, in the caller's units; the same where alike
  Array<double> sources, targets;                ///< of the essential tree, scaled: Work::source_length, target_length
  const double* target_lengths(bool alike) const { return (alike ? sources : targets).data(); }
};

/// Of points that all have them. `factor`: as in cpu::gather_lengths.
Lengths gather_lengths(Ranks& ranks, const Share& share, const Given& given, double factor, int exponent);

}  // namespace farfield::distributed
