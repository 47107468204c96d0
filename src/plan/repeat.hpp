// Repeat: vectors of strengths whose result does not keep the tolerance are evaluated again, with a higher degree or in
// double, over the same tree. What a vector needs follows from that vector alone, so between two moves the bits of its
// result do not depend on the vectors evaluated before it or together with it. A move takes over what the evaluations
// before it needed (judge/needs.hpp).
#pragma once
#include <functional>
#include <memory>

#include "backends/evaluator.hpp"
#include "judge/needs.hpp"

namespace farfield {

/// The evaluators of one plan: the first, decided from the points and from what evaluations before a move needed, and
/// another for vectors that need more.
class Evaluators {
 public:
  using Make = std::function<std::unique_ptr<Evaluator>(const Decision&, int threads)>;
  Evaluators();  ///< of the backends
  explicit Evaluators(Make make) : make_(std::move(make)) {}
  /// The decision for the next build, from what `choose` decided from its points.
  Decision with_needs(const Decision& chosen, const Geometry& geometry) { return needs_.added(chosen, geometry); }
  /// The next build is that of a new plan.
  void forget() { needs_.forget(), anew_ = true; }
  /// The evaluator for the next build: the one that ran last if it can adopt the decision, so that its tables are kept,
  /// else the first one if that can. All others are destroyed.
  Evaluator& first(const Decision& decision, int threads);
  /// Takes moved points into the tree that there is; false: the next build makes another. Where a vector had to be
  /// evaluated again it does, so that the needs of all are met at once.
  bool follow(const Points& sources, const Points* targets, const Images* images, Report& report) {
    return first_ && !other_ && !anew_ && first_->follow(sources, targets, images, report);
  }
  /// Can calls be captured in a graph? Then the tree and what the last evaluation did serve all replays.
  bool can_be_captured() const { return first_ && !other_ && !anew_ && near_pairs_ >= 0; }
  void capture_evaluation(const Strengths& strengths, const Delivery& delivery) {
    Report nothing_known;
    first_->evaluate(strengths, delivery, nothing_known);
  }
  Met met_by_replays() const { return first_ ? first_->met_by_replays() : Met::nothing; }
  /// Threads of the host for the next build or evaluation.
  void use_threads(int threads);
  explicit operator bool() const { return first_ != nullptr; }
  /// Of a tree whose boxes are counted along the targets' shortest side, RootBoxes::m; else 0.
  int boxes_across() const { return first_ && first_->decision().root.at_targets ? first_->decision().root.m : 0; }

  /// Sums every vector to the tolerance, or warns in the report.
  void evaluate(const Strengths& strengths, const Delivery& delivery, Report& report);

 private:
  Evaluator& other(const Decision& decision, Report& report);
  /// Repeats the vector where needed; returns the decision that its result comes from.
  Decision repeat(const Strengths& strengths, std::int64_t vector, const Delivery& delivery, Quality& quality,
                  Report& report);

  Make make_;
  std::unique_ptr<Evaluator> first_, other_;
  Needs needs_;
  bool anew_ = false;             ///< forget() was called: the tree is no part of the next move, either
  std::int64_t near_pairs_ = -1;  ///< of the tree; -1: not yet evaluated
};

}  // namespace farfield
