#include "sums.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace farfield::python {

static std::int64_t product(std::span<const std::int64_t> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{1}, std::multiplies<>());
}

Operand::Operand(std::byte* data, std::span<const std::int64_t> shape, int own, Scalar scalar)
    : data_(data), shape_(shape), own_(static_cast<std::size_t>(own)), scalar_(scalar) {}

std::int64_t Operand::copies() const { return product(lead()); }

std::size_t Operand::bytes() const {
  return static_cast<std::size_t>(product(shape_.last(own_))) * (scalar_ == Scalar::float32 ? 4 : 8);
}

std::byte* Operand::at(std::int64_t place, std::span<const std::int64_t> whole) const {
  std::int64_t index = 0, step = 1;
  for (std::size_t axis = whole.size(); axis-- > 0; place /= whole[axis]) {
    if (lead()[axis] > 1) index += step * (place % whole[axis]);
    step *= lead()[axis];
  }
  return data_ + static_cast<std::size_t>(index) * bytes();
}

namespace {

/// One plan's worth of a request: at one place of vmap's axes, or at all of them as densities.
class Part {
 public:
  Part(const Request& request, std::int64_t place, std::int64_t vectors)
      : request_(request), place_(place), vectors_(vectors), whole_(request.results.front().lead()) {}

  void compute(Plans& plans) const {
    std::optional<PointSet> targets;
    if (request_.targets) targets = points(*request_.targets);
    auto kept = plans.take(request_.options_text, request_.options, points(request_.sources), targets);
    kept->plan.evaluate(strengths(), outputs());
    plans.give_back(std::move(kept));
  }

 private:
  PointSet points(const Operand& operand) const {
    const std::byte* first = operand.at(place_, whole_);
    const std::int64_t dimensions = operand.own(1);
    const std::size_t size = operand.scalar() == Scalar::float32 ? 4 : 8;
    Points view;
    for (std::int64_t axis = 0; axis < dimensions; ++axis) view.axis[axis] = first + axis * size;
    view.count = operand.own(0);
    view.stride = dimensions;
    view.scalar = operand.scalar();
    view.space = request_.space;
    view.stream = request_.stream;
    return {view, {first, operand.bytes()}};
  }

  Strengths strengths() const {
    Strengths view;
    view.count = request_.sources.own(0);
    view.vectors = vectors_;
    view.scalar = request_.sources.scalar();
    view.space = request_.space;
    view.stream = request_.stream;
    if (request_.strengths) view.data = request_.strengths->at(place_, whole_);
    if (request_.dipoles) view.dipoles = request_.dipoles->at(place_, whole_);
    return view;
  }

  Outputs outputs() const {
    Outputs view;
    void** const parts[] = {&view.potential, &view.gradient, &view.hessian};
    for (std::size_t i = 0; i < request_.results.size(); ++i) *parts[i] = request_.results[i].at(place_, whole_);
    view.scalar = request_.sources.scalar();
    view.space = request_.space;
    view.stream = request_.stream;
    return view;
  }

  const Request& request_;
  std::int64_t place_, vectors_;
  std::span<const std::int64_t> whole_;
};

/// The same points everywhere, and everything that they carry laid out as results are.
bool are_densities(const Request& request) {
  const std::int64_t places = request.results.front().copies();
  const auto shared = [](const std::optional<Operand>& points) { return !points || points->copies() == 1; };
  const auto full = [&](const std::optional<Operand>& carried) { return !carried || carried->copies() == places; };
  return shared(request.sources) && shared(request.targets) && full(request.strengths) && full(request.dipoles);
}

}  // namespace

void sum(const Request& request, Plans& plans) {
  const Operand& potential = request.results.front();
  const std::int64_t places = potential.copies(), vectors = potential.own(0);
  if (places > 0 && are_densities(request)) return Part(request, 0, places * vectors).compute(plans);
  for (std::int64_t place = 0; place < places; ++place) Part(request, place, vectors).compute(plans);
}

}  // namespace farfield::python
