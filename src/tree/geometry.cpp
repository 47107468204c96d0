#include "tree/geometry.hpp"

#include <cmath>
#include <farfield/error.hpp>
#include <string>

namespace farfield {

void check_view(const Points& points, const char* what) {
  if (points.count < 0)
    throw Error(ErrorCode::input,
                std::string("the number of ") + what + "s is negative: " + std::to_string(points.count));
  for (int d = 0; d < 3; ++d)
    if (points.count > 0 && !points.axis[static_cast<std::size_t>(d)])
      throw Error(ErrorCode::input, std::string("coordinate ") + "xyz"[d] + " of the " + what + "s is a null pointer");
}

void refuse_coordinate(const char* what, std::int64_t index, int axis, double x) {
  throw Error(ErrorCode::input, std::string(what) + " " + std::to_string(index) + ": coordinate " + "xyz"[axis] +
                                    " is " +
                                    (std::isnan(x) ? "nan"
                                     : x > 0       ? "inf"
                                                   : "-inf") +
                                    "; every coordinate must be a finite number");
}

}  // namespace farfield
