#include "backends/cpu/exponentials/transform.hpp"

#include <algorithm>
#include <cmath>

#include "backends/cpu/boxes/sort.hpp"
#include "backends/cpu/tuning.hpp"
#include "core/chunks.hpp"

namespace farfield::cpu {

static constexpr std::int64_t longest_stretch = 256;  ///< points: of 1e5 there are 49 groups of eight stretches

/// Groups of stretches, and points in a stretch.
struct StretchShape {
  std::int64_t groups, steps;
  explicit StretchShape(std::int64_t events) {
    constexpr std::int64_t together = SweepWork::together;
    groups = std::max<std::int64_t>(1, chunk_count(events, together * longest_stretch));
    steps = std::max<std::int64_t>(1, chunk_count(events, together * groups));
  }
  std::int64_t slots() const { return groups * steps * SweepWork::together; }
};

template <class Real>
LineTransform<Real>::LineTransform(HostMemory& memory) {
  use_all(memory, at_, strength_, head_[0], head_[1], sum_[0], sum_[1], order_);
}

template <class Real>
std::int64_t LineTransform<Real>::bytes(std::int64_t events, bool gradient) {
  const StretchShape shape(events);
  const std::int64_t stretches = shape.groups * SweepWork::together;
  const std::int64_t kept = shape.slots() * (4 + 8 * (gradient ? 4 : 3)) + stretches * 32 * exponentials::most_terms;
  return kept + events * 16;  // items and the sort's second buffer
}

/// Events by coordinate; those of one key, of 30 bits of the extent, by comparison. Events of one place stay in the
/// order of their indices.
template <class At>
static void sort_events(Array<Item>& items, std::int64_t events, const At& at, int threads) {
  double low = INFINITY, high = -INFINITY;
  for (std::int64_t e = 0; e < events; ++e) low = std::min(low, at(e)), high = std::max(high, at(e));
  const double most = 0x1p30 - 1, scale = high - low > 0x1p-1000 ? most / (high - low) : 0;
  Array<Item> scratch;
  items.resize(events), scratch.resize(events);
  for_each_index(events, tuning::points_per_chunk, threads, [&](std::int64_t e) {
    const auto key = static_cast<std::uint32_t>(std::min(most, (at(e) - low) * scale));
    items[e] = make_item(key, static_cast<std::uint32_t>(e));
  });
  sort_items(items.data(), scratch.data(), events, threads);
  for (std::int64_t begin = 0, end = 0; begin < events; begin = end) {
    for (end = begin + 1; end < events && key_of(items[end]) == key_of(items[begin]);) ++end;
    if (end - begin == 1) continue;
    std::sort(items.data() + begin, items.data() + end, [&](Item a, Item b) {
      const double x = at(index_of(a)), y = at(index_of(b));
      return x < y || (x == y && a < b);
    });
  }
}

template <class Real>
void LineTransform<Real>::lay_out(std::int64_t events, double tolerance, bool gradient) {
  const StretchShape shape(events);
  work_.sum = exponentials::make_sum(tolerance, gradient);
  work_.groups = shape.groups, work_.steps = shape.steps;
  for (Array<double>* array : {&at_, &strength_, &sum_[0]}) array->resize(shape.slots());
  sum_[1].resize(gradient ? shape.slots() : 0);
  for (Array<double>& head : head_) head.resize(shape.groups * SweepWork::together * 2 * work_.sum.terms);
  order_.resize(shape.slots());
}

/// visit(slot, event); events beyond the last one are slots to be filled.
template <class Real>
template <class Visit>
void LineTransform<Real>::for_slots(const Visit& visit) const {
  constexpr std::int64_t together = SweepWork::together;
  for_each_index(work_.groups * together, 1, work_.threads, [&](std::int64_t stretch) {
    for (std::int64_t i = 0; i < work_.steps; ++i)
      visit((stretch / together * work_.steps + i) * together + stretch % together, stretch * work_.steps + i);
  });
}

template <class Real>
void LineTransform<Real>::build(const PointsOnLine& sources, const PointsOnLine* targets, int axis, double bandwidth,
                                double tolerance, bool gradient, int threads) {
  sources_ = sources.count, alike_ = targets == nullptr, axis_ = axis;
  events_ = sources.count + (targets ? targets->count : 0);
  require_indices(events_);
  const auto at = [&](std::int64_t e) { return e < sources.count ? sources.at[e] : targets->at[e - sources.count]; };
  Array<Item> items;
  sort_events(items, events_, at, threads);
  lay_out(events_, tolerance, gradient);
  work_.threads = threads, work_.per_bandwidth = 1 / bandwidth;
  for_slots([&](std::int64_t slot, std::int64_t event) {
    const std::uint32_t index = index_of(items[std::min(event, events_ - 1)]);
    at_[slot] = at(index);
    order_[slot] = event < events_ ? index : static_cast<std::uint32_t>(events_);
  });
}

template <class Real>
const SweepWork& LineTransform<Real>::bind(const Real* strength) {
  for_slots([&](std::int64_t slot, std::int64_t) {
    const std::uint32_t index = order_[slot];
    strength_[slot] = index < sources_ ? static_cast<double>(strength[index]) : 0;
  });
  work_.at = at_.data(), work_.strength = strength_.data();
  work_.potential = sum_[0].data(), work_.derivative = sum_[1].empty() ? nullptr : sum_[1].data();
  for (int side = 0; side < 2; ++side) work_.head[side] = head_[side].data();
  return work_;
}

template <class Real>
void LineTransform<Real>::deliver(const ResultArrays<Real>& result) const {
  for_slots([&](std::int64_t slot, std::int64_t) {
    const std::int64_t index = order_[slot], first = alike_ ? 0 : sources_;
    if (index < first || index >= events_) return;
    result[0][index - first] = static_cast<Real>(sum_[0][slot]);
    if (!work_.derivative) return;
    for (int axis = 0; axis < 3; ++axis)
      result[1 + axis][index - first] =
          axis == axis_ ? static_cast<Real>(sum_[1][slot] * work_.per_bandwidth) : Real(0);
  });
}

template class LineTransform<float>;
template class LineTransform<double>;

}  // namespace farfield::cpu
