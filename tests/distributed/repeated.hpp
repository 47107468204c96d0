// Clouds whose sums one plan repeats, since its first decision does not keep the tolerance.
#pragma once
#include <string>

#include "distributed/clouds.hpp"
#include "distributed/reports.hpp"
#include "support/ions.hpp"

namespace farfield::testing {

/// Of some clouds of ions the first whose sum one plan repeats with this method; empty if there is none. `evaluate`
/// sums a cloud, to which it may add targets, and returns the report.
template <class Evaluate>
Cloud ions_that_repeat(std::int64_t count, const std::string& method, const Evaluate& evaluate) {
  Stream random(fresh_seed());  // one seed of some hundred gave none in 40 trials
  for (int trial = 0; trial < 400; ++trial) {
    Cloud cloud = ions(random, count, 2 << trial % 6);
    const Report one = evaluate(cloud);
    if (was_repeated(one) && one.method == method) return cloud;
  }
  return {};
}

}  // namespace farfield::testing
