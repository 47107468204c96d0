// choose: decides from the options and the geometry of the points how a sum is evaluated. A pure function: it reads
// no clock and no thread count, so the same input gives the same plan and the same bits on machines of one class.
#pragma once
#include <farfield/options.hpp>

#include "model/decision.hpp"
#include "tree/geometry.hpp"

namespace farfield {

/// Properties of the machine, which the backend determines before `choose` runs.
struct Machine {
  Backend backend = Backend::cpu;
  Simd simd = Simd::baseline;
  std::int64_t memory = 0;  ///< all bytes of a device, not those free at the time; 0: no limit
  bool shared = false;      ///< by the ranks of a distributed plan, which hold more of a box
};

/// What of a decision follows from options and machine alone. Throws as `choose`.
Decision begin_choice(const Options& options, const Geometry& geometry, const Machine& machine);

/// Throws Error(usage) for options that are wrong (model/options/validate.hpp) and for a tolerance that the precision
/// cannot reach, naming the reachable one.
Decision choose(const Options& options, const Geometry& geometry, const Machine& machine);

/// Takes double where that costs no more than single, in nanoseconds of a direct sum, or too little to notice beside
/// what any call costs.
bool take_double_if_free(Decision& decision, double in_single, double in_double);

/// Terms of the CPU's pair arithmetic that reach all bits of the decision's precision.
int full_pair_terms(const Decision& decision);

}  // namespace farfield
