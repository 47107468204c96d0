// Mean, covariance and quantiles of weighted points.
#pragma once
#include <array>

#include "density/sample.hpp"

namespace farfield::density {

/// sum w (x - m)(x - m)^T / (sum w (1 - 1/n)) with n = (sum w)^2 / sum w^2: for equal weights the usual 1/(n - 1).
/// Element (i, j) at 3 i + j; 0 where there is one point.
std::array<double, 9> covariance_of(const Sample& sample);

/// Of points of one dimension, linear between them; for equal weights that of R and numpy (type 7 of Hyndman & Fan
/// 1996).
double quantile(const Sample& sample, double share);

/// The kappa of the von Mises-Fisher distribution on the sphere whose mean has this length: coth kappa - 1/kappa =
/// length.
double concentration(double length);

}  // namespace farfield::density
