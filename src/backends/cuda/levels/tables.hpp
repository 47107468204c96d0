// LevelTables: the translation tables of a family that is not ScaleInvariant, a set for each level of a tree.
#pragma once
#include <farfield/options.hpp>
#include <memory>
#include <vector>

#include "backends/cuda/far/tables/tables.hpp"
#include "backends/cuda/levels/view.hpp"

namespace farfield::cuda {

/// What the sets are made for. `root`: the edge of the tree's root in the kernel's length.
struct LevelScheme {
  Kernel kernel;
  int degree;
  M2lScheme m2l;
  double root;
  int levels;
};

/// Boxes of 2^-30 of the extent hold points that all but coincide.
inline constexpr int most_level_sets = 32;

template <class Real>
class LevelTables {
 public:
  explicit LevelTables(DeviceMemory& memory) : memory_(memory), on_device_(memory) {}

  /// Keeps the sets that are as before.
  void build(const LevelScheme& scheme, cudaStream_t stream, int threads);
  void release();
  LevelsView<Real> view() const { return {views_.data(), on_device_.data()}; }

  /// Upper bound of the bytes after `build`.
  static std::int64_t bytes(int degree, std::int64_t coefficients, bool rotation, bool reduced) {
    return most_level_sets * Tables<Real>::bytes(degree, coefficients, rotation, reduced);
  }

 private:
  DeviceMemory& memory_;
  std::vector<std::unique_ptr<Tables<Real>>> sets_;
  std::vector<TablesView<Real>> views_;
  DeviceArray<TablesView<Real>> on_device_;
};

}  // namespace farfield::cuda
