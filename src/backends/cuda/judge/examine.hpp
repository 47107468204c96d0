// Examine: the error of a sum on a sample of targets, by direct summation on the device. Only the sample's sums and the
// results cross to the host.
#pragma once
#include <farfield/report.hpp>

#include "backends/cuda/transfer/strengths.hpp"
#include "backends/cuda/work.hpp"
#include "backends/evaluator.hpp"
#include "judge/check.hpp"

namespace farfield::cuda {

/// One evaluated vector of `strengths`.
template <class Real>
struct Evaluated {
  const NearWork<Real>& work;
  std::int64_t sources, targets;
  Kernel kernel;
  const DeviceStrengths& strengths;
  std::int64_t vector;
  const std::uint32_t* order;  ///< of the sources
  int exponent;                ///< of the strengths' scaling
  int unit;                    ///< of the coordinates' scaling, which dipoles have, too
};

struct Sample {
  std::int64_t targets;
  std::uint64_t seed;
};

/// Waits for the stream.
template <class Real>
ErrorReport measured_error(const Evaluated<Real>& e, const Delivered& delivered, const Sample& sample,
                           DeviceMemory& memory);

}  // namespace farfield::cuda
