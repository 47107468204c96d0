#include "plans.hpp"

#include <algorithm>

namespace farfield::python {

namespace {

constexpr std::size_t most = 4;

bool same(const std::vector<std::byte>& kept, const PointSet& given) { return std::ranges::equal(kept, given.bytes); }

/// Copies of host memory: who changes points in place later gets another plan. Of device memory there is none.
std::vector<std::byte> copied(const PointSet& points) {
  if (points.view.space == MemorySpace::device) return {};
  return {points.bytes.begin(), points.bytes.end()};
}

std::unique_ptr<Plans::Kept> planned(const std::string& text, const Options& options, const PointSet& sources,
                                     const std::optional<PointSet>& targets) {
  return std::make_unique<Plans::Kept>(
      Plans::Kept{text, copied(sources), targets ? copied(*targets) : std::vector<std::byte>(), targets.has_value(),
                  targets ? Plan(sources.view, targets->view, options) : Plan(sources.view, options)});
}

/// Results of a function follow from its arguments, not from calls before.
void move(Plan& plan, const PointSet& sources, const std::optional<PointSet>& targets) {
  plan.forget();
  targets ? plan.move(sources.view, targets->view) : plan.move(sources.view);
}

}  // namespace

std::unique_ptr<Plans::Kept> Plans::take(const std::string& text, const Options& options, const PointSet& sources,
                                         const std::optional<PointSet>& targets) {
  const bool on_device = sources.view.space == MemorySpace::device;
  const auto fits = [&](const std::unique_ptr<Kept>& kept) {
    if (kept->options != text || kept->own_targets != targets.has_value()) return false;
    return on_device || (same(kept->sources, sources) && (!targets || same(kept->targets, *targets)));
  };
  std::unique_ptr<Kept> found;
  {
    const std::scoped_lock hold(lock_);
    const auto place = std::ranges::find_if(kept_, fits);
    if (place != kept_.end()) {
      found = std::move(*place);
      kept_.erase(place);
    }
  }
  if (!found) return planned(text, options, sources, targets);
  if (on_device) move(found->plan, sources, targets);
  return found;
}

void Plans::give_back(std::unique_ptr<Kept> kept) {
  std::unique_ptr<Kept> oldest;  // ends after the lock does
  const std::scoped_lock hold(lock_);
  kept_.push_front(std::move(kept));
  if (kept_.size() <= most) return;
  oldest = std::move(kept_.back());
  kept_.pop_back();
}

void Plans::clear() {
  std::list<std::unique_ptr<Kept>> all;
  const std::scoped_lock hold(lock_);
  all.swap(kept_);
}

}  // namespace farfield::python
