// The bandwidth rule of Botev, Grotowski & Kroese 2010 (Ann. Stat. 38:2916), section 5: "improved Sheather-Jones".
#pragma once
#include <optional>
#include <vector>

namespace farfield::density {

/// The standard deviation of the Gaussian that is best for points on a line; equal points count as one of their summed
/// weight. `period` above 0: all points lie within one period. None where the equation of the rule has no solution.
std::optional<double> isj_bandwidth(const std::vector<double>& x, const std::vector<double>& weights,
                                    double period = 0);

/// c_k = sum_j x_j cos(pi k (j + 1/2) / n) for k = 0 .. n - 1; n a power of two.
std::vector<double> cosine_transform(const std::vector<double>& x);

}  // namespace farfield::density
