#include "backends/cuda/caller_stream.hpp"
#include "backends/cuda/periodic/cell_sums.hpp"
#include "backends/cuda/periodic/virial_sum.hpp"
#include "backends/cuda/runtime/column_sums.hpp"
#include "backends/cuda/transfer/any_numbers.hpp"
#include "backends/cuda/transfer/strengths.hpp"

namespace farfield::cuda {
namespace {

/// Sums of shares of the coordinates, which no sum of finite ones exceeds.
struct AddMean {
  const double* xyz;
  double share;
  __device__ void operator()(std::int64_t i, double* sum) const {
    for (int axis = 0; axis < 3; ++axis) sum[axis] += share * xyz[3 * i + axis];
  }
};

/// Keeps its own copy of the positions. Arrays are no plan's: a call may come on any stream.
class DeviceVirialSum : public VirialSum {
 public:
  DeviceVirialSum(const Points& points, const OtherPoints& others) : others_(others), count_(points.count) {
    require(cudaGetDevice(&device_), "cudaGetDevice");
    const cudaStream_t stream = stream_of_call({memory_of(points)}, own_);
    xyz_.resize(3 * count_);
    interleave(points, xyz_.data(), stream);
    const std::int64_t all = others.sum(count_);
    const double share = 1 / static_cast<double>(all > 0 ? all : 1);
    mean_ = sum_of_all(others, column_sums<3>(count_, AddMean{xyz_.data(), share}, part_, stream, "middle of points"));
  }

  double* room(std::int64_t numbers, MemorySpace space) override {
    if (space != MemorySpace::device) return VirialSum::room(numbers, space);
    const OnDevice current(device_);
    room_.resize(std::max<std::int64_t>(1, numbers));  // without points it is wanted, too
    return room_.data();
  }

  std::array<double, 6> of(const Strengths& charges, const Strengths& gradient, std::int64_t vector) override {
    const OnDevice current(device_);
    const cudaStream_t stream = stream_of_call({memory_of(charges), memory_of(gradient)}, own_);
    const auto coordinate = [&](int axis) { return AnyNumbers{xyz_.data() + axis, 3, false}; };
    const AddVirial body{{coordinate(0), coordinate(1), coordinate(2)},
                         numbers_on_device(charges, vector, charge_copy_, stream),
                         {numbers_on_device(gradient, vector, gradient_copy_, stream), {}},
                         {mean_[0], mean_[1], mean_[2]}};
    return sum_of_all(others_, column_sums<6>(count_, body, part_, stream, "virial"));
  }

 private:
  const OtherPoints& others_;
  int device_ = 0;
  std::int64_t count_;
  OwnStream own_;
  DeviceArray<double> xyz_, part_, room_;
  DeviceArray<unsigned char> charge_copy_, gradient_copy_;
  std::array<double, 3> mean_{};
};

}  // namespace

std::unique_ptr<VirialSum> make_virial_sum(const Points& points, const OtherPoints& others) {
  return std::make_unique<DeviceVirialSum>(points, others);
}

}  // namespace farfield::cuda
