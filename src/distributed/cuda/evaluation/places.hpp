// Moves of single numbers by their places, for for_each_index.
#pragma once
#include <cstdint>

namespace farfield::distributed {

template <class T>
struct Take {
  const T* from;
  const std::uint32_t* place;
  T* to;
  __device__ void operator()(std::int64_t i) const { to[i] = from[place[i]]; }
};
template <class T>
struct Put {
  const T* from;
  const std::uint32_t* place;
  T* to;
  __device__ void operator()(std::int64_t i) const { to[place[i]] = from[i]; }
};
struct Ascending {
  std::uint32_t* place;
  __device__ void operator()(std::int64_t i) const { place[i] = static_cast<std::uint32_t>(i); }
};

}  // namespace farfield::distributed
