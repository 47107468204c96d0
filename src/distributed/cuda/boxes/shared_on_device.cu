#include "distributed/cuda/boxes/shared_on_device.hpp"

namespace farfield::distributed {

SharedOnDevice::SharedOnDevice(const DeviceShare& share, farfield::cuda::DeviceMemory& memory, cudaStream_t stream)
    : essential_(memory), own_(memory) {
  std::vector<BoxId> own;
  for (const SharedPlace& box : share.shared)
    on_host_.push_back(box.essential), own.push_back(box.own), top_.push_back(box.top);
  farfield::cuda::upload(essential_, on_host_.data(), count(), stream);
  farfield::cuda::upload(own_, own.data(), count(), stream);
}

}  // namespace farfield::distributed
