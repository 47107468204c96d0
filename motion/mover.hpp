// A motion wherever its arrays lie: in the memory of the host, or of the device on which the forces are summed.
#pragma once
#include <memory>

#include "motion/host_arrays.hpp"
#include "motion/leapfrog.hpp"

namespace farfield::motion {

class Mover {
 public:
  virtual ~Mover() = default;
  virtual void step() = 0;
  virtual Sums sums() const = 0;
  /// Brings the bodies that the mover was made with to where they are now; until then they stay where they were.
  virtual void fetch() = 0;
  virtual const Report& report() const = 0;  ///< of the last evaluation
};

/// Moves `bodies`, which stay the caller's and must outlive the mover. Where `options` leave the backend open and there
/// is a device, that of the first evaluation is entered in them: a run that goes on from later positions must not
/// choose another.
std::unique_ptr<Mover> make_mover(HostArrays& bodies, Options& options, const Course& course);

/// On the current device (motion/cuda).
std::unique_ptr<Mover> make_device_mover(HostArrays& bodies, const Options& options, const Course& course);

}  // namespace farfield::motion
