// Options: what is asked for, and (expert part) how it is to be reached.
#pragma once
#include <farfield/kernels.h>

#include <cstdint>

namespace farfield {

#define FARFIELD_VALUE(name, NAME, Type, value, formula) name = value,
/// u(x) = sum_j q_j K(x, y_j) with K of kernels.h times Options::scale; pairs at distance zero contribute nothing (but
/// see `count` and Options::softening).
enum class Kernel : int { FARFIELD_KERNELS(FARFIELD_VALUE) };
#undef FARFIELD_VALUE
#define FARFIELD_ONE(name, NAME, Type, value, formula) +1
inline constexpr int kernel_count = 0 FARFIELD_KERNELS(FARFIELD_ONE);
#undef FARFIELD_ONE

enum class Method : int { automatic = 0, fmm = 1, direct = 2 };
enum class Precision : int { automatic = 0, single_ = 1, double_ = 2 };
enum class Backend : int { automatic = 0, cpu = 1, cuda = 2 };
/// How a multipole expansion becomes a local one: one matrix per offset, O(degree^4), or
/// rotate - shift along z - rotate back, O(degree^3) (Gumerov & Duraiswami 2008, section 2.2.2).
enum class M2l : int { automatic = 0, dense = 1, rotation = 2 };
/// 189 translations per box, or 119 with the 80 outer boxes sent to the parent (same paper, section 2.2.3).
enum class Stencil : int { automatic = 0, full = 1, reduced = 2 };
/// Instruction set of the CPU backend.
enum class Simd : int { automatic = 0, baseline = 1, avx2 = 2, avx512 = 3 };

struct Options {
  /// Relative L2 error allowed over all targets, for the potential and (if asked for) the gradient alike.
  double tolerance = 1e-6;
  /// Also compute the derivative of the potential with respect to the target's coordinates.
  bool gradient = false;
  Kernel kernel = Kernel::laplace3d;
  /// Constant in front of the kernel: 1 for 1/r, 0.0795774715 for 1/(4 pi r).
  double scale = 1.0;
  /// Plummer softening, a length in the caller's units: K = scale / sqrt(|x - y|^2 + softening^2), and the gradient is
  /// the derivative of exactly that. Where the targets are the sources (at_sources included) a particle contributes
  /// nothing to itself; other coincident ones contribute strength / softening to the potential and nothing to the
  /// gradient. Where targets are apart every source contributes. The direct sum alone offers it: method automatic then
  /// takes direct. Below 1e-37 of the points' extent strength / softening is infinite in precision single. 0: none.
  double softening = 0;
  Method method = Method::automatic;
  Precision precision = Precision::automatic;  ///< automatic takes single only where it can reach the tolerance
  Backend backend = Backend::automatic;
  /// 0: as many as OpenMP offers, at most four for each processor; else 1 to 4096, and Error(memory) where the system
  /// does not let so many be started. Results do not depend on it, bit for bit.
  int threads = 0;
  bool at_sources = false;  ///< with separate targets: results at the sources as well, in the same call
  std::int64_t check = 0;   ///< measure the error on this many random targets by direct summation; 0: do not
  std::uint64_t seed = 0;   ///< chooses the targets of `check`

  // Expert: leave these alone unless you redo a table of a paper.
  int degree = -1;             ///< highest degree kept in expansions; -1: from the tolerance
  std::int64_t leaf_size = 0;  ///< most sources or targets in a leaf; 0: from the cost model
  int depth = -1;              ///< uniform tree with leaves at this level in a cube of the data's extent (a larger one
                               ///< very far from zero, see Report::choices); -1: adaptive
  M2l m2l = M2l::automatic;
  Stencil stencil = Stencil::automatic;
  Simd simd = Simd::automatic;
};

}  // namespace farfield
