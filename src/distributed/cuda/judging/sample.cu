#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/judging/sample.hpp"

namespace farfield::distributed {

namespace {

using Row = SampledTarget;

constexpr std::uint32_t nobody = 0xffffffffu;

template <class Real>
struct ReadTargets {
  const double *target[3], *length;
  const std::uint32_t* name;
  ResultArrays<Real> result;
  Row* row;
  const std::int64_t* place;
  __device__ void operator()(std::int64_t k) const {
    const std::int64_t at = place[k];
    for (int axis = 0; axis < 3; ++axis) row[k].x[axis] = target[axis][at];
    for (int part = 0; part < most_parts; ++part)
      row[k].result[part] = result.any(part) ? static_cast<double>(result.any(part)[at]) : 0;
    row[k].length = length ? length[at] : 0;
    row[k].name = name[at];
  }
};

}  // namespace

template <class Real>
Sample::Sample(DevicePlaced& placed, const std::vector<std::int64_t>& numbers, const ResultArrays<Real>& own_results)
    : count_(std::ssize(numbers)),
      own_(placed.memory),
      at_(placed.memory),
      length_(placed.memory),
      name_(placed.memory) {
  const cudaStream_t stream = placed.memory.stream;
  const std::int64_t first = placed.on_device->first_target, own = placed.own_targets();
  std::vector<std::int64_t> place;
  std::vector<Row> rows;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (const std::int64_t i = numbers[k] - first; i >= 0 && i < own)
      place.push_back(i), rows.push_back({static_cast<std::int64_t>(k), {}, {}, 0, 0, 0});
  OnDevice<std::int64_t> at(placed.memory);
  farfield::cuda::upload(own_, rows.data(), std::ssize(rows), stream);
  farfield::cuda::upload(at, place.data(), std::ssize(place), stream);
  const auto& x = placed.on_device->essential.target_points().axis;
  const std::int64_t begin = placed.first_target();
  farfield::cuda::for_each_index(std::ssize(rows),
                                 ReadTargets<Real>{{x[0].data() + begin, x[1].data() + begin, x[2].data() + begin},
                                                   placed.has_lengths ? placed.target_lengths() + begin : nullptr,
                                                   placed.on_device->target_order(),
                                                   own_results,
                                                   own_.data(),
                                                   at.data()},
                                 stream, "sampled targets");
}

void Sample::show(DevicePlaced& placed) {
  const cudaStream_t stream = placed.memory.stream;
  const auto count = static_cast<std::size_t>(count_);
  const std::vector<Row> rows = downloaded(own_.data(), own_.size(), stream);
  std::vector<std::uint32_t> names(count, nobody);
  for (const Row& one : rows) names[static_cast<std::size_t>(one.at)] = one.name;
  std::vector<double> coordinates(3 * count), of_targets(placed.has_lengths ? count : 0);
  for (std::vector<double>& part : result_) part.resize(count);
  for (const Row& one : placed.ranks->gather_all(rows)) {
    const auto k = static_cast<std::size_t>(one.at);
    for (std::size_t axis = 0; axis < 3; ++axis) coordinates[axis * count + k] = one.x[axis];
    for (std::size_t part = 0; part < most_parts; ++part) result_[part][k] = one.result[part];
    if (placed.has_lengths) of_targets[k] = one.length;
  }
  farfield::cuda::upload(at_, coordinates.data(), std::ssize(coordinates), stream);
  farfield::cuda::upload(length_, of_targets.data(), std::ssize(of_targets), stream);
  farfield::cuda::upload(name_, names.data(), std::ssize(names), stream);
}

template <class Number>
farfield::cuda::NearWork<Number> Sample::work(const DevicePlaced& placed, const std::vector<Number*>& moments) const {
  farfield::cuda::NearWork<Number> work;
  const DeviceShare& share = *placed.on_device;
  for (int axis = 0; axis < 3; ++axis) {
    work.source[axis] = share.essential.sources.axis[axis].data() + share.first;
    work.target[axis] = coordinates(axis);
  }
  work.sources = placed.own_sources(), work.targets = count_;
  work.alike = false;
  work.source_order = share.source_order(), work.target_order = name_.data();
  work.self_from = placed.self_from();
  if (placed.has_lengths)
    work.source_length = placed.source_length.data() + share.first, work.target_length = length_.data();
  work.strength = moments[0];
  for (std::size_t axis = 0; axis + 1 < moments.size(); ++axis) work.dipole[axis] = moments[axis + 1];
  work.stream = placed.memory.stream;
  return work;
}

template Sample::Sample(DevicePlaced&, const std::vector<std::int64_t>&, const ResultArrays<float>&);
template Sample::Sample(DevicePlaced&, const std::vector<std::int64_t>&, const ResultArrays<double>&);
template farfield::cuda::NearWork<float> Sample::work(const DevicePlaced&, const std::vector<float*>&) const;
template farfield::cuda::NearWork<double> Sample::work(const DevicePlaced&, const std::vector<double*>&) const;

}  // namespace farfield::distributed
