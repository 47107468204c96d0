#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

#include "backends/cuda/judge/direct_sums.hpp"
#include "backends/cuda/judge/examine.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {

static constexpr std::size_t most_blocks = 16384;  // targets of a launch: any axis of a grid may have as many

/// With the caller's strengths, not rounded to Real.
template <class Real>
static std::vector<DirectSum> exact_sums(const Evaluated<Real>& e, const std::vector<std::int64_t>& at,
                                         DeviceMemory& memory) {
  const int moments = e.work.moments();
  DeviceArray<double> moment[with_dipole];
  NearWork<double> exact;
  for (int axis = 0; axis < 3; ++axis) {
    exact.source[axis] = e.work.source[axis];
    exact.target[axis] = e.work.target[axis];
  }
  exact.sources = e.sources;
  for (int component = 0; component < moments; ++component) {
    moment[component].use(memory);
    moment[component].resize(e.sources);
    const int exponent = e.exponent - (component == 0 ? 0 : e.unit);
    e.strengths.gather({e.vector, component, exponent}, e.order, moment[component].data(), memory.stream);
    (component == 0 ? exact.strength : exact.dipole[component - 1]) = moment[component].data();
  }
  exact.alike = e.work.alike;
  exact.softening = e.work.softening;
  exact.source_length = e.work.source_length, exact.target_length = e.work.target_length;
  exact.source_order = e.work.source_order;
  exact.target_order = e.work.target_order;
  exact.parameters = e.work.parameters;
  exact.self_from = e.work.self_from;
  std::vector<DirectSum> sums;
  for (std::size_t i = 0; i < at.size(); i += most_blocks) {
    const auto begin = at.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = at.begin() + static_cast<std::ptrdiff_t>(std::min(i + most_blocks, at.size()));
    const std::vector<DirectSum> part = direct_sums(exact, e.work.result.parts(), {begin, end}, e.kernel, memory);
    sums.insert(sums.end(), part.begin(), part.end());
  }
  return sums;
}

namespace {

template <class Real>
struct TakeAt {
  const Real* from;
  const std::int64_t* at;
  Real* to;
  __device__ void operator()(std::int64_t k) const { to[k] = from[at[k]]; }
};

/// Of each part the results at those targets.
template <class Real>
class ResultsAt {
 public:
  ResultsAt(const Evaluated<Real>& e, const std::vector<std::int64_t>& targets, DeviceMemory& memory) {
    DeviceArray<std::int64_t> at(memory);
    DeviceArray<Real> values(memory);
    upload(at, targets.data(), std::ssize(targets), memory.stream);
    values.resize(std::ssize(targets));
    const int parts = e.work.result.parts();
    for (int part = first_part(parts); part < end_part(parts); ++part) {
      for_each_index(std::ssize(targets), TakeAt<Real>{e.work.result.any(part), at.data(), values.data()},
                     memory.stream, "results of a sample");
      own_[part].resize(targets.size());
      download(own_[part].data(), values.data(), values.size(), memory.stream);
    }
    require(cudaStreamSynchronize(memory.stream), "cudaStreamSynchronize");
  }
  Real* part(int which) { return own_[which].data(); }

 private:
  std::vector<Real> own_[most_parts];
};

}  // namespace

template <class Real>
ErrorReport measured_error(const Evaluated<Real>& e, const Delivered& delivered, const Sample& sample,
                           DeviceMemory& memory) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::int64_t> at = check_targets(e.targets, sample.targets, sample.seed);
  const std::vector<DirectSum> sums = exact_sums(e, at, memory);
  ResultsAt<Real> results(e, at, memory);
  Computed<Real> computed{e.targets, {}};
  const int parts = e.work.result.parts();
  for (int part = first_part(parts); part < end_part(parts); ++part) computed.result.part[part] = results.part(part);
  std::vector<std::int64_t> places(at.size());
  std::iota(places.begin(), places.end(), 0);
  ErrorReport report = errors(computed, delivered, places, sums, sample.seed);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

template ErrorReport measured_error(const Evaluated<float>&, const Delivered&, const Sample&, DeviceMemory&);
template ErrorReport measured_error(const Evaluated<double>&, const Delivered&, const Sample&, DeviceMemory&);

}  // namespace farfield::cuda
