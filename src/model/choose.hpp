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
};

/// Throws Error(usage) for a tolerance that is not in (0, 1), that the precision cannot reach (naming the reachable
/// one) and for expert options out of range.
Decision choose(const Options& options, const Geometry& geometry, const Machine& machine);

/// Does the backend offer the method asked for?
bool offers_method(Backend backend, const Options& options);

/// Does the backend offer the softening and method asked for?
bool offers_softening(Backend backend, const Options& options);

/// Terms of the CPU's pair arithmetic that reach all bits of the decision's precision.
int full_pair_terms(const Decision& decision);

}  // namespace farfield
