// Whether ranks can use NCCL, and what they keep of it from one plan to the next.
#include "distributed/cuda/nccl/channel.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <compare>

#include "backends/cuda/runtime/check.hpp"
#include "distributed/cuda/nccl/nonblocking.hpp"

namespace farfield::distributed {
namespace {

/// What NCCL asks of a rank. Of one host and bus no two may be.
struct Place {
  std::array<char, 128> host{};
  std::array<char, 32> bus{};
  auto operator<=>(const Place&) const = default;
};
struct Seat {
  Place place;
  int version = 0;
  bool has_channel = false;  ///< from an earlier plan
};

Seat seat_of(int device, bool has_channel) {
  Seat seat;
  gethostname(seat.place.host.data(), seat.place.host.size() - 1);
  farfield::cuda::require(cudaDeviceGetPCIBusId(seat.place.bus.data(), static_cast<int>(seat.place.bus.size()), device),
                          "cudaDeviceGetPCIBusId");
  seat.version = nccl_version();
  seat.has_channel = has_channel;
  return seat;
}

bool can_meet(const std::vector<Seat>& seats) {
  std::vector<Place> places;
  for (const Seat& seat : seats) {
    if (seat.version == 0 || seat.version != seats.front().version) return false;
    places.push_back(seat.place);
  }
  std::sort(places.begin(), places.end());
  return std::adjacent_find(places.begin(), places.end()) == places.end();
}

}  // namespace

int nccl_version() {
  int version = 0;
  const NcclLibrary* const nccl = nccl_library();
  return nccl && nccl->GetVersion(&version) == ncclSuccess ? version : 0;
}

std::shared_ptr<NcclChannel> nccl_channel(Ranks& ranks, int device) {
  auto channel = std::static_pointer_cast<NonblockingChannel>(ranks.kept());
  const std::vector<Seat> seats = ranks.all_gather(seat_of(device, channel && channel->serves(device)));
  if (!can_meet(seats)) return nullptr;
  if (std::all_of(seats.begin(), seats.end(), [](const Seat& seat) { return seat.has_channel; })) return channel;
  channel.reset(), ranks.kept().reset();
  channel = std::make_shared<NonblockingChannel>(*nccl_library(), ranks, device);
  ranks.kept() = channel;
  return channel;
}

}  // namespace farfield::distributed
