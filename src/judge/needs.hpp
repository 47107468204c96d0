// Needs: what vectors of strengths needed beyond what was decided from the points, to be kept over a move: in a time
// step strengths are the same and points nearly so, and evaluating twice, with tables made anew, would take most of the
// step. Every evaluation is judged all the same: what is kept may be too little or too much, never wrong.
#pragma once
#include <optional>

#include "model/decision.hpp"
#include "tree/geometry.hpp"

namespace farfield {

/// Of the vectors of one evaluation.
class NeedsOfVectors {
 public:
  explicit NeedsOfVectors(const Decision& first) : first_(first) {}
  /// Of one vector: what its result comes from, and the estimate of its error of truncation.
  void note(const Decision& ran, double truncation);
  /// All that those needed which needed more than the first decision, if these are at least half; else evaluating them
  /// again costs less.
  std::optional<Decision> more() const;
  /// The degree that may do for all: that of the first decision, or one less where the estimate leaves room for it.
  int least_degree() const;

 private:
  Decision first_;
  std::optional<Decision> more_;
  int vectors_ = 0, repeated_ = 0;
  double truncation_ = 0;
};

/// Of a plan over its moves. Reads no clock: follows from the plan's points and strengths alone.
class Needs {
 public:
  /// A decision from new points with what evaluations of those before needed, if there are about as many. Needs of
  /// others are forgotten.
  Decision added(const Decision& chosen, const Geometry& geometry);
  void take(const NeedsOfVectors& vectors);
  void forget() { needed_.reset(); }
  explicit operator bool() const { return needed_.has_value(); }

 private:
  struct Counts {
    bool alike = true;
    std::int64_t sources = 0, targets = 0;
  };
  static bool are_like(const Counts& one, const Counts& other);

  std::optional<Decision> needed_;
  Counts counts_;            ///< of the points of the last build
  Decision chosen_;          ///< from these
  int degree_of_these_ = 0;  ///< that their evaluations asked for; 0: there was none
};

}  // namespace farfield
