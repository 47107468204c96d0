#include "tree/geometry.hpp"

#include <cmath>
#include <cstdio>
#include <farfield/error.hpp>
#include <string>

namespace farfield {

void require_count(std::int64_t count, const char* what) {
  constexpr std::int64_t most = std::int64_t(1) << 40;  // a few hundred times what the indices of a plan reach
  if (count < 0)
    throw Error(ErrorCode::input, std::string("the number of ") + what + "s is negative: " + std::to_string(count) +
                                      "; pass how many there are");
  if (count > most)
    throw Error(ErrorCode::input, std::string("the number of ") + what + "s, " + std::to_string(count) +
                                      ", is more than any plan can hold; pass how many there are");
}

void check_view(const Points& points, const char* what) {
  require_count(points.count, what);
  if (points.count > 1 && (points.stride < 1 || points.count - 1 > most_elements / points.stride))
    throw Error(ErrorCode::input, std::string("the stride of the ") + what + "s is " + std::to_string(points.stride) +
                                      "; pass the distance between two of them in scalars: 3 for x y z of each after "
                                      "the other, 1 for three arrays");
  for (int d = 0; d < 3; ++d)
    if (points.count > 0 && !points.axis[static_cast<std::size_t>(d)])
      throw Error(ErrorCode::input, std::string("coordinate ") + "xyz"[d] + " of the " + what + "s is a null pointer");
}

void refuse_coordinate(const char* what, std::int64_t index, int axis, double x) {
  const std::string where = std::string(what) + " " + std::to_string(index) + ": coordinate " + "xyz"[axis] + " is ";
  if (!std::isfinite(x))
    throw Error(ErrorCode::input, where +
                                      (std::isnan(x) ? "nan"
                                       : x > 0       ? "inf"
                                                     : "-inf") +
                                      "; every coordinate must be a finite number");
  char number[40];
  std::snprintf(number, sizeof number, "%.4g", x);
  throw Error(ErrorCode::input, where + number +
                                    ", whose digits are lost beside the extent of the points; remove the points that "
                                    "lie far out, or set what is meant to be 0 to 0");
}

}  // namespace farfield
