// Where the report has the errors of an order of derivative. Not for CUDA sources: what nvcc makes of these pointers
// fails as a warning.
#pragma once
#include <farfield/report.hpp>

#include "core/results.hpp"

namespace farfield {

struct ErrorFields {
  double ErrorReport::*whole;
  double ErrorReport::*median;
  double ErrorReport::*p95;
  double ErrorReport::*max;
};
inline constexpr ErrorFields error_fields[orders] = {
    {&ErrorReport::potential, &ErrorReport::potential_median, &ErrorReport::potential_p95, &ErrorReport::potential_max},
    {&ErrorReport::gradient, &ErrorReport::gradient_median, &ErrorReport::gradient_p95, &ErrorReport::gradient_max},
    {&ErrorReport::hessian, &ErrorReport::hessian_median, &ErrorReport::hessian_p95, &ErrorReport::hessian_max}};

}  // namespace farfield
