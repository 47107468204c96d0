// Ranks that are threads, each with a device.
#include <farfield/distributed.hpp>

#include "distributed/backends.hpp"
#include "distributed/devices/rank_threads.hpp"
#include "plan/boundary.hpp"

namespace farfield::distributed {

void use_device(int device) {
  guarded([&] { select_device(device); });
}

void on_devices(std::span<const int> devices, const std::function<void(Communicator&)>& body) {
  guarded([&] {
    for (const int device : devices) require_known_device(device);  // before a rank waits for one that has none
  });
  RankThreads threads(static_cast<int>(devices.size()));
  threads.use(devices);
  threads.run([&](RankThreads::Rank& rank) {
    body(*rank.communicator);
    rank.communicator.reset();  // has left: others that still ask for it are told
  });
}

}  // namespace farfield::distributed
