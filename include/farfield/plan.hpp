// Plan: set the points once, evaluate for as many strength vectors as wanted, move the points.
#pragma once
#include <farfield/export.h>

#include <array>
#include <cstdint>
#include <farfield/options.hpp>
#include <farfield/report.hpp>
#include <farfield/views.hpp>
#include <memory>
#include <span>
#include <vector>

namespace farfield {

/// What a one-shot function or the owning form of Plan::evaluate gives back. Arrays are in the order of the
/// caller's points; potential has (vectors, targets) elements, gradient (vectors, targets, 3), hessian (vectors,
/// targets, 6) as xx yy zz xy xz yz. What `gradient` holds of kernels vortex and cauchy: see Outputs.
template <Real T>
struct Result {
  std::vector<T> potential, gradient;                // at the targets
  std::vector<T> source_potential, source_gradient;  // at the sources, with Options::at_sources
  Report report;
  std::vector<T> hessian = {}, source_hessian = {};  // with Options::hessian
  std::vector<double> virial = {};                   // (vectors, 6) as xx yy zz xy xz yz, with Options::virial
};

/// Everything that does not depend on strengths: tree, lists, translation tables.
/// Distinct plans may run at the same time; one plan is used from one thread at a time.
/// After a fork the child process may use plans on the CPU. If OpenMP's threads were started in the parent, the child's
/// plans run on one thread, with a line in Report::warnings and the same bits. Plans on a device throw Error(device) in
/// the child.
/// Throws Error: usage (options, unreachable tolerance), input (NaN with the index of its point, null pointers), device
/// (backend missing), memory.
class FARFIELD_API Plan {
 public:
  /// Targets are the sources themselves.
  explicit Plan(const Points& sources, const Options& options = {});
  /// Targets are a set of their own; with options.at_sources, results at the sources as well.
  Plan(const Points& sources, const Points& targets, const Options& options = {});
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
  ~Plan();

  /// Sums for every strength vector; fills the arrays that `outputs` points to.
  const Report& evaluate(const Strengths& strengths, const Outputs& outputs);

  /// The same with results that own their memory.
  template <Real T>
  Result<T> evaluate(std::span<const T> strengths);
  template <Real T>
  Result<T> evaluate(const std::vector<T>& strengths) {
    return evaluate(std::span<const T>(strengths));
  }
  /// The same for a view, as of sources with dipoles: plan.evaluate<double>(with_dipoles(strengths(q), p)).
  template <Real T>
  Result<T> evaluate(const Strengths& strengths);

  /// Sets new positions with the same options, for the next time step. The counts may change, and the targets may
  /// become the sources or a set of their own. If points or options are refused the plan stays as it was. After a later
  /// failure (memory, as a rule) the plan has no points: its counts are 0, and evaluate throws Error(usage) until a
  /// move succeeds. An array is kept if it is at most twice as large as needed, and the translation tables if the
  /// degree stays the same. To about as many points a move also takes over what the evaluations before it needed to
  /// keep the tolerance beyond what the points tell (a higher degree, double, ...: "kept" among Report::choices), so
  /// that a time step neither evaluates twice nor makes tables anew. Results then follow from the options and from all
  /// points and strengths since the plan was made: the same sequence gives the same bits, and where nothing was needed
  /// those of a new plan.
  void move(const Points& sources);
  void move(const Points& sources, const Points& targets);
  /// Another periodic cell with the same axes, for barostats: from the next move on the points repeat along the vectors
  /// a, b, c, row by row, zeros for axes that do not repeat. Blocks of the cell are kept where they suit, expansions
  /// for the far images are made anew (milliseconds), near images are moved. Throws Error(usage) for plans without
  /// periodic axes and for what is no cell; the plan then stays as it was. If the move is refused the cell still waits.
  void set_cell(const std::array<double, 9>& vectors);
  /// Lets go of what evaluations needed: the next move decides as a new plan does, and its results have the same bits.
  void forget();
  /// Throws Error(input) where replays of graphs that captured its calls met what they cannot sum (docs/graphs.md).
  void check_replays() const;

  /// Of the last build and evaluation; valid until the next call on this plan.
  const Report& report() const;
  std::int64_t source_count() const;
  std::int64_t target_count() const;

  /// Upper bound in bytes of what a plan for these counts and options allocates, without running it; softening lengths
  /// of points are 16 bytes more for each. A plan that was moved to these counts holds up to twice as much; during the
  /// move it holds, in addition, up to twice what it held before.
  static std::int64_t memory_bound(std::int64_t sources, std::int64_t targets, const Options& options = {});

 private:
  struct State;
  friend struct PlanOfImages;  // the library's own
  explicit Plan(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// One-shot: Plan(sources, options).evaluate(strengths).
template <Real T>
FARFIELD_API Result<T> evaluate(const Points& sources, std::span<const T> strengths, const Options& options = {});
template <Real T>
FARFIELD_API Result<T> evaluate(const Points& sources, std::span<const T> strengths, const Points& targets,
                                const Options& options = {});
/// The same for a view, whose dipoles need no Options::dipoles here.
template <Real T>
FARFIELD_API Result<T> evaluate(const Points& sources, const Strengths& strengths, const Options& options = {});
template <Real T>
FARFIELD_API Result<T> evaluate(const Points& sources, const Strengths& strengths, const Points& targets,
                                const Options& options = {});

/// The exact O(N M) sum in the precision of the outputs, from differences of the caller's own coordinates. Uses
/// options.kernel, scale, softening, gradient, hessian, threads and simd; nothing is approximated. `targets` that are
/// the very view of the sources (same pointers, count and stride) are the sources themselves: see Options::softening.
/// Dipoles need no Options::dipoles.
FARFIELD_API void direct_sum(const Points& sources, const Strengths& strengths, const Points& targets,
                             const Outputs& outputs, const Options& options = {});
template <Real T>
FARFIELD_API Result<T> direct_sum(const Points& sources, std::span<const T> strengths, const Points& targets,
                                  const Options& options = {});
template <Real T>
FARFIELD_API Result<T> direct_sum(const Points& sources, const Strengths& strengths, const Points& targets,
                                  const Options& options = {});

}  // namespace farfield
