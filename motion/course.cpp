#include <cmath>
#include <string>

#include "motion/leapfrog.hpp"

namespace farfield::motion {
namespace {

void require_positive(double value, const char* what, const char* advice) {
  if (std::isfinite(value) && value > 0) return;
  std::string number = std::to_string(value);
  if (number.find('.') != number.npos) number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  throw Error(ErrorCode::usage, std::string(what) + " " + number + " is not a finite number above 0; " + advice + ".");
}

}  // namespace

void require_course(const Course& course) {
  require_positive(course.dt, "The time step", "to run backwards, reverse the velocities");
  require_positive(course.gravity, "The gravitational constant",
                   "it is 1 in N-body units, and 43007.1 for kpc/h, km/s and 1e10 solar masses/h");
}

Options with_gravity(Options options, double gravity) {
  options.scale = -gravity;
  options.gradient = true;
  return options;
}

}  // namespace farfield::motion
