// Ranks that are threads, each with a device.
#include <exception>
#include <farfield/distributed.hpp>
#include <mutex>
#include <thread>

#include "distributed/backends.hpp"
#include "plan/boundary.hpp"

namespace farfield::distributed {

void use_device(int device) {
  guarded([&] { select_device(device); });
}

void on_devices(std::span<const int> devices, const std::function<void(Communicator&)>& body) {
  constexpr double patience = 3600;  // a rank may work for long while others wait; one that ends has left
  guarded([&] {
    for (const int device : devices) require_known_device(device);  // before a rank waits for one that has none
  });
  std::vector<std::unique_ptr<Communicator>> all = loopback(static_cast<int>(devices.size()), patience);
  std::exception_ptr first;
  std::mutex one_at_a_time;
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < devices.size(); ++r)
    threads.emplace_back([&, r] {
      const std::unique_ptr<Communicator> own = std::move(all[r]);
      try {
        use_device(devices[r]);
        body(*own);
      } catch (...) {  // before the others learn that this rank has left
        const std::lock_guard lock(one_at_a_time);
        if (!first) first = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace farfield::distributed
