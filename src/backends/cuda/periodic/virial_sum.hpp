// VirialSum in device memory.
#pragma once
#include <memory>

#include "backends/virial_sum.hpp"

namespace farfield::cuda {

/// On the current device, of points, charges and gradients in host or device memory.
std::unique_ptr<VirialSum> make_virial_sum(const Points& points);

}  // namespace farfield::cuda
