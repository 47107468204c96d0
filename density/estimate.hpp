// Kernel density estimates as Gauss sums of the library.
#pragma once
#include <farfield/plan.hpp>
#include <optional>
#include <vector>

#include "density/bandwidth.hpp"
#include "density/cell.hpp"
#include "density/sample.hpp"

namespace farfield::density {

struct Estimate {
  std::vector<double> density;  ///< at the targets, in their order
  std::int64_t sources = 0;     ///< points that were summed: those of the sample and their images
  Report report;
};

/// p(x) = sum_j w_j exp(-(x - y_j)^T H^-1 (x - y_j) / 2) / (sum_j w_j sqrt(det(2 pi H))), with all images of y_j along
/// periodic axes that the tolerance asks for. `targets` holds dimension * m coordinates; none: the points of the
/// sample. Of `options` kernel, bandwidth, scale and gradient are set here. The library's promise is about p.
Estimate estimate(const Sample& sample, const std::optional<std::vector<double>>& targets, const Bandwidth& bandwidth,
                  const Cell& cell, const Options& options);

/// The von Mises-Fisher density on the unit sphere, per steradian: p(x) = sum_j w_j c exp(kappa (x . y_j - 1)) / sum w
/// with kappa = 1/s^2, s in radians. Since |x - y|^2 = 2 - 2 x . y it is the Gauss sum of bandwidth s in space, without
/// seam or pole. `sample` and `targets` hold unit vectors.
Estimate estimate_on_sphere(const Sample& sample, const std::optional<std::vector<double>>& targets, double s,
                            const Options& options);

/// The density of a sample all at one place at that place: what the tolerance is a share of.
double peak(const Bandwidth& bandwidth);

/// kappa / (2 pi (1 - exp(-2 kappa))): one over the integral of exp(kappa (cos - 1)) over the sphere.
double sphere_norm(double kappa);

}  // namespace farfield::density
