#include "distributed/plans/composed_plan.hpp"

#include <farfield/error.hpp>

#include "distributed/agree.hpp"
#include "distributed/plans/whole_arrays.hpp"
#include "kernels/periodic/cells.hpp"
#include "kernels/traits.hpp"
#include "plan/backends.hpp"
#include "plan/threads.hpp"
#include "plan/validate.hpp"

namespace farfield::distributed {

static void require_offered_composed(const farfield::Options& o) {
  if (!offers_cells(o.kernel))
    refuse(std::string("periodic axes of kernel ") + traits(o.kernel).name + " are not offered");
  if (o.backend == Backend::hybrid) refuse("backend hybrid is not offered");
  if (o.periodic != Axes::none && o.skin > 0) refuse("a skin is not offered with periodic axes");
}

/// The same on all ranks: a device where points of any rank are on one, and none where some rank has none.
Backend ComposedPlan::backend_for(const farfield::Options& o, const Given& given) {
  const auto on_device = [](const Points& p) { return p.space == MemorySpace::device; };
  const bool own = on_device(given.sources) || (given.targets && on_device(*given.targets));
  const Backend backend = resolve_machine(o, ranks_.sum_of(own) > 0).backend;
  return ranks_.sum_of(backend == Backend::cpu) > 0 ? Backend::cpu : backend;
}

void ComposedPlan::check(const farfield::Options& o, const Given& given) {
  require_same(ranks_, o, given);
  validate_periodic(o);
  validate_virial(o, given.targets != nullptr);
  require_offered_composed(o);
  for (const Points* points : {&given.sources, given.targets})
    if (o.periodic != Axes::none && points && points->softening)
      throw Error(ErrorCode::usage, "points that repeat are not softened; leave their softening lengths out");
}

/// Points that are refused leave the plan as it was.
void ComposedPlan::build(const Given& given) {
  ranks_.restart_accounts();
  farfield::Options next = settled(in_cell_ ? *in_cell_ : options_);
  check(next, given);
  next.backend = backend_for(next, given);
  parts_.set_capacity(capacity);
  if (!repeating_ || !repeating_->move(next, given.sources, given.targets))
    repeating_ = make_repeating(next, given.sources, given.targets, parts_);
  if (in_cell_) options_ = *std::exchange(in_cell_, std::nullopt);
  alike_ = !given.targets;
  sources_ = given.sources.count, targets_ = alike_ ? sources_ : given.targets->count;
  report_.plan = repeating_->report();
  report_.ranks.assign(static_cast<std::size_t>(ranks_.size()), {});
  report_.sent = ranks_.sent_to();
}

void ComposedPlan::forget() {
  if (repeating_) repeating_->forget();
}

void ComposedPlan::check(const Strengths& strengths, const Outputs& outputs, Order order) {
  require_same(ranks_, static_cast<std::int64_t>(order), one_order);
  const bool on_device = repeating_->backend() == Backend::cuda;
  if (!on_device && (strengths.space != MemorySpace::host || outputs.space != MemorySpace::host))
    throw Error(ErrorCode::device,
                "strengths or results are in device memory, but this plan runs on the cpu; pass host memory");
  validate(strengths, sources_, options_.dipoles, on_device);
  validate(outputs, settled(options_), alike_);
  require_same(ranks_, strengths.vectors, as_many_vectors);
  require_same(ranks_, static_cast<std::int64_t>(outputs.scalar), one_scalar);
  require_same(ranks_, outputs.virial != nullptr, "some ranks want the virial and others do not; want it on all");
}

void ComposedPlan::evaluate(const Strengths& strengths, const Outputs& outputs, Order order, const WholeArrays& whole) {
  check(strengths, outputs, order);
  ranks_.restart_accounts();
  const auto start = std::chrono::steady_clock::now();
  const InWholeArrays arrays(outputs, strengths.vectors, targets_, sources_, whole);
  repeating_->evaluate(strengths, arrays.outputs());
  arrays.copy();
  report_.plan = repeating_->report();
  RankReport own = parts_.held();
  own.given = sources_ + (alike_ ? 0 : targets_);
  account(ranks_, own, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), report_);
}

std::int64_t ComposedPlan::count(Set set, Order) const { return set == Set::sources ? sources_ : targets_; }

std::vector<Origin> ComposedPlan::origins(Set set) {
  require_same(ranks_, static_cast<std::int64_t>(set), one_set);
  std::vector<Origin> origins;
  for (std::int64_t i = 0; i < count(set, Order::owned); ++i) origins.push_back({ranks_.rank(), i});
  return origins;
}

void ComposedPlan::carry(const Rows& rows, Set set, Order wanted) {
  require_same(ranks_, static_cast<std::int64_t>(set), one_set);
  require_same(ranks_, static_cast<std::int64_t>(wanted), one_order);
  const std::int64_t own = count(set, Order::given);
  carry_rows(ranks_, Carrier(own), own, rows, wanted);
}

}  // namespace farfield::distributed
