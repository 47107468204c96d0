// Sums: evaluates over a share in one precision.
#pragma once
#include <memory>

#include "backends/density_arrays.hpp"
#include "backends/evaluator.hpp"
#include "core/stage_clock.hpp"
#include "distributed/stages.hpp"

namespace farfield::distributed {

/// Vectors of strengths [first, first + count) of a call, with the exponents of their scalings.
struct Slice {
  const Strengths& strengths;  ///< of the points that this rank was given
  std::int64_t first;
  std::vector<int> exponents;
  int count() const { return static_cast<int>(exponents.size()); }
};

class Sums {
 public:
  virtual ~Sums() = default;
  /// Sums a slice and writes its results to this rank's arrays.
  virtual void sum(const Slice& slice, const Outputs& outputs, double scale, StageClock& clock) = 0;
  /// Were all results of the last slice's vector finite, on all ranks?
  virtual bool finite(int vector) const = 0;
};

/// `share` must outlive the result. `exponent`: of the scaling of coordinates.
std::unique_ptr<Sums> make_sums(Ranks& ranks, const Share& share, const Decision& decision, int exponent, int threads);

}  // namespace farfield::distributed
