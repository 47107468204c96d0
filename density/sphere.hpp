// Longitude and latitude in degrees, and unit vectors.
#pragma once
#include <vector>

namespace farfield::density {

/// `degrees` holds longitude and latitude of each point, interleaved; gives x, y, z of each. Throws Error(input) for a
/// latitude beyond 90 degrees, or a number that is not finite; `whose` names the points in the sentence: "Point".
std::vector<double> unit_vectors(const std::vector<double>& degrees, const char* whose);

double radians(double degrees);
double degrees(double radians);

}  // namespace farfield::density
