// What column_sums adds of charges, and of charges in a field for the virial.
#pragma once
#include "backends/untyped.hpp"
#include "backends/virial_sum.hpp"

namespace farfield::cuda {

/// Sum and sum of absolute values.
struct AddCharges {
  const double* charge;
  __device__ void operator()(std::int64_t i, double* sum) const { sum[0] += charge[i], sum[1] += fabs(charge[i]); }
};

/// Of each point q times the gradient.
struct AddPull {
  const double *charge, *gradient;
  __device__ void operator()(std::int64_t i, double* sum) const {
    for (int axis = 0; axis < 3; ++axis) sum[axis] += charge[i] * gradient[3 * i + axis];
  }
};

/// Of each point x F, x from the origin and F = -q times the gradient: xx yy zz xy xz yz.
struct AddVirial {
  AnyNumbers axis[3], charge, gradient;
  double origin[3];
  __device__ void operator()(std::int64_t i, double* sum) const {
    double x[3], force[3];
    for (int a = 0; a < 3; ++a) x[a] = axis[a][i] - origin[a], force[a] = -charge[i] * gradient[3 * i + a];
    add_virial(x, force, sum);
  }
};

}  // namespace farfield::cuda
