// CellSums: results of points in a cell as their two parts, near images' and far images'. They are added up wherever
// they are read: a pass that did nothing else would cost as much as writing them where the caller wants them.
#pragma once
#include <algorithm>
#include <farfield/views.hpp>

#include "backends/cuda/periodic/blocks/sums.hpp"
#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "backends/untyped.hpp"
#include "backends/virial_sum.hpp"

namespace farfield::cuda {

/// Number i of both parts together.
struct CellSum {
  AnyNumbers near, far;  ///< far.data null: none
  __device__ double operator[](std::int64_t i) const { return far.data ? near[i] + far[i] : near[i]; }
};

class CellSums {
 public:
  explicit CellSums(DeviceMemory& memory) { use_all(memory, near_, far_); }

  /// For so many targets, without far images so far. `scalar`: of both parts.
  void begin(std::int64_t targets, bool gradient, Scalar scalar) {
    const std::int64_t room = std::max<std::int64_t>(1, targets);  // without targets they are wanted, too
    room_ = room, gradient_ = gradient, scalar_ = scalar, has_far_ = false;
    near_.resize((gradient ? 4 : 1) * room * size_of(scalar));
    far_.resize((gradient ? 4 : 1) * room * size_of(scalar));
  }
  /// Where the near plan writes.
  Outputs near_to(cudaStream_t stream) {
    void* const near = near_.data();
    return {near, gradient_of(near), nullptr, nullptr, scalar_, MemorySpace::device, stream};
  }
  BlockResults far_to() {
    void* const far = far_.data();
    return {far, gradient_of(far), scalar_};
  }
  void add_far() { has_far_ = true; }

  bool has_gradient() const { return gradient_; }
  CellSum potential() const { return from(0); }
  CellSum gradient() const { return from(room_); }

 private:
  void* gradient_of(void* part) const { return gradient_ ? shifted(part, room_, scalar_) : nullptr; }
  CellSum from(std::int64_t first) const {
    const void *const near = near_.data(), *const far = has_far_ ? far_.data() : nullptr;
    const bool single = scalar_ == Scalar::float32;
    return {{shifted(near, first, scalar_), 1, single}, {shifted(far, first, scalar_), 1, single}};
  }

  DeviceArray<unsigned char> near_, far_;  ///< potential, gradient
  std::int64_t room_ = 0;
  Scalar scalar_ = Scalar::float64;
  bool gradient_ = false, has_far_ = false;
};

// What column_sums adds of charges, and of charges in a field.

/// Sum and sum of absolute values.
struct AddCharges {
  const double* charge;
  __device__ void operator()(std::int64_t i, double* sum) const { sum[0] += charge[i], sum[1] += fabs(charge[i]); }
};

/// Of each point q times the gradient.
struct AddPull {
  const double* charge;
  CellSum gradient;
  __device__ void operator()(std::int64_t i, double* sum) const {
    for (int axis = 0; axis < 3; ++axis) sum[axis] += charge[i] * gradient[3 * i + axis];
  }
};

/// Of each point x F, x from the origin and F = -q times the gradient: xx yy zz xy xz yz.
struct AddVirial {
  AnyNumbers axis[3], charge;
  CellSum gradient;
  double origin[3];
  __device__ void operator()(std::int64_t i, double* sum) const {
    double x[3], force[3];
    for (int a = 0; a < 3; ++a) x[a] = axis[a][i] - origin[a], force[a] = -charge[i] * gradient[3 * i + a];
    add_virial(x, force, sum);
  }
};

}  // namespace farfield::cuda
