// Rules that find a bandwidth in the points themselves. n is (sum w)^2 / sum w^2, d the dimension.
#pragma once
#include "density/bandwidth.hpp"
#include "density/cell.hpp"
#include "density/sample.hpp"

namespace farfield::density {

/// n^(-1/(d+4)) times the points' covariance (Scott 1992), as scipy's gaussian_kde has it: axes are coupled.
/// Throws Error(input) where the points lie in a point, on a line or in a plane.
Bandwidth scott(const Sample& sample, const Cell& cell = {});

/// (n (d+2)/4)^(-1/(d+4)) times the covariance; in one dimension 0.9 min(standard deviation, interquartile range
/// / 1.34) n^(-1/5), which several modes disturb less (Silverman 1986, eq. 3.31 and 4.14).
Bandwidth silverman(const Sample& sample, const Cell& cell = {});

/// Axis by axis the plug-in rule of Botev, Grotowski & Kroese 2010 (Ann. Stat. 38:2916), which assumes no shape: see
/// isj.hpp. Axes are not coupled.
Bandwidth improved_sheather_jones(const Sample& sample, const Cell& cell = {});

/// The rule of thumb for a von Mises-Fisher kernel on the sphere, in radians: the best bandwidth if the points were
/// drawn from a von Mises-Fisher distribution (Garcia-Portugues 2013, Electron. J. Stat. 7:1655, for q = 2). For narrow
/// distributions it is n^(-1/6) times the standard deviation, which both Scott and Silverman say in the plane.
/// `sample` holds unit vectors.
double sphere_rule(const Sample& sample);

/// The rule of Botev, Grotowski & Kroese on the sphere, in radians: derivatives of the density by its power spectrum,
/// no shape assumed. At most 2, for points all over the sphere; throws Error(input) below 0.35 degrees.
double sphere_isj(const Sample& sample);

}  // namespace farfield::density
