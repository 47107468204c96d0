// Evaluator: the one virtual interface between the public API and the templates behind it, one per kernel, precision
// and backend. src/plan validates all arguments before it calls an evaluator.
#pragma once
#include <farfield/report.hpp>
#include <farfield/views.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "backends/addend.hpp"
#include "backends/met.hpp"
#include "judge/quality.hpp"
#include "model/decision.hpp"
#include "tree/geometry.hpp"

namespace farfield {

struct Images;

/// Which targets are which sources, where Delivery::split does not tell: target t is source s if target[t] == from +
/// source[s], numbers of the points in the order of the sums; null: those of the caller's order. Distributed plans
/// alone use it.
struct Selves {
  std::int64_t from = 0;
  const std::uint32_t *source = nullptr, *target = nullptr;
};

/// Where a backend writes results: those of targets [0, split) of the plan go to outputs.potential and .gradient, those
/// of the others to outputs.source_potential and .source_gradient.
struct Delivery {
  Outputs outputs;
  std::int64_t split = 0;
  double scale = 1;        ///< constant in front of the kernel
  std::int64_t check = 0;  ///< targets whose error is measured (first strength vector); 0: none
  std::uint64_t seed = 0;
  /// Points from one vector to the next in the arrays of targets and of sources, where these are a rank's part of
  /// larger ones; 0: as many as there are. Distributed plans alone use it.
  std::int64_t pitch = 0, source_pitch = 0;
  std::optional<Selves> selves = std::nullopt;  ///< none: target t is source t - split
  const Addend* addend = nullptr;               ///< to the first `split` results
  std::int64_t pitch_or_split() const { return pitch > 0 ? pitch : split; }
  std::int64_t source_pitch_or(std::int64_t sources) const { return source_pitch > 0 ? source_pitch : sources; }
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Uses another decision for the next build, so that memory and tables are kept. false: cannot; make a new evaluator.
  virtual bool adopt(const Decision& /*decision*/) { return false; }
  /// Threads of the host for the next build or evaluation.
  virtual void use_threads(int /*threads*/) {}
  /// Builds tree, lists and tables. `targets` null: the targets are the sources. May be called again (move); reuses
  /// memory.
  virtual void build(const Points& sources, const Points* targets, const Geometry& geometry, Report& report) = 0;
  /// Takes points that are those of the last build, moved by no more than Decision::skin since: they keep their boxes.
  /// false: these must be built anew, and nothing has changed. `images`: what the sources are, null: points as given.
  virtual bool follow(const Points& /*sources*/, const Points* /*targets*/, const Images* /*images*/,
                      Report& /*report*/) {
    return false;
  }
  /// Sums for every vector in `strengths`; returns what is known of the error of each vector's result: nothing where
  /// the call is captured in a graph.
  virtual std::vector<Quality> evaluate(const Strengths& strengths, const Delivery& delivery, Report& report) = 0;
  /// In replays of graphs since the last build.
  virtual Met met_by_replays() const { return Met::nothing; }
  /// The decision of the last build, as the build corrected it.
  virtual const Decision& decision() const = 0;
  /// Another evaluator over the tree of the last build, with the degree, the scheme, the precision and the pair
  /// arithmetic of `decision`.
  virtual std::unique_ptr<Evaluator> again(const Decision& decision, Report& report) = 0;
};

}  // namespace farfield
