// Tables: the translation tables of one degree and scheme in the precision of the coefficients. Made once, then shared
// by plans (table_cache.hpp).
#pragma once
#include <farfield/options.hpp>
#include <vector>

#include "backends/cpu/work.hpp"
#include "core/array.hpp"
#include "expansions/tables.hpp"

namespace farfield::cpu {

template <class Real>
class Tables {
 public:
  /// Generates all tables of one degree and scheme by the generators of the kernel's basis, on `threads` threads. To be
  /// called once per object. `translates`: with those of m2l.
  void build(Kernel kernel, int degree, bool rotation, bool reduced, int threads, bool translates = true);

  const TablesView<Real>& view() const { return view_; }
  std::int64_t held_bytes() const;

  /// Upper bound of held_bytes after `build`.
  static std::int64_t bytes(int degree, std::int64_t coefficients, bool rotation, bool reduced);

 private:
  struct Sparse {
    Array<std::int32_t> begin, column;
    Array<Real> value;
  };
  struct Rotation {
    Array<Real> cosine, sine, blocks, shift;
  };

  const Real* keep(Array<Real>& array, const std::vector<double>& values);
  SparseView<Real> keep(Sparse& sparse, const SparseMap& map);
  template <class Basis>
  void build_for(int degree, int threads);
  template <class Basis>
  void build_m2l(bool rotation, int operators, int threads);
  template <class Basis>
  void build_m2m(int threads);
  template <class Basis>
  void build_dense(int operators, int threads);
  template <class Basis>
  void build_rotations(int operators, int threads);
  template <class Basis>
  void build_factors(int operators);

  TablesView<Real> view_;
  Array<Real> recurrence_, recurrence_next_, m2m_, dense_[operator_count], shared_factor_, factors_[operator_count],
      sign_[symmetry_count];
  Array<std::int32_t> index_[symmetry_count];
  Rotation rotation_[operator_count];
  Sparse local_gradient_[3], multipole_gradient_[3];
};

}  // namespace farfield::cpu
