// Distances of near pairs of points on the sphere, as a histogram: what the power spectrum does not resolve.
#pragma once
#include <vector>

namespace farfield::density {

/// The integral of f (-Delta)^s f of the density that heat has smoothed by variance t, as power_spectrum's sums, for
/// small t: there the sphere is a plane, and with rho = r^2 / (4 t) a pair brings e^-rho L_s(rho) s! / (4 pi t^(s+1)),
/// L_s being Laguerre's polynomial.
class NearPairs {
 public:
  /// `longest`: the largest t that will be asked for. Time grows with the number of pairs at similar heights z.
  NearPairs(const std::vector<double>& xyz, const std::vector<double>& share, double longest);
  double of_order(int s, double t) const;

 private:
  std::vector<double> weight_;  ///< of bins of r^2, 64 to an octave
  double own_ = 0;              ///< of points with themselves
  double largest_;              ///< r^2
};

}  // namespace farfield::density
