#include <cmath>
#include <vector>

#include "backends/cuda/caller_stream.hpp"
#include "backends/cuda/molecules/finish.hpp"
#include "backends/cuda/molecules/molecules.hpp"
#include "backends/cuda/own_event.hpp"
#include "backends/cuda/periodic/cell_sums.hpp"
#include "backends/cuda/runtime/capture.hpp"
#include "backends/cuda/runtime/column_sums.hpp"
#include "backends/cuda/transfer/any_numbers.hpp"
#include "backends/cuda/transfer/strengths.hpp"
#include "tree/geometry.hpp"

namespace farfield::cuda {
namespace {

struct ReadCharge {
  AnyNumbers given;
  double* charge;
  __device__ void operator()(std::int64_t i) const { charge[i] = given[i]; }
};

/// Marks how far a stream has come, for calls on other streams. It outlives the stream. What a graph captures has its
/// own order, to which it does not belong.
class Milestone {
 public:
  void set(cudaStream_t stream) {
    if (!is_captured(stream)) event_.record(stream);
  }
  void wait_on(cudaStream_t stream) {
    if (!is_captured(stream)) event_.wait_on(stream);
  }

 private:
  OwnEvent event_;
};

/// Of a call: its device is the current one, and a caller's capture forbids neither memory nor the loading of kernels.
struct Call {
  explicit Call(int device) : current(device) {}
  OnDevice current;
  RelaxedCapture relaxed;
};

/// Arrays are no plan's: a call may come on any stream. A call that reads or writes them waits for the one before.
class DeviceMolecules : public MoleculeSums {
 public:
  DeviceMolecules() { require(cudaGetDevice(&device_), "cudaGetDevice"); }

  Points read(const Points& given) override {
    const Call call(device_);
    Points with_all_axes = given;
    with_all_axes.space = MemorySpace::host;
    check_view(with_all_axes, "source");
    begin(stream_of_call({memory_of(given)}, own_));
    next_.resize(3 * given.count);
    interleave(given, next_.data(), stream_);
    done_.set(stream_);
    return view_of(next_);
  }
  void accept() override {
    const Call call(device_);
    xyz_.swap(next_);
    done_.set(stream_);
  }
  Points positions() const override { return view_of(xyz_); }

  void exclude(const Exclusions& pairs) override {
    const Call call(device_);
    begin(own_);
    const std::vector<std::uint32_t> others(pairs.others().begin(), pairs.others().end());
    const std::int64_t starts = pairs.pair_count() > 0 ? std::ssize(pairs.starts()) : 0;
    upload(starts_, pairs.starts().data(), starts, stream_);
    upload(others_, others.data(), std::ssize(others), stream_);
    upload(kept_, pairs.kept().data(), std::ssize(pairs.kept()), stream_);
    require(cudaStreamSynchronize(stream_), "excluded pairs");
  }

  Strengths take(const Strengths& given, const CoulombOutputs& outputs) override {
    const Call call(device_);
    begin(stream_of_call({memory_of(given), memory_of(outputs)}, own_));
    charge_.resize(given.count);
    const AnyNumbers numbers = numbers_on_device(given, 0, charge_copy_, stream_);
    for_each_index(given.count, ReadCharge{numbers, charge_.data()}, stream_, "charges of molecules");
    Strengths view = strengths(static_cast<const double*>(charge_.data()), given.count);
    view.space = MemorySpace::device, view.stream = stream_;
    return view;
  }

  Net net() override {
    const Call call(device_);
    const auto found =
        column_sums<2>(charge_.size(), AddCharges{charge_.data()}, net_part_, stream_, "net charge of molecules");
    return {found[0], found[1]};
  }

  Outputs field() override {
    const Call call(device_);
    potential_.resize(charge_.size()), field_.resize(3 * charge_.size());
    return {potential_.data(), field_.data(), nullptr, nullptr, Scalar::float64, MemorySpace::device, stream_};
  }

