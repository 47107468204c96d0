// Which ranks are threads of one process, and may so read one another's memory.
#pragma once
#include <array>
#include <cstdint>

namespace farfield::distributed {

/// What threads of one process have alike, and no other process has: its number, the host's name, and the place of a
/// variable, which two containers on one host with equal names hardly have alike, too.
struct Process {
  std::int64_t number = 0;
  const void* place = nullptr;
  std::array<char, 128> host{};
  bool operator==(const Process&) const = default;
};
Process this_process();

/// Does FARFIELD_TRANSPORT say that rows are to go through the host's memory? Throws Error(usage) for another word.
bool asked_through_hosts();

}  // namespace farfield::distributed
