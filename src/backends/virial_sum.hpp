// VirialSum: positions in the memory of a backend, and the sum of x F of what acts there.
#pragma once
#include <array>
#include <farfield/views.hpp>
#include <vector>

#include "core/hd.hpp"

namespace farfield {

/// Adds half of x f and its transpose: xx yy zz xy xz yz.
FARFIELD_HD void add_virial(const double* x, const double* f, double* sum) {
  sum[0] += x[0] * f[0], sum[1] += x[1] * f[1], sum[2] += x[2] * f[2];
  sum[3] += 0.5 * (x[0] * f[1] + x[1] * f[0]);
  sum[4] += 0.5 * (x[0] * f[2] + x[2] * f[0]);
  sum[5] += 0.5 * (x[1] * f[2] + x[2] * f[1]);
}

class VirialSum {
 public:
  virtual ~VirialSum() = default;

  /// Room for so many doubles until the next call; in device memory for those that are there alone.
  virtual double* room(std::int64_t numbers, MemorySpace /*space*/) {
    room_.resize(static_cast<std::size_t>(numbers));
    return room_.data();
  }
  /// Of one vector the sum of x F, F = -q grad u, x from amid the points, where the least digits are lost: xx yy zz xy
  /// xz yz. `gradient`: x y z of each point, its count three times that of the charges. Either may be in device memory
  /// where this is there.
  virtual std::array<double, 6> of(const Strengths& charges, const Strengths& gradient, std::int64_t vector) = 0;

 private:
  std::vector<double> room_;
};

}  // namespace farfield
