#include "motion/mover.hpp"

#include <farfield/device.hpp>

namespace farfield::motion {
namespace {

class HostMover final : public Mover {
 public:
  HostMover(HostArrays& bodies, const Options& options, const Course& course)
      : bodies_(bodies), leapfrog_(bodies, options, course) {}
  void step() override { leapfrog_.step(); }
  Sums sums() const override { return bodies_.sums(); }
  void fetch() override {}
  const Report& report() const override { return leapfrog_.report(); }

 private:
  HostArrays& bodies_;
  Leapfrog<HostArrays> leapfrog_;
};

}  // namespace

std::unique_ptr<Mover> make_mover(HostArrays& bodies, Options& options, const Course& course) {
  const bool open = options.backend == Backend::automatic || options.backend == Backend::cuda;
  const bool device = open && !devices().empty();
  if (device && options.backend == Backend::cuda) return make_device_mover(bodies, options, course);
  auto mover = std::make_unique<HostMover>(bodies, options, course);  // says so where a device was asked for
  if (!device) return mover;
  options.backend = mover->report().backend == "cuda" ? Backend::cuda : Backend::cpu;
  if (options.backend == Backend::cpu) return mover;
  mover.reset();  // frees the device's memory
  return make_device_mover(bodies, options, course);
}

}  // namespace farfield::motion
