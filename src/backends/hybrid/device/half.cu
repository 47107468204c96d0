// The half that is a device: sums over its copy of the host's tree, by the stages of backend cuda.
#include <farfield/report.hpp>

#include "backends/cuda/boxes/bind.hpp"
#include "backends/cuda/careful.hpp"
#include "backends/cuda/near/p2p_work.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/stage_events.hpp"
#include "backends/hybrid/device/arrivals.hpp"
#include "backends/hybrid/device/far_share.hpp"
#include "backends/hybrid/on_device.hpp"
#include "kernels/registry.hpp"

namespace farfield::hybrid {
namespace {

/// All is launched in the order of the place's stream: strengths, p2p, which overwrites the results, and the far field
/// of the share, which adds to them.
template <class Real>
class DeviceSums final : public HalfSums<Real> {
 public:
  explicit DeviceSums(DevicePlace& place) : place_(place), near_(place.memory), far_(place) {
    for (cuda::DeviceArray<Real>& moment : strength_) moment.use(place.memory);
    for (cuda::DeviceArray<Real>& part : result_) part.use(place.memory);
  }

  void prepare(const Decision& decision) override {
    const cuda::OnDevice current(place_.device);
    decision_ = decision;
    far_.take(decision, 0, 1, 1);
    const cuda::CudaTree& tree = place_.tree;
    near_.build<Real>(tree.tree.view(), tree.lists.view(), tree.sources.count, targets(), place_.stream,
                      cuda::p2p_limits<Real>(decision, targets()));
  }

  bool take_share(const Decision& decision, const cpu::Work<Real>& work, std::int64_t targets) override {
    const cuda::OnDevice current(place_.device);
    make_room(work);  // the near field's arrays come first
    return far_.take(decision, targets, work.densities, work.threads);
  }

  void start(const cpu::Work<Real>& from) override {
    const cuda::OnDevice current(place_.device);
    events_.start(place_.stream);
    bind_points(from);
    make_room(from);
    bind_strengths(from);
    bind_results(from);
    events_.mark("");
    with_device_kernel(decision_.kernel, [&](auto kernel) { sum<decltype(kernel)>(); });
  }

  HalfSeconds join(const cpu::Work<Real>& to) override {
    const cuda::OnDevice current(place_.device);
    Report took;
    events_.book(took, false);
    for (int v = 0; v < to.densities; ++v)
      for (int part = 0; part < most_parts; ++part)
        if (Real* const result = to.result.any(part))
          arrivals_.add(result + v * to.result_pitch, work_.result.part[part] + v * work_.result_pitch, targets(),
                        to.threads);
    if (far_.targets() > 0) far_.fetch_locals(to);
    return {seconds_of(took, {"p2p"}), seconds_of(took, upward_stages), seconds_of(took, downward_stages)};
  }

 private:
  std::int64_t targets() const { return place_.tree.target_points().count; }

  void bind_points(const cpu::Work<Real>& from) {
    const cuda::CudaTree& tree = place_.tree;
    work_.tree = tree.tree.view();
    work_.lists = tree.lists.view();
    work_.near = near_.view();
    cuda::bind_points(tree, work_);
    work_.self_from = from.self_from;
    work_.softening = from.softening;
    work_.source_length = from.source_length ? place_.source_lengths.data() : nullptr;
    work_.target_length = !from.source_length ? nullptr
                          : tree.alike        ? place_.source_lengths.data()
                                              : place_.target_lengths.data();
    work_.parameters = from.parameters;
    work_.close_square = cuda::tuning::close_square<Real>(
        cuda::careful_degree(decision_, expansion_degree(decision_.kernel, decision_.degree)));
    work_.stream = place_.stream;
  }

  void make_room(const cpu::Work<Real>& from) {
    work_.densities = from.densities;
    work_.strength_pitch = cuda::padded(place_.tree.sources.count);
    work_.result_pitch = cuda::padded(targets());
    for (int moment = 0; moment < from.moments(); ++moment)
      strength_[moment].resize(from.densities * work_.strength_pitch);
    for (int part = 0; part < most_parts; ++part)
      result_[part].resize(from.result.part[part] ? from.densities * work_.result_pitch : 0);
  }

  void bind_strengths(const cpu::Work<Real>& from) {
    work_.strength = send(0, from, from.strength);
    for (int axis = 0; axis < 3; ++axis)
      work_.dipole[axis] = from.dipole[axis] ? send(1 + axis, from, from.dipole[axis]) : nullptr;
  }
  const Real* send(int moment, const cpu::Work<Real>& from, const Real* numbers) {
    cuda::DeviceArray<Real>& to = strength_[moment];
    for (int v = 0; v < from.densities; ++v)
      cuda::require(cudaMemcpyAsync(to.data() + v * work_.strength_pitch, numbers + v * from.strength_pitch,
                                    static_cast<std::size_t>(work_.sources) * sizeof(Real), cudaMemcpyHostToDevice,
                                    place_.stream),
                    "strengths (cudaMemcpyAsync)");
    return to.data();
  }

  void bind_results(const cpu::Work<Real>& from) {
    for (int part = 0; part < most_parts; ++part)
      work_.result.part[part] = from.result.part[part] ? result_[part].data() : nullptr;
  }

  template <class K>
  void sum() {
    if constexpr (has_expansions<K>()) {  // the others have no near field
      events_("p2p", [&] { cuda::p2p<K>(work_); });
      if (far_.targets() > 0) far_.template sum<K>(work_, events_);
    }
  }

  DevicePlace& place_;
  Decision decision_;
  cuda::P2pWork near_;
  FarShare<Real> far_;
  cuda::StageEvents events_;
  cuda::DeviceArray<Real> strength_[with_dipole], result_[most_parts];
  Arrivals<Real> arrivals_;
  cuda::Work<Real> work_;
};

class DeviceHalf final : public Half {
 public:
  void place(const HostTree& tree, const HostLengths& lengths) override { place_.place(tree, lengths); }
  void move(const HostTree& tree) override { place_.move(tree); }
  std::unique_ptr<HalfSums<float>> single_sums() override { return make<float>(); }
  std::unique_ptr<HalfSums<double>> double_sums() override { return make<double>(); }
  std::string name() const override { return name_; }
  std::int64_t most_bytes() const override { return place_.memory.meter.peak; }

 private:
  template <class Real>
  std::unique_ptr<HalfSums<Real>> make() {
    const cuda::OnDevice current(place_.device);
    return std::make_unique<DeviceSums<Real>>(place_);
  }

  DevicePlace place_;
  std::string name_ = cuda::require_device();
};

}  // namespace

std::unique_ptr<Half> make_half_on_device() { return std::make_unique<DeviceHalf>(); }

}  // namespace farfield::hybrid
