// Survey: one look at the caller's points before anything is chosen or allocated.
#pragma once
#include "backends/cuda/runtime/array.hpp"
#include "tree/geometry.hpp"

namespace farfield::cuda {

/// Bounding box, power-of-two scale and how the points fill space, the same as cpu::survey finds. `targets` null: they
/// are the sources. Points in host memory are copied for the call; a caller who builds afterwards passes views of
/// DevicePoints instead. In the order of memory.stream, for which it waits once.
/// Throws Error(input) for negative counts, null pointers and for the first coordinate that is not Kept.
Geometry survey(const Points& sources, const Points* targets, DeviceMemory& memory);

}  // namespace farfield::cuda
