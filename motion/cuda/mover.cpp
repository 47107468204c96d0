#include "motion/mover.hpp"

#include "motion/cuda/device_arrays.hpp"

namespace farfield::motion {
namespace {

class DeviceMover final : public Mover {
 public:
  DeviceMover(HostArrays& bodies, const Options& options, const Course& course)
      : bodies_(bodies), arrays_(bodies), leapfrog_(arrays_, options, course) {}
  void step() override { leapfrog_.step(); }
  Sums sums() const override { return arrays_.sums(); }
  void fetch() override { arrays_.fetch(bodies_); }
  const Report& report() const override { return leapfrog_.report(); }

 private:
  HostArrays& bodies_;
  DeviceArrays arrays_;
  Leapfrog<DeviceArrays> leapfrog_;
};

}  // namespace

std::unique_ptr<Mover> make_device_mover(HostArrays& bodies, const Options& options, const Course& course) {
  return std::make_unique<DeviceMover>(bodies, options, course);
}

}  // namespace farfield::motion
