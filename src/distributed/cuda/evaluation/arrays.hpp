// DeviceRankArrays: strengths, expansions and results of a rank's three trees on its device, and the pointers that
// stages work with.
#pragma once
#include "backends/cuda/far/translations.hpp"
#include "backends/cuda/near/p2p_work.hpp"
#include "backends/density_arrays.hpp"
#include "distributed/cuda/placed.hpp"
#include "distributed/cuda/stages.hpp"

namespace farfield::distributed {

/// What is summed, beside points and trees.
struct DeviceSumming {
  const Decision& decision;
  Softening softening;
  int moments, densities;
  cudaStream_t stream;
};

template <class Real>
class DeviceRankArrays {
 public:
  explicit DeviceRankArrays(farfield::cuda::DeviceMemory& memory);

  /// For so many vectors that are summed together.
  void resize(const DevicePlaced& placed, const Decision& decision, int densities, std::int64_t stride);
  /// `translations`: of the essential tree.
  void bind(const DevicePlaced& placed, const DeviceSumming& summing,
            const farfield::cuda::Translations<Real>& translations, const farfield::cuda::PairTiles& near);
  /// Of the vectors that are summed together the one that is delivered or judged next.
  void show(int place, int moments, const Decision& decision);
  void clear_results(cudaStream_t stream);
  /// Memory that the next tree may use.
  void release();

  std::int64_t strength_pitch(const DevicePlaced& placed) const;
  /// Room for what sources carry, by component, of so many vectors that are summed together.
  void hold_moments(const DevicePlaced& placed, int moments, int densities);
  /// Of all sources of the essential tree, `first` of them left out.
  std::vector<Real*> moments_at(int place, int moments, const DevicePlaced& placed, std::int64_t first = 0);
  /// At this rank's own targets.
  ResultArrays<Real> own_results(const DevicePlaced& placed) const;
  /// As of one tree with the rank's own targets alone: what the judge reads.
  farfield::cuda::Work<Real> judged(const DevicePlaced& placed) const;

  RankWork<Real> work;
  farfield::cuda::Work<Real> shown;  ///< of the essential tree, with one vector

 private:
  void bind_points(const DevicePlaced& placed);
  void bind_softening(const DevicePlaced& placed, const DeviceSumming& summing);
  void bind_upward(const DevicePlaced& placed);

  DensityArrays<farfield::cuda::DeviceArray<Real>> arrays_;  ///< of the essential tree
  farfield::cuda::DeviceArray<Real> top_multipole_;
};

}  // namespace farfield::distributed
