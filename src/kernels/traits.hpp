// What layers that know no kernel's type ask of a kernel.
#pragma once
#include <farfield/options.hpp>

namespace farfield {

struct KernelTraits {
  const char* name;
  int homogeneity;  ///< K(s x, s y) = s^homogeneity K(x, y)
  bool singular;    ///< infinite at no distance: pairs there contribute nothing
  bool softens;     ///< Options::softening is offered
  bool truncates;   ///< its expansions are cut off: a tolerance chooses their degree and is then kept
};

/// Of a kernel of the registry.
const KernelTraits& traits(Kernel kernel);

/// Degree of a kernel's expansions where `degree` is that of the plan.
inline int expansion_degree(Kernel kernel, int degree) { return traits(kernel).truncates ? degree : 0; }

}  // namespace farfield
