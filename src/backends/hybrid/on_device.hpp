// The half that is a device.
#pragma once
#include "backends/hybrid/half.hpp"

namespace farfield::hybrid {

/// On the current device.
std::unique_ptr<Half> make_half_on_device();

}  // namespace farfield::hybrid
