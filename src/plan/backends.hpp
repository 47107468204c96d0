// Backends: which of them serves a plan. The one place of the plan layer that knows which were built.
#pragma once
#include <farfield/views.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backends/evaluator.hpp"
#include "model/choose.hpp"

namespace farfield {

/// What the options ask for on this machine; points in device memory need cuda. Where the options leave it open and
/// both could serve, `backend` stays automatic and `decide` settles it. Throws Error(device) in one sentence when a
/// backend is asked for that is not there.
Machine resolve_machine(const Options& options, bool points_on_device);

/// Geometry of points in the memory of the machine's backend. `kept` is what the backend keeps from one survey to the
/// next.
Geometry survey(const Machine& machine, const Points& sources, const Points* targets, int threads,
                std::shared_ptr<void>& kept);

/// `choose` for the machine; of two backends that could serve, the one whose expected time is less.
Decision decide(const Options& options, const Geometry& geometry, const Machine& machine);

/// `a` followed by `b` in the memory of the decision's backend; `owner` keeps them.
struct Joined {
  Points points;
  std::shared_ptr<void> owner;
};
Joined join(const Machine& machine, const Points& a, const Points& b);

std::unique_ptr<Evaluator> make_evaluator(const Decision& decision, int threads);
std::int64_t memory_bound(const Decision& decision, std::int64_t sources, std::int64_t targets, bool alike);

}  // namespace farfield
