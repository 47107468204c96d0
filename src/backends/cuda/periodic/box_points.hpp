// BoxPoints in device memory.
#pragma once
#include <memory>

#include "backends/box_points.hpp"
#include "backends/other_points.hpp"

namespace farfield::cuda {

/// On the current device, for points, strengths and results in host or device memory. `others` outlives them.
std::unique_ptr<BoxPoints> make_box_points(const OtherPoints& others);

}  // namespace farfield::cuda
