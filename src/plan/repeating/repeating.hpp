// Repeating: a plan that is made of another one: of points that repeat, of a plan of points that do not, and the far
// images; of points with their virial, of a plan that gives their gradient.
#pragma once
#include <array>
#include <farfield/plan.hpp>
#include <memory>

#include "plan/repeating/point_parts.hpp"

namespace farfield {

class Repeating {
 public:
  virtual ~Repeating() = default;
  /// Sets other points, and the cell of these options, which are those before but for it; keeps what does not depend on
  /// them. false: cannot, make another. If it throws, points and cell are those before.
  virtual bool move(const Options& /*options*/, const Points& /*sources*/, const Points* /*targets*/) { return false; }
  /// The next move gives the bits of a new plan: it keeps nothing that follows from what was evaluated.
  virtual void forget() {}
  virtual void evaluate(const Strengths& strengths, const Outputs& outputs) = 0;
  /// The same in a graph that is being captured. false: cannot.
  virtual bool capture_move(const Points& /*sources*/, const Points* /*targets*/) { return false; }
  virtual bool capture_evaluation(const Strengths& /*strengths*/, const Outputs& /*outputs*/) { return false; }
  /// Throws Error(input) where replays of such graphs met something.
  virtual void check_replays() const {}
  virtual const Report& report() const = 0;
  /// Where strengths and results may lie: on a device these may be in its memory.
  virtual Backend backend() const { return Backend::cpu; }
};

/// Throws Error(usage) for axes and cells that the kernel does not offer.
void validate_periodic(const Options& options);
/// The options with another cell, row by row; throws Error(usage) where it is none, or no axis is periodic.
Options with_cell(Options options, const std::array<double, 9>& vectors);
/// Of such a plan at most, before its points are known: what it makes of the sources, and bytes beside the near plan's.
struct RepeatedBound {
  std::int64_t sources, bytes;
};
RepeatedBound bound_of_repeating(const Options& options, std::int64_t sources, std::int64_t targets);
/// Throws Error(usage) where there is no virial.
void validate_virial(const Options& options, bool targets_apart);
/// `parts`: others that hold points of the same sum, where the kernel offers cells; they outlive the plan.
std::unique_ptr<Repeating> make_repeating(const Options& options, const Points& sources, const Points* targets,
                                          const PointParts& parts = no_others);

}  // namespace farfield
