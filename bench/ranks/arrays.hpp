// Arrays of a rank, or of one device alone, in device memory, for gpu_ranks.
#pragma once
#include <algorithm>
#include <cstring>
#include <farfield/distributed.hpp>
#include <farfield/farfield.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "bench/gpu_clouds.hpp"

namespace farfield::bench {

/// On the host.
struct Results {
  std::vector<float> potential, gradient;
};

inline std::vector<float> on_host(const cuda::DeviceArray<float>& device, std::int64_t count) {
  std::vector<float> host(static_cast<std::size_t>(count));
  cuda::download(host.data(), device.data(), count, nullptr);
  cuda::require(cudaStreamSynchronize(nullptr), "copy");
  return host;
}

class Arrays {
 public:
  Arrays(const std::string& cloud, const Part& part) : cloud_(cloud), part_(part) { make(part); }

  /// Those of the points that the plan put on this rank; at rest they stay there over moves in the owned order. Their
  /// numbers alone go through the host: 2^30 points and strengths would take minutes.
  void go_to_owners(distributed::Plan& plan) {
    std::vector<std::uint32_t> number(static_cast<std::size_t>(part_.count));
    std::iota(number.begin(), number.end(), static_cast<std::uint32_t>(part_.first));
    number = plan.to_owned(number);
    cuda::DeviceArray<std::uint32_t> on_device;
    cuda::upload(on_device, number.data(), std::ssize(number), nullptr);
    for (cuda::DeviceArray<float>* array : {&positions_, &strengths_, &potential_, &gradient_}) array->release();
    make({0, std::ssize(number), part_.n, on_device.data()});
    cuda::require(cudaStreamSynchronize(nullptr), "owned points");
  }
  Points points() const {
    Points p = farfield::points(static_cast<const float*>(positions_.data()), held_);
    p.space = MemorySpace::device;
    return p;
  }
  Strengths of() const {
    Strengths s = farfield::strengths(static_cast<const float*>(strengths_.data()), held_);
    s.space = MemorySpace::device;
    return s;
  }
  Outputs outputs() {
    Outputs o;
    o.scalar = Scalar::float32, o.space = MemorySpace::device;
    o.potential = potential_.data(), o.gradient = gradient_.data();
    return o;
  }
  Results results() const { return {on_host(potential_, held_), on_host(gradient_, 3 * held_)}; }

 private:
  void make(const Part& part) {
    held_ = part.count;
    positions_ = make_points(cloud_, part), strengths_ = make_strengths<float>(part, true);
    potential_.resize(std::max<std::int64_t>(1, held_)), gradient_.resize(3 * std::max<std::int64_t>(1, held_));
  }

  std::string cloud_;
  Part part_;
  std::int64_t held_ = 0;
  cuda::DeviceArray<float> positions_, strengths_, potential_, gradient_;
};

/// Are this rank's results those of one device, for which they begin with that of point `first`?
inline bool equal(const Results& own, const Results& one, std::int64_t first) {
  const auto same = [](const std::vector<float>& part, const std::vector<float>& whole, std::int64_t begin) {
    return std::memcmp(part.data(), whole.data() + begin, part.size() * sizeof(float)) == 0;
  };
  return same(own.potential, one.potential, first) && same(own.gradient, one.gradient, 3 * first);
}

}  // namespace farfield::bench
