// Lines to draw on a map: coasts and borders.
#pragma once
#include <array>
#include <string>
#include <vector>

namespace farfield::io {

using Outline = std::vector<std::array<double, 2>>;  ///< longitude and latitude, or x and y, of its corners

/// The lines of a TopoJSON or GeoJSON file, also within gzip. Of a TopoJSON file that has an object of the name land,
/// coastline or coastlines those of that object, else all. Points alone are passed over. Throws Error(input).
std::vector<Outline> read_outlines(const std::string& path);

}  // namespace farfield::io
