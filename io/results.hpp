// What a run writes: the bodies it was about, and what was computed for them.
#pragma once
#include <string>
#include <vector>

#include "bodies.hpp"

namespace farfield::io {

/// Views of what to write; null or empty means absent. Lengths must agree: n, n and 3 n.
struct Results {
  const Bodies* bodies = nullptr;
  const std::vector<double>* potential = nullptr;  ///< n
  const std::vector<double>* gradient = nullptr;   ///< 3 n, interleaved
};

/// Writes .npz (arrays positions, strengths, potential, gradient and one per extra column; positions stay float32 where
/// they came so) or .csv (x,y,z,q,potential,gx,gy,gz and the extra columns, digits that read back to the same double).
/// The file appears whole or not at all. Throws Error(output), or Error(usage) for another extension.
void write(const std::string& path, const Results& results);

}  // namespace farfield::io
