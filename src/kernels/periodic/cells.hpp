// Kernels of which periodic cells of any shape are offered: those of the expansions in expansions/periodic.
#pragma once
#include <farfield/options.hpp>

namespace farfield {

inline bool offers_cells(Kernel kernel) { return kernel == Kernel::laplace3d; }

}  // namespace farfield
