#include "backends/cpu/hermite/transform.hpp"

#include <algorithm>
#include <cmath>

#include "expansions/hermite/translations.hpp"

namespace farfield::cpu {

template <class Real>
HermiteTransform<Real>::HermiteTransform(HostMemory& memory) {
  for (BoxedPoints* points : {&source_, &target_}) {
    use_all(memory, points->key, points->begin, points->order);
    for (Array<double>& axis : points->coordinate) axis.use(memory);
  }
  for (Array<double>& part : sum_) part.use(memory);
  use_all(memory, strength_, multipole_, matrix_, room_, series_of_);
}

static HermiteBoxes view(const BoxedPoints& p) {
  return {p.boxes(),
          p.key.data(),
          p.begin.data(),
          p.order.data(),
          {p.coordinate[0].data(), p.coordinate[1].data(), p.coordinate[2].data()}};
}

template <class Real>
void HermiteTransform<Real>::choose_series() {
  work_.many = hermite::points_for_series(grid_.shape);
  work_.series = 0;
  series_of_.resize(source_.boxes());
  for (std::int64_t box = 0; box < source_.boxes(); ++box) {
    const bool has = grid_.shape.p > 0 && source_.begin[box + 1] - source_.begin[box] >= work_.many;
    series_of_[box] = has ? work_.series++ : -1;
  }
}

template <class Real>
void HermiteTransform<Real>::build(const PointsOfAxes& sources, const PointsOfAxes& targets, double bandwidth,
                                   double tolerance, bool gradient, int threads) {
  grid_ = hermite_grid(sources, targets, bandwidth, tolerance, gradient);
  sort_into_boxes(grid_, sources, source_);
  sort_into_boxes(grid_, targets, target_);
  choose_series();
  const int p = grid_.shape.p;
  const std::int64_t offsets = 2 * std::int64_t(grid_.reach) + 1;
  const bool translates = work_.series > 0;
  matrix_.resize(translates ? offsets * p * p : 0);
  for (std::int64_t i = 0; translates && i < offsets; ++i) {
    const std::vector<double> one =
        hermite::to_taylor(p, static_cast<double>(i - grid_.reach) * grid_.side / grid_.length);
    std::copy(one.begin(), one.end(), matrix_.begin() + i * p * p);
  }
  strength_.resize(sources.count + 16);
  multipole_.resize(work_.series * grid_.shape.count());
  for (int part = 0; part < parts_with(gradient); ++part) sum_[part].resize(targets.count);
  room_.resize(3 * grid_.shape.count() * threads);
  work_.threads = threads;
}

template <class Real>
const HermiteWork<Real>& HermiteTransform<Real>::bind(const Real* strength, const ResultArrays<Real>& result) {
  const std::int64_t sources = source_.order.size();
  for (std::int64_t i = 0; i < sources; ++i) strength_[i] = static_cast<double>(strength[source_.order[i]]);
  std::fill_n(strength_.begin() + sources, 16, 0.0);
  work_.grid = &grid_;
  work_.source = view(source_), work_.target = view(target_);
  work_.strength = strength_.data(), work_.series_of = series_of_.data();
  work_.multipole = multipole_.data(), work_.matrix = matrix_.data(), work_.room = room_.data();
  for (int part = 0; part < with_gradient; ++part) work_.sum[part] = sum_[part].data();
  work_.result = result;
  return work_;
}

template class HermiteTransform<float>;
template class HermiteTransform<double>;

}  // namespace farfield::cpu
