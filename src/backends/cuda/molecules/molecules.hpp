// MoleculeSums in device memory.
#pragma once
#include <memory>

#include "backends/molecule_sums.hpp"

namespace farfield::cuda {

/// On the current device, of arrays in host or device memory.
std::unique_ptr<MoleculeSums> make_molecules();

}  // namespace farfield::cuda
