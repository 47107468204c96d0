// LevelTables: the translation tables of a family that is not ScaleInvariant, a set for each level of a tree.
#pragma once
#include <farfield/options.hpp>
#include <vector>

#include "backends/cuda/levels/view.hpp"
#include "backends/cuda/runtime/array.hpp"

namespace farfield::cuda {

template <class Real>
class LevelTables {
 public:
  explicit LevelTables(DeviceMemory& memory);

  /// Generates all sets and uploads them; `shared`: what does not depend on the level. `root`: the edge of the tree's
  /// root in the kernel's length. Does nothing where all of these are unchanged.
  void build(Kernel kernel, const TablesView<Real>& shared, bool reduced, double root, int levels, int threads,
             cudaStream_t stream);
  void release();
  LevelsView<Real> view() const { return {host_.data(), on_device_.data()}; }

  /// Upper bound of the bytes after `build`.
  static std::int64_t bytes(int degree, std::int64_t coefficients, bool reduced);

 private:
  struct Built {
    Kernel kernel;
    int degree, levels;
    bool reduced;
    double root;
    bool operator==(const Built&) const = default;
  };

  template <class Basis>
  void fill(const TablesView<Real>& shared, const Built& wanted, int threads, cudaStream_t stream);

  std::vector<Built> built_;  ///< empty: nothing
  std::vector<TablesView<Real>> host_;
  DeviceArray<TablesView<Real>> on_device_;
  DeviceArray<Real> numbers_;
  DeviceArray<std::int32_t> places_;
};

}  // namespace farfield::cuda
