// Tables: the translation tables of one degree and scheme in the precision of the coefficients. Made once, then shared
// by plans (table_cache.hpp). A kernel with a length has a set for each level.
#pragma once
#include <farfield/options.hpp>
#include <memory>
#include <vector>

#include "backends/cpu/work.hpp"
#include "core/array.hpp"
#include "expansions/tables.hpp"

namespace farfield::cpu {

/// Which tables of m2l there shall be. A treecode translates nothing.
struct M2lScheme {
  bool rotation, reduced, translates;
};

/// Tables of one level, or of all levels of a scale-invariant basis.
template <class Real>
class LevelTables {
 public:
  /// Scale: as in GeneratesTables. `alike`: of another level, whose turns are used; must outlive this one. Null: none.
  template <class Basis, class... Scale>
  void build(int degree, const M2lScheme& m2l, int threads, const LevelTables* alike, Scale... scale);

  const TablesView<Real>& view() const { return view_; }
  std::int64_t held_bytes() const;

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
  void build_symmetries();
  template <class Basis, class... Scale>
  void build_points(Scale... scale);
  template <class Basis, class... Scale>
  void build_m2m(int threads, Scale... scale);
  template <class Basis, class... Scale>
  void build_dense(int operators, int threads, Scale... scale);
  template <class Basis, class... Scale>
  void build_rotations(int operators, int threads, const LevelTables* alike, Scale... scale);
  template <class Basis>
  void build_factors(int operators);

  TablesView<Real> view_;
  Array<Real> recurrence_, recurrence_next_, recurrence_after_, m2m_, dense_[operator_count], shared_factor_,
      factors_[operator_count], sign_[symmetry_count];
  Array<std::int32_t> index_[symmetry_count];
  Rotation rotation_[operator_count];
  Sparse local_gradient_[3], multipole_gradient_[3], gradient_of_gradient_[3];
};

/// The levels of a tree whose tables depend on the level: the edge of its root in the kernel's length. Zeros where one
/// set serves all.
struct TableScale {
  double root = 0;
  int levels = 0;
  bool operator==(const TableScale&) const = default;
};

template <class Real>
class Tables {
 public:
  /// Generates all tables of one degree and scheme by the generators of the kernel's basis, on `threads` threads. To be
  /// called once per object. `translates`: with those of m2l.
  void build(Kernel kernel, int degree, bool rotation, bool reduced, int threads, bool translates = true,
             const TableScale& scale = {});

  /// The tables of all levels, or of one of those that have none of their own.
  const TablesView<Real>& view() const { return levels_.front()->view(); }
  /// By level; null where one set serves all.
  const TablesView<Real>* by_level() const { return views_.empty() ? nullptr : views_.data(); }
  std::int64_t held_bytes() const;

  /// Upper bound of held_bytes after `build` for so many levels.
  static std::int64_t bytes(int degree, std::int64_t coefficients, bool rotation, bool reduced, int levels = 1);

 private:
  template <class Basis>
  void build_levels(int degree, const M2lScheme& m2l, int threads, const TableScale& scale);
  std::vector<std::unique_ptr<LevelTables<Real>>> levels_;
  std::vector<TablesView<Real>> views_;
};

}  // namespace farfield::cpu
