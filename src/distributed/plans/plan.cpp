// distributed::Plan: the public face; what it does is in open_plan.cpp and composed_plan.cpp.
#include <farfield/distributed.hpp>

#include "distributed/plans/composed_plan.hpp"
#include "distributed/plans/open_plan.hpp"

namespace farfield::distributed {

struct Plan::State {
  Ranks ranks;
  std::unique_ptr<RankPlan> plan;

  State(Communicator& communicator, const farfield::Options& options) : ranks(communicator) {
    if (options.periodic == Axes::none && !options.virial)
      plan = std::make_unique<OpenPlan>(ranks, options);
    else
      plan = std::make_unique<ComposedPlan>(ranks, options);
  }
  void build(const Points& sources, const Points* targets, Order order) {
    ranks.together([&] { plan->build({sources, targets, order, false, {}}); });
  }
  const Report& evaluate(const Strengths& strengths, const Outputs& outputs, Order order, const WholeArrays& whole) {
    ranks.together([&] { plan->evaluate(strengths, outputs, order, whole); });
    return plan->report();
  }
  void carry(const Rows& rows, Set set, Order wanted) {
    ranks.together([&] { plan->carry(rows, set, wanted); });
  }
};

Plan::Plan(Communicator& communicator, const Points& points, const farfield::Options& options, const Capacity& capacity)
    : state_(std::make_unique<State>(communicator, options)) {
  set_capacity(capacity);
  move(points);
}
Plan::Plan(Communicator& communicator, const Points& sources, const Points& targets, const farfield::Options& options,
           const Capacity& capacity)
    : state_(std::make_unique<State>(communicator, options)) {
  set_capacity(capacity);
  move(sources, targets);
}
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

void Plan::move(const Points& points, Order order) { state_->build(points, nullptr, order); }
void Plan::move(const Points& sources, const Points& targets, Order order) { state_->build(sources, &targets, order); }
void Plan::set_capacity(const Capacity& capacity) { state_->plan->capacity = capacity; }
void Plan::set_cell(const std::array<double, 9>& vectors) {
  state_->ranks.together([&] { state_->plan->set_cell(vectors); });
}
void Plan::forget() { state_->plan->forget(); }

const Report& Plan::evaluate(const Strengths& strengths, const Outputs& outputs, Order order) {
  return state_->evaluate(strengths, outputs, order, {});
}
const Report& Plan::evaluate_part(const Strengths& strengths, const Outputs& outputs, std::int64_t targets,
                                  std::int64_t sources) {
  return state_->evaluate(strengths, outputs, Order::given, {targets, sources});
}

std::vector<Origin> Plan::origins(Set set) {
  std::vector<Origin> origins;
  state_->ranks.together([&] { origins = state_->plan->origins(set); });
  return origins;
}
void Plan::to_owned(std::span<const std::byte> given, std::span<std::byte> owned, std::size_t row, Set set) {
  state_->carry({given, owned, row}, set, Order::owned);
}
void Plan::to_given(std::span<const std::byte> owned, std::span<std::byte> given, std::size_t row, Set set) {
  state_->carry({owned, given, row}, set, Order::given);
}

const Report& Plan::report() const { return state_->plan->report(); }
std::int64_t Plan::source_count() const { return state_->plan->count(Set::sources, Order::given); }
std::int64_t Plan::target_count() const { return state_->plan->count(Set::targets, Order::given); }
std::int64_t Plan::owned_count(Set set) const { return state_->plan->count(set, Order::owned); }

}  // namespace farfield::distributed
