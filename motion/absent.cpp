// In place of motion/cuda in a build without CUDA.
#include "motion/mover.hpp"

namespace farfield::motion {

std::unique_ptr<Mover> make_device_mover(HostArrays&, const Options&, const Course&) {
  throw Error(ErrorCode::device, "this build of Farfield has no CUDA; use backend cpu");
}

}  // namespace farfield::motion
