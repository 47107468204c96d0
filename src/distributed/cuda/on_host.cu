// OnHost: an evaluator that reads and writes host memory, for callers whose arrays are in device memory.
#include <vector>

#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "backends/cuda/transfer/strengths.hpp"
#include "distributed/cuda/evaluator.hpp"

namespace farfield::distributed {
namespace {

using farfield::cuda::require;

/// Bytes from the first number that vectors use to the last, where rows of `width` numbers are `stride` apart.
std::int64_t span(const Strengths& s, std::int64_t width, std::int64_t stride, std::int64_t given_pitch) {
  if (s.count == 0) return 0;
  const std::int64_t pitch = given_pitch ? given_pitch : s.count * stride;
  return ((s.vectors - 1) * pitch + (s.count - 1) * stride + width) * farfield::cuda::size_of(s.scalar);
}

/// Bytes of a block in device memory, and back.
class HostCopy {
 public:
  /// Where `from` is, on the host; null for null.
  void* of(const void* from, std::int64_t bytes, cudaStream_t stream) {
    if (!from) return nullptr;
    bytes_.resize(static_cast<std::size_t>(bytes));
    farfield::cuda::download(bytes_.data(), static_cast<const unsigned char*>(from), bytes, stream);
    require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    return bytes_.data();
  }
  void back(void* to, cudaStream_t stream) const {
    if (to && !bytes_.empty())
      require(cudaMemcpyAsync(to, bytes_.data(), bytes_.size(), cudaMemcpyHostToDevice, stream),
              "cudaMemcpyAsync to the device");
  }

 private:
  std::vector<unsigned char> bytes_;
};

std::vector<double> coordinates(const Points& points) {
  farfield::cuda::DeviceArray<double> all;
  all.resize(3 * points.count);
  const auto stream = static_cast<cudaStream_t>(points.stream);
  farfield::cuda::interleave(points, all.data(), stream);
  std::vector<double> host(static_cast<std::size_t>(all.size()));
  farfield::cuda::download(host.data(), all.data(), all.size(), stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return host;
}

class OnHost final : public Evaluator {
 public:
  explicit OnHost(std::unique_ptr<Evaluator> inner) : inner_(std::move(inner)) {}
  bool adopt(const Decision& decision) override { return inner_->adopt(decision); }
  void use_threads(int threads) override { inner_->use_threads(threads); }
  const Decision& decision() const override { return inner_->decision(); }
  std::unique_ptr<Evaluator> again(const Decision& decision, farfield::Report& report) override {
    return std::make_unique<OnHost>(inner_->again(decision, report));
  }

  void build(const Points& sources, const Points* targets, const Geometry& geometry,
             farfield::Report& report) override {
    std::vector<double> source, target;
    const Points own = on_host(sources, source), apart = targets ? on_host(*targets, target) : Points{};
    inner_->build(own, targets ? &apart : nullptr, geometry, report);
  }
  std::vector<Quality> evaluate(const Strengths& strengths, const Delivery& delivery,
                                farfield::Report& report) override {
    HostCopy charges, dipoles;
    Strengths own = strengths;
    if (strengths.space == MemorySpace::device) {
      const auto stream = static_cast<cudaStream_t>(strengths.stream);
      own.data = charges.of(strengths.data, span(strengths, 1, strengths.stride, strengths.pitch), stream);
      own.dipoles = strengths.count == 0
                        ? strengths.dipoles
                        : dipoles.of(strengths.dipoles,
                                     span(strengths, 3, strengths.dipole_stride, strengths.dipole_pitch), stream);
      own.space = MemorySpace::host;
    }
    if (delivery.outputs.space == MemorySpace::host) return inner_->evaluate(own, delivery, report);
    return deliver(own, delivery, report);
  }

 private:
  static Points on_host(const Points& points, std::vector<double>& copy) {
    if (points.space == MemorySpace::host) return points;
    copy = coordinates(points);
    Points on_host = farfield::points(copy);
    on_host.softening = points.softening;  // always in host memory
    return on_host;
  }
  std::vector<Quality> deliver(const Strengths& strengths, const Delivery& delivery, farfield::Report& report) {
    const Outputs& o = delivery.outputs;
    const auto stream = static_cast<cudaStream_t>(o.stream);
    const std::int64_t size = farfield::cuda::size_of(o.scalar) * strengths.vectors;
    Delivery own = delivery;
    own.outputs.space = MemorySpace::host;
    HostCopy copies[6];
    own.outputs.potential = copies[0].of(o.potential, delivery.split * size, stream);
    own.outputs.gradient = copies[1].of(o.gradient, 3 * delivery.split * size, stream);
    own.outputs.hessian = copies[2].of(o.hessian, 6 * delivery.split * size, stream);
    own.outputs.source_potential = copies[3].of(o.source_potential, strengths.count * size, stream);
    own.outputs.source_gradient = copies[4].of(o.source_gradient, 3 * strengths.count * size, stream);
    own.outputs.source_hessian = copies[5].of(o.source_hessian, 6 * strengths.count * size, stream);
    std::vector<Quality> qualities = inner_->evaluate(strengths, own, report);
    copies[0].back(o.potential, stream), copies[1].back(o.gradient, stream), copies[2].back(o.hessian, stream);
    copies[3].back(o.source_potential, stream), copies[4].back(o.source_gradient, stream);
    copies[5].back(o.source_hessian, stream);
    require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    return qualities;
  }

  std::unique_ptr<Evaluator> inner_;
};

}  // namespace

std::unique_ptr<Evaluator> on_device::with_arrays_on_host(std::unique_ptr<Evaluator> evaluator) {
  return std::make_unique<OnHost>(std::move(evaluator));
}

}  // namespace farfield::distributed
