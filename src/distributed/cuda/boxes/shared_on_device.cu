#include <algorithm>

#include "distributed/cuda/boxes/shared_on_device.hpp"

namespace farfield::distributed {

SharedOnDevice::SharedOnDevice(const DeviceShare& share, farfield::cuda::DeviceMemory& memory, cudaStream_t stream)
    : of_all_(std::count(share.top.shared.begin(), share.top.shared.end(), char(1))), essential_(memory), own_(memory) {
  std::vector<BoxId> own;
  for (const SharedPlace& box : share.shared) {
    on_host_.push_back(box.essential), own.push_back(box.own);
    among_all_.push_back(
        static_cast<std::size_t>(std::count(share.top.shared.begin(), share.top.shared.begin() + box.top, char(1))));
  }
  farfield::cuda::upload(essential_, on_host_.data(), count(), stream);
  farfield::cuda::upload(own_, own.data(), count(), stream);
}

}  // namespace farfield::distributed
