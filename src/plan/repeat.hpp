// Repeat: vectors of strengths whose result does not keep the tolerance are evaluated again, with a higher degree or in
// double, over the same tree. What a vector needs follows from that vector alone, so its bits do not depend on what was
// evaluated before it or beside it.
#pragma once
#include <memory>

#include "backends/evaluator.hpp"

namespace farfield {

/// The evaluators of one plan: the one that was chosen from the points, and one more for vectors that need it.
class Evaluators {
 public:
  /// For the next build: the first is kept where it takes the decision, the other is given back.
  Evaluator& first(const Decision& decision, int threads);
  /// Threads of the host for the next build or evaluation.
  void use_threads(int threads);
  explicit operator bool() const { return first_ != nullptr; }

  /// Sums every vector to the tolerance, or warns in the report. `sources`: per vector.
  void evaluate(const Strengths& strengths, const Delivery& delivery, Report& report);

 private:
  Evaluator& other(const Decision& decision, Report& report);
  /// Returns the decision that the vector's result comes from.
  Decision repeat(const Strengths& strengths, std::int64_t vector, const Delivery& delivery, Quality& quality,
                  Report& report);

  std::unique_ptr<Evaluator> first_, other_;
  std::int64_t near_pairs_ = -1;  ///< of the tree; -1: not yet evaluated
};

}  // namespace farfield
