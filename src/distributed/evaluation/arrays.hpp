// RankArrays: strengths, expansions and results of a rank's three trees, and the pointers that stages work with.
#pragma once
#include "backends/cpu/far/table_cache.hpp"
#include "backends/cpu/stages.hpp"
#include "backends/density_arrays.hpp"
#include "distributed/evaluation/lengths.hpp"
#include "model/decision.hpp"

namespace farfield::distributed {

/// What is summed, beside the points: of the evaluator.
template <class Real>
struct Summing {
  const Decision& decision;
  Softening softening;
  int moments = 1, densities = 1, threads = 1;
  const cpu::Tables<Real>* tables = nullptr;  ///< null where nothing is expanded
};

template <class Real>
class RankArrays {
 public:
  /// For so many vectors that are summed together. Every rank has arrays: that results are computed shows in them.
  void resize(const Share& share, const Decision& decision, int densities, std::int64_t stride);
  void bind(const Share& share, const Lengths& lengths, const Summing<Real>& summing);
  /// Of the vectors that are summed together the one that is delivered or judged next.
  void show(int place, int moments, const Decision& decision);
  void clear_results();

  /// Of one vector: as many as sources of the essential tree, with what vectors of numbers reach beyond them.
  static std::int64_t strength_pitch(const Share& share);
  /// Where the moments of a vector go, an array for each; of so many vectors that are summed together.
  std::vector<Real*> moments_at(int place, int moments, int densities, const Share& share);
  /// At this rank's own targets.
  ResultArrays<Real> own_results(const Share& share) const;

  cpu::Work<Real> own, top, work;  ///< work: of the essential tree

 private:
  void bind_tree(cpu::Work<Real>& of, const Tree<Array>& tree, Array<Real>& multipole) const;
  void bind_points(const Essential& essential);
  void bind_softening(const Share& share, const Lengths& lengths, const Summing<Real>& summing);

  DensityArrays<Array<Real>> arrays_;  ///< of the essential tree
  Array<Real> own_multipole_, top_multipole_;
};

}  // namespace farfield::distributed
