#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/judging/sample.hpp"

namespace farfield::distributed {
namespace {

constexpr int numbers_per_target = 3 + with_gradient;
struct Row {
  std::int64_t at;
  double number[numbers_per_target];  ///< coordinates, results
};

template <class Real>
struct ReadTargets {
  const double* target[3];
  ResultArrays<Real> result;
  Row* row;
  const std::int64_t* place;
  __device__ void operator()(std::int64_t k) const {
    for (int axis = 0; axis < 3; ++axis) row[k].number[axis] = target[axis][place[k]];
    for (int part = 0; part < with_gradient; ++part)
      row[k].number[3 + part] = result[part] ? static_cast<double>(result[part][place[k]]) : 0;
  }
};

}  // namespace

template <class Real>
Sample::Sample(DevicePlaced& placed, const std::vector<std::int64_t>& numbers, const ResultArrays<Real>& own_results)
    : count_(std::ssize(numbers)), at_(placed.memory) {
  const cudaStream_t stream = placed.memory.stream;
  const std::int64_t first = placed.on_device->first_target, own = placed.own_targets();
  std::vector<std::int64_t> place;
  std::vector<Row> rows;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (const std::int64_t i = numbers[k] - first; i >= 0 && i < own)
      place.push_back(i), rows.push_back({static_cast<std::int64_t>(k), {}});
  OnDevice<Row> row(placed.memory);
  OnDevice<std::int64_t> at(placed.memory);
  farfield::cuda::upload(row, rows.data(), std::ssize(rows), stream);
  farfield::cuda::upload(at, place.data(), std::ssize(place), stream);
  const auto& x = placed.on_device->essential.target_points().axis;
  const std::int64_t begin = placed.first_target();
  farfield::cuda::for_each_index(
      std::ssize(rows),
      ReadTargets<Real>{
          {x[0].data() + begin, x[1].data() + begin, x[2].data() + begin}, own_results, row.data(), at.data()},
      stream, "sampled targets");
  rows = placed.ranks->gather_all(downloaded(row.data(), row.size(), stream));
  std::vector<double> coordinates(3 * numbers.size());
  for (std::vector<double>& part : result_) part.resize(numbers.size());
  for (const Row& one : rows) {
    const auto k = static_cast<std::size_t>(one.at);
    for (std::size_t axis = 0; axis < 3; ++axis) coordinates[axis * numbers.size() + k] = one.number[axis];
    for (std::size_t part = 0; part < with_gradient; ++part) result_[part][k] = one.number[3 + part];
  }
  farfield::cuda::upload(at_, coordinates.data(), std::ssize(coordinates), stream);
}

template <class Number>
farfield::cuda::NearWork<Number> Sample::work(const DevicePlaced& placed, const Number* own) const {
  farfield::cuda::NearWork<Number> work;
  const DeviceShare& share = *placed.on_device;
  for (int axis = 0; axis < 3; ++axis) {
    work.source[axis] = share.essential.sources.axis[axis].data() + share.first;
    work.target[axis] = coordinates(axis);
  }
  work.sources = placed.own_sources(), work.targets = count_;
  work.alike = false;  // a sum without softening asks for no names
  work.strength = own;
  work.stream = placed.memory.stream;
  return work;
}

template Sample::Sample(DevicePlaced&, const std::vector<std::int64_t>&, const ResultArrays<float>&);
template Sample::Sample(DevicePlaced&, const std::vector<std::int64_t>&, const ResultArrays<double>&);
template farfield::cuda::NearWork<float> Sample::work(const DevicePlaced&, const float*) const;
template farfield::cuda::NearWork<double> Sample::work(const DevicePlaced&, const double*) const;

}  // namespace farfield::distributed
