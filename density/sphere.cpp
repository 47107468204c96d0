#include "density/sphere.hpp"

#include <cmath>
#include <farfield/error.hpp>
#include <numbers>
#include <sstream>

namespace farfield::density {

double radians(double degrees) { return degrees * (std::numbers::pi / 180); }
double degrees(double radians) { return radians * (180 / std::numbers::pi); }

std::vector<double> unit_vectors(const std::vector<double>& degrees, const char* whose) {
  std::vector<double> xyz;
  xyz.reserve(degrees.size() / 2 * 3);
  for (std::size_t i = 0; i < degrees.size(); i += 2) {
    const double longitude = degrees[i], latitude = degrees[i + 1];
    if (!std::isfinite(longitude) || !(latitude >= -90 && latitude <= 90)) {
      std::ostringstream sentence;
      sentence << whose << ' ' << i / 2 << ": longitude " << longitude << " and latitude " << latitude
               << " are no place on the sphere; latitudes go from -90 to 90 degrees, and x is the longitude.";
      throw Error(ErrorCode::input, sentence.str());
    }
    const double ring = std::cos(radians(latitude)), angle = radians(std::remainder(longitude, 360));
    xyz.insert(xyz.end(), {ring * std::cos(angle), ring * std::sin(angle), std::sin(radians(latitude))});
  }
  return xyz;
}

}  // namespace farfield::density
