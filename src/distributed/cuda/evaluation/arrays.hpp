// DeviceRankArrays: strengths, expansions and results of a rank's three trees on its device, and the pointers that
// stages work with.
#pragma once
#include "backends/cuda/far/translations.hpp"
#include "backends/cuda/near/p2p_work.hpp"
#include "backends/density_arrays.hpp"
#include "distributed/cuda/placed.hpp"
#include "distributed/cuda/stages.hpp"

namespace farfield::distributed {

template <class Real>
class DeviceRankArrays {
 public:
  explicit DeviceRankArrays(farfield::cuda::DeviceMemory& memory);

  /// For so many vectors that are summed together.
  void resize(const DevicePlaced& placed, const Decision& decision, int densities, std::int64_t stride);
  /// `translations`: of the essential tree.
  void bind(const DevicePlaced& placed, const Decision& decision, int densities,
            const farfield::cuda::Translations<Real>& translations, const farfield::cuda::PairTiles& near,
            cudaStream_t stream);
  /// Of the vectors that are summed together the one that is delivered or judged next.
  void show(int place, const Decision& decision);
  void clear_results(cudaStream_t stream);
  /// Memory that the next tree may use.
  void release();

  std::int64_t strength_pitch(const DevicePlaced& placed) const;
  Real* strengths_at(int place, const DevicePlaced& placed) {
    return arrays_.strength[0].data() + place * strength_pitch(placed);
  }
  /// At this rank's own targets.
  ResultArrays<Real> own_results(const DevicePlaced& placed) const;
  /// As of one tree with the rank's own targets alone: what the judge reads.
  farfield::cuda::Work<Real> judged(const DevicePlaced& placed) const;

  RankWork<Real> work;
  farfield::cuda::Work<Real> shown;  ///< of the essential tree, with one vector

 private:
  void bind_points(const DevicePlaced& placed);
  void bind_upward(const DevicePlaced& placed);

  DensityArrays<farfield::cuda::DeviceArray<Real>> arrays_;  ///< of the essential tree
  farfield::cuda::DeviceArray<Real> top_multipole_;
};

}  // namespace farfield::distributed
