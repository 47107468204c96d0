// VirialSum in device memory.
#pragma once
#include <memory>

#include "backends/other_points.hpp"
#include "backends/virial_sum.hpp"

namespace farfield::cuda {

/// On the current device, of points, charges and gradients in host or device memory, and of all that `others` hold, who
/// outlive it: theirs are added up in their order.
std::unique_ptr<VirialSum> make_virial_sum(const Points& points, const OtherPoints& others);

}  // namespace farfield::cuda
