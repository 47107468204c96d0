// Transfer: strengths and dipoles into tree order, points into doubles; in either memory. Results go by Scatter.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "backends/cuda/runtime/array.hpp"
#include "backends/evaluator.hpp"
#include "core/results.hpp"
#include "judge/quality.hpp"

namespace farfield::cuda {

/// One number of each source times 2^-exponent: its charge, or with components 1 to 3 one of its dipole.
inline constexpr int charge = 0;
struct Carried {
  std::int64_t vector;
  int component, exponent;
};

/// Strengths in device memory: a view of the caller's, or a copy.
class DeviceStrengths {
 public:
  explicit DeviceStrengths(DeviceMemory& memory) : copy_(memory), dipole_copy_(memory), found_(memory) {}

  /// Copies host memory, all vectors at once; returns the range of every vector, of dipoles times 2^unit. Waits for the
  /// stream. Throws Error(input) naming the first strength or dipole that is not finite.
  std::vector<StrengthRange> read(const Strengths& strengths, int unit, cudaStream_t stream);

  /// In a graph: other strengths of as many sources and vectors as those read last, whose ranges they keep. *other,
  /// which the device can write, becomes 1 where their largest is more than twice or less than a sixteenth of those',
  /// or one is no finite number.
  std::vector<StrengthRange> watch(const Strengths& strengths, int unit, int* other, cudaStream_t stream);

  /// What a source carries (core/results.hpp).
  int moments() const { return view_.dipoles ? with_dipole : 1; }

  /// sorted[i] = that number of source order[i], of source i where `order` is null; 0 where there are no charges.
  template <class Real>
  void gather(const Carried& carried, const std::uint32_t* order, Real* sorted, cudaStream_t stream) const {
    gather(carried, order, view_.count, sorted, stream);
  }
  /// Of so many sources.
  template <class Real>
  void gather(const Carried& carried, const std::uint32_t* order, std::int64_t count, Real* sorted,
              cudaStream_t stream) const;

  /// All components of the dipoles, of which there are some.
  template <class Real>
  void gather_dipoles(std::int64_t vector, int exponent, const std::uint32_t* order, const std::array<Real*, 3>& sorted,
                      cudaStream_t stream) const;

 private:
  /// The numbers of one component, as the caller lays them out.
  struct Numbers {
    const void* data;
    std::int64_t stride, pitch;
    std::int64_t span(const Strengths& s, int of_a_source) const;
  };
  static Numbers numbers(const Strengths& strengths, int component);
  void keep(const Strengths& strengths, cudaStream_t stream);
  void examine(cudaStream_t stream);

  Strengths view_;
  std::vector<StrengthRange> ranges_;  ///< as last read
  DeviceArray<unsigned char> copy_, dipole_copy_;
  DeviceArray<unsigned long long> found_;
};

/// xyz[3 i + axis] = coordinate of point i in double; points in either memory. Waits for the stream where they are in
/// host memory.
void interleave(const Points& points, double* xyz, cudaStream_t stream);

}  // namespace farfield::cuda
