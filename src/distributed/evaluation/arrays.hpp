// RankArrays: strengths, expansions and results of a rank's three trees, and the pointers that stages work with.
#pragma once
#include "backends/cpu/far/table_cache.hpp"
#include "backends/cpu/stages.hpp"
#include "backends/density_arrays.hpp"
#include "distributed/share/share.hpp"

namespace farfield::distributed {

template <class Real>
class RankArrays {
 public:
  /// For so many vectors that are summed together. Every rank has arrays: that results are computed shows in them.
  void resize(const Share& share, const Decision& decision, int densities, std::int64_t stride);
  /// `tables`: null where nothing is expanded.
  void bind(const Share& share, const Decision& decision, int densities, int threads, const cpu::Tables<Real>* tables);
  /// Of the vectors that are summed together the one that is delivered or judged next.
  void show(int place, const Decision& decision);
  void clear_results();

  /// Of one vector: as many as sources of the essential tree, with what vectors of numbers reach beyond them.
  static std::int64_t strength_pitch(const Share& share);
  Real* strengths_at(int place, const Share& share) {
    return arrays_.strength[0].data() + place * strength_pitch(share);
  }
  /// At this rank's own targets.
  ResultArrays<Real> own_results(const Share& share) const;

  cpu::Work<Real> own, top, work;  ///< work: of the essential tree

 private:
  void bind_tree(cpu::Work<Real>& of, const Tree<Array>& tree, Array<Real>& multipole) const;
  void bind_points(const Essential& essential);

  DensityArrays<Array<Real>> arrays_;  ///< of the essential tree
  Array<Real> own_multipole_, top_multipole_;
};

}  // namespace farfield::distributed
