// The power spectrum of points on the sphere.
#pragma once
#include <vector>

namespace farfield::density {

/// sum over m of |a_lm|^2 for l = 0 .. degree (at most 1024), a_lm = sum_j share_j Y_lm(x_j), Y_lm orthonormal. `xyz`:
/// unit vectors, interleaved. Points are first divided among the nearest of 4 degree^2 bins or more, which takes a
/// relative (l / degree)^2 / 10 or less away.
std::vector<double> power_spectrum(const std::vector<double>& xyz, const std::vector<double>& share, int degree);

}  // namespace farfield::density
