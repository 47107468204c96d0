// Bodies in motion whose arrays lie in the memory of a device: no position crosses the bus until `fetch`.
#pragma once
#include <memory>

#include "motion/host_arrays.hpp"

namespace farfield::motion {

class DeviceArrays {
 public:
  /// A copy of `bodies` on the current device, on a stream of its own.
  explicit DeviceArrays(const HostArrays& bodies);
  ~DeviceArrays();
  DeviceArrays(const DeviceArrays&) = delete;
  DeviceArrays& operator=(const DeviceArrays&) = delete;

  Points points() const;
  Strengths strengths() const;
  Outputs outputs();

  void use_threads(int /*of_the_host*/) {}
  void kick(double dt);
  void drift(double dt);
  /// Waits for the device. The same bits every time, on any device.
  Sums sums() const;

  /// Copies positions, velocities and potential of the same bodies to the host.
  void fetch(HostArrays& bodies) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

static_assert(Arrays<DeviceArrays>);

}  // namespace farfield::motion
