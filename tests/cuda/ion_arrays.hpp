// Ions in periodic cells, in device memory.
#pragma once
#include "cuda/on_device.hpp"
#include "periodic/cells.hpp"

namespace farfield::testing {

inline Options on_gpu(const Rows& cell, const Axes& axes, double tolerance, Backend backend = Backend::cuda) {
  Options o = in_cell(cell, axes, tolerance);
  o.backend = backend;
  return o;
}

template <class T>
std::vector<T> as(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

/// Positions, strengths and results of one type in device memory, on one stream; the virial in host memory.
template <class T>
class Arrays {
 public:
  Arrays(const Ions& ions, cudaStream_t stream)
      : x_(as<T>(ions.x)),
        q_(as<T>(ions.q)),
        potential_(std::vector<T>(ions.q.size(), T(-1))),
        gradient_(std::vector<T>(ions.x.size(), T(-1))),
        count_(std::ssize(ions.q)),
        stream_(stream) {}
  Points points() const {
    Points p = farfield::points(static_cast<const T*>(x_.data()), count_);
    p.space = MemorySpace::device, p.stream = stream_;
    return p;
  }
  Strengths strengths() const {
    Strengths s = farfield::strengths(static_cast<const T*>(q_.data()), count_);
    s.space = MemorySpace::device, s.stream = stream_;
    return s;
  }
  Outputs outputs() const {
    return {potential_.data(), gradient_.data(), nullptr, nullptr, scalar_of<T>, MemorySpace::device, stream_};
  }
  void set_points(const std::vector<double>& x) const { x_.write(as<T>(x)); }
  void set_strengths(const std::vector<double>& q) const { q_.write(as<T>(q)); }
  void clear() const {
    potential_.write(std::vector<T>(static_cast<std::size_t>(count_), T(-1)));
    gradient_.write(std::vector<T>(static_cast<std::size_t>(3 * count_), T(-1)));
  }
  /// Of the last results.
  Result<T> read() const { return {potential_.read(), gradient_.read(), {}, {}, {}}; }
  Result<T> evaluate(Plan& plan) const {
    Outputs out = outputs();
    std::vector<double> virial(plan.report().virial ? 6 : 0);
    if (!virial.empty()) out.virial = virial.data();
    if (!plan.report().gradient) out.gradient = nullptr;
    plan.evaluate(strengths(), out);
    return {potential_.read(), gradient_.read(), {}, {}, plan.report(), {}, {}, virial};
  }

 private:
  OnDevice<T> x_, q_, potential_, gradient_;
  std::int64_t count_;
  cudaStream_t stream_;
};

}  // namespace farfield::testing
