// Repeat: vectors of strengths whose result does not keep the tolerance are evaluated again, with a higher degree or in
// double, over the same tree. What a vector needs follows from that vector alone, so the bits of its result do not
// depend on the vectors evaluated before it or together with it.
#pragma once
#include <memory>

#include "backends/evaluator.hpp"

namespace farfield {

/// The evaluators of one plan: the first, decided from the points, and another for vectors that need it.
class Evaluators {
 public:
  /// The evaluator for the next build. The first one is kept if it can adopt the decision; the other one is destroyed.
  Evaluator& first(const Decision& decision, int threads);
  /// Threads of the host for the next build or evaluation.
  void use_threads(int threads);
  explicit operator bool() const { return first_ != nullptr; }

  /// Sums every vector to the tolerance, or warns in the report.
  void evaluate(const Strengths& strengths, const Delivery& delivery, Report& report);

 private:
  Evaluator& other(const Decision& decision, Report& report);
  /// Repeats the vector where needed; returns the decision that its result comes from.
  Decision repeat(const Strengths& strengths, std::int64_t vector, const Delivery& delivery, Quality& quality,
                  Report& report);

  std::unique_ptr<Evaluator> first_, other_;
  std::int64_t near_pairs_ = -1;  ///< of the tree; -1: not yet evaluated
};

}  // namespace farfield
