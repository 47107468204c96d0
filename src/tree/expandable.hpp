// Expandable: which boxes have expansions at all. Of a screened kernel those that are too wide in its length have none
// (expansions/bessel/radial.hpp). A treecode takes such a box for nothing where all of it is so far from the targets
// that it gives nothing, and divides it elsewhere.
#pragma once
#include <cmath>

namespace farfield {

/// Scaled lengths.
struct Expandable {
  double widest = HUGE_VAL;  ///< edge of a box with expansions
  double beyond = 0;         ///< distance of the sides of a wider box from which on it gives nothing
};

}  // namespace farfield