  MoleculeTotals finish(const MoleculeTask& task, const CoulombOutputs& outputs,
                        std::array<double, 6>& virial) override {
    const Call call(device_);
    if (charge_.empty()) return {};
    launch(task, outputs);
    if (task.captured) return {};
    download(found_.data(), totals_.data(), total::all, stream_);
    done_.set(stream_);
    require(cudaStreamSynchronize(stream_), "results of molecules");
    const double* const t = found_.data();
    for (int s = 0; s < 6; ++s) virial[static_cast<std::size_t>(s)] -= t[total::virial + s];
    return {std::sqrt(t[total::potential]),
            std::sqrt(t[total::field]),
            t[total::largest_charge],
            std::sqrt(t[total::net_potential]),
            std::sqrt(t[total::net_forces]),
            t[total::charge],
            t[total::energy],
            {t[total::dipole], t[total::dipole + 1], t[total::dipole + 2]},
            {t[total::force], t[total::force + 1], t[total::force + 2]},
            std::sqrt(t[total::squares] / static_cast<double>(charge_.size()))};
  }

 private:
  void begin(cudaStream_t stream) {
    stream_ = stream;
    done_.wait_on(stream);
  }

  Points view_of(const DeviceArray<double>& xyz) const {
    Points view = points(xyz.data(), xyz.size() / 3);
    view.space = MemorySpace::device, view.stream = stream_;
    return view;
  }

  /// All that follows the plan's evaluation, in the order of the stream and without waiting, but for results in host
  /// memory.
  void launch(const MoleculeTask& task, const CoulombOutputs& outputs) {
    part_.resize(part_numbers), totals_.resize(total::all);
    const MoleculeArrays arrays{charge_.size(),    xyz_.data(),   charge_.data(),
                                potential_.data(), field_.data(), {starts_.data(), others_.data(), kept_.data()},
                                part_.data(),      totals_.data()};
    const std::array<double, 3> dipole = task.dipole.value_or(std::array<double, 3>{});
    find_forces(arrays, PairImages(task.cell ? task.cell->view() : CellView{}), stream_);
    take_units(arrays, {task.surface, {dipole[0], dipole[1], dipole[2]}, !task.dipole}, task.constant, stream_);
    if (outputs.space == MemorySpace::device) return write(arrays, task.remove_net_force, outputs, stream_);
    if (outputs.scalar == Scalar::float32)
      write_to_host<float>(arrays, task.remove_net_force, outputs);
    else
      write_to_host<double>(arrays, task.remove_net_force, outputs);
  }

  template <class T>
  void write_to_host(const MoleculeArrays& arrays, bool remove_net_force, const CoulombOutputs& outputs) {
    const std::int64_t count = arrays.count;
    written_.resize(5 * count * std::int64_t(sizeof(T)));
    T* const copy = reinterpret_cast<T*>(written_.data());
    CoulombOutputs here = outputs;
    if (here.potential) here.potential = copy;
    if (here.forces) here.forces = copy + count;
    if (here.energies) here.energies = copy + 4 * count;
    write(arrays, remove_net_force, here, stream_);
    if (here.potential) download(static_cast<T*>(outputs.potential), copy, count, stream_);
    if (here.forces) download(static_cast<T*>(outputs.forces), copy + count, 3 * count, stream_);
    if (here.energies) download(static_cast<T*>(outputs.energies), copy + 4 * count, count, stream_);
  }

  int device_ = 0;
  OwnStream own_;
  Milestone done_;
  cudaStream_t stream_ = nullptr;  ///< of the present call
  DeviceArray<double> xyz_, next_;
  DeviceArray<std::int64_t> starts_;
  DeviceArray<std::uint32_t> others_;
  DeviceArray<double> kept_, charge_, potential_, field_;
  DeviceArray<double> part_, totals_, net_part_;
  DeviceArray<unsigned char> charge_copy_, written_;
  PinnedArray<double> found_{total::all};
};

}  // namespace

std::unique_ptr<MoleculeSums> make_molecules() { return std::make_unique<DeviceMolecules>(); }

}  // namespace farfield::cuda
