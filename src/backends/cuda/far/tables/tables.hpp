// Tables: the translation tables of one plan in device memory, in the precision of its coefficients.
#pragma once
#include <farfield/options.hpp>
#include <vector>

#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/work.hpp"
#include "expansions/fitted/source_degrees.hpp"
#include "expansions/tables.hpp"

namespace farfield::cuda {

/// Matrices of the first canonical offsets (expansions/offsets.hpp), [operators][coefficients][coefficients], made on
/// `threads` threads of the host; 0: as many as OpenMP offers. Scale: as in GeneratesTables.
template <class M2l, class... Scale>
std::vector<double> canonical_matrices(int degree, int coefficients, int operators, int threads, Scale... scale);

/// Which tables of m2l there shall be. A treecode translates nothing. `fit`: dense ones by least squares, of a basis
/// that has them.
struct M2lScheme {
  bool rotation, reduced, translates = true;
  Fit fit = Fit::none;
  bool operator==(const M2lScheme&) const = default;
};

template <class Real>
class Tables {
 public:
  explicit Tables(DeviceMemory& memory);
  Tables() = default;  ///< in memory of its own, for plans that share it (table_cache.hpp)

  /// Generates everything for one degree and scheme by the double-precision generators of the kernel's basis on the
  /// host and uploads it. Does nothing where degree and scheme are unchanged. `threads` of the host; 0: as many as
  /// OpenMP offers.
  void build(Kernel kernel, int degree, const M2lScheme& m2l, cudaStream_t stream, int threads = 0);
  /// The same for one level of a family that is not ScaleInvariant, whose boxes have this edge in the kernel's length.
  /// Infinite: expansions are 0, and there are no translations.
  void build_level(Kernel kernel, int degree, const M2lScheme& m2l, double edge, cudaStream_t stream, int threads = 0);

  const TablesView<Real>& view() const { return view_; }

  std::int64_t held_bytes() const;
  /// Upper bound of the bytes after `build`.
  static std::int64_t bytes(int degree, std::int64_t coefficients, bool rotation, bool reduced);

 private:
  struct Sparse {
    DeviceArray<std::int32_t> begin, column;
    DeviceArray<Real> value;
  };
  struct Set {
    DeviceArray<Real> matrix;
    DeviceArray<Link> link;
  };

  const Real* keep(DeviceArray<Real>& array, const std::vector<double>& values);
  SparseView<Real> keep(Sparse& sparse, const SparseMap& map);
  template <class Basis, class... Scale>
  void build_for(int degree, const M2lScheme& m2l, cudaStream_t stream, int threads, Scale... scale);
  template <class Basis, class... Scale>
  void fill_points(Scale... scale);
  template <class Basis>
  void fill_second_derivatives();
  template <class Basis, class... Scale>
  void fill_shifts(Scale... scale);
  template <class Basis, class... Scale>
  void fill_far(const M2lScheme& m2l, int threads, Scale... scale);
  template <class Basis>
  void keep_symmetries();
  template <class Basis, class... Scale>
  void keep_rotations(int operators, int threads, Scale... scale);
  /// matrices[i] = scale * P K P^T: K = canonical[source], transposed if asked; P is the signed permutation of
  /// `symmetry`.
  struct Expansion {
    std::int32_t source, symmetry;
  };
  void expand(Set& set, const std::vector<double>& canonical, const std::vector<Expansion>& list, bool transposed,
              double scale);
  void link(Set& set, Operators<Real>& operators, const std::vector<std::vector<Link>>& classes);
  void link_far(const std::vector<double>& canonical, bool rotation, bool parents, bool reduced);

  DeviceMemory* memory_ = nullptr;
  cudaStream_t stream_ = nullptr;
  int degree_ = -1;
  M2lScheme scheme_{};
  double edge_ = 0;  ///< of build_level
  TablesView<Real> view_;
  DeviceArray<Real> recurrence_, recurrence_next_, recurrence_after_, cosine_, sine_, blocks_, shift_, sign_;
  DeviceArray<std::int32_t> index_;
  Set m2m_, l2l_, far_, parent_;
  Sparse local_gradient_[3], multipole_gradient_[3], gradient_of_gradient_[3];
};

}  // namespace farfield::cuda
