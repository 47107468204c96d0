// Backends: chooses the backend of a plan. The one place of the plan layer that knows which backends were built.
#pragma once
#include <farfield/views.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "backends/box_points.hpp"
#include "backends/evaluator.hpp"
#include "backends/molecule_sums.hpp"
#include "backends/other_points.hpp"
#include "backends/virial_sum.hpp"
#include "model/choose.hpp"

namespace farfield {

/// The machine that the options ask for; points in device memory need backend cuda. Where the options leave the backend
/// open and both are possible, `backend` stays automatic and `decide` chooses. Throws Error(device) when the backend
/// asked for is missing.
Machine resolve_machine(const Options& options, bool points_on_device);

/// Was this process forked from one that had used devices? It can use neither them nor plans built on them.
bool devices_lost_by_fork();

/// Geometry of the points, computed by the machine's backend. `kept`: what the backend keeps from one survey to the
/// next.
Geometry survey(const Machine& machine, const Points& sources, const Points* targets, int threads,
                std::shared_ptr<void>& kept);

/// Fills in Geometry::crowding where the choice depends on it: sums by expansions of which a softening or core changes
/// near pairs, and kernels that fall off where few pairs may be near enough to count. `kept`: as in `survey`.
void survey_crowding(const Machine& machine, const Options& options, const Points& sources, const Points* targets,
                     Geometry& geometry, std::shared_ptr<void>& kept);
/// The same where it is only known how to draw at most so many points, scaled and interleaved, of the sources (0) or of
/// the targets apart from them (1).
using DrawPoints = std::function<std::vector<double>(int set, std::int64_t most)>;
void survey_crowding(const Machine& machine, const Options& options, const DrawPoints& draw, Geometry& geometry);

/// `choose` for the machine; of two possible backends, the one whose expected time is less.
Decision decide(const Options& options, const Geometry& geometry, const Machine& machine);

/// `a` followed by `b` in the memory of the machine's backend; `owner` keeps that memory.
struct Joined {
  Points points;
  std::shared_ptr<void> owner;
};
Joined join(const Machine& machine, const Points& a, const Points& b);

/// Is a CUDA graph being captured from the stream of the view's memory?
bool is_captured(MemorySpace space, void* stream);

/// On the current device. `others` outlives what is made.
std::unique_ptr<BoxPoints> make_device_box_points(const OtherPoints& others);
std::unique_ptr<VirialSum> make_device_virial_sum(const Points& points, const OtherPoints& others);
std::unique_ptr<MoleculeSums> make_device_molecules();

std::unique_ptr<Evaluator> make_evaluator(const Decision& decision, int threads);
std::int64_t memory_bound(const Decision& decision, std::int64_t sources, std::int64_t targets, bool alike);

}  // namespace farfield
