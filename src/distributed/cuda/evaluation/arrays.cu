#include <algorithm>

#include "backends/cuda/boxes/bind.hpp"
#include "backends/cuda/careful.hpp"
#include "backends/cuda/far/fixed_degree.hpp"
#include "distributed/cuda/evaluation/arrays.hpp"

namespace farfield::distributed {

using farfield::cuda::padded;

template <class Real>
DeviceRankArrays<Real>::DeviceRankArrays(farfield::cuda::DeviceMemory& memory) {
  use_all(memory, arrays_, top_multipole_);
}

/// Families of several ranks stage as many places of ghosts without points as these have sources, from the first on.
template <class Real>
std::int64_t DeviceRankArrays<Real>::strength_pitch(const DevicePlaced& placed) const {
  const farfield::cuda::SortedPoints& sources = placed.on_device->essential.sources;
  return padded(std::max(sources.count, sources.axis[0].size()));
}

/// Multipoles of the rank's own tree are done with when they have been joined into those of the essential tree, before
/// the first local is written: they lie in the memory of the locals, of which there are as many and more.
template <class Real>
void DeviceRankArrays<Real>::resize(const DevicePlaced& placed, const Decision& decision, int densities,
                                    std::int64_t stride) {
  const DeviceShare& share = *placed.on_device;
  const std::int64_t results = padded(std::max<std::int64_t>(1, share.essential.target_points().count));
  arrays_.resize_results(decision.parts(), densities * results);
  arrays_.multipole.resize(densities * share.essential.tree.boxes * stride);
  arrays_.local.resize(densities * std::max(share.essential.tree.boxes, share.own.tree.boxes) * stride);
  top_multipole_.resize(densities * share.top_tree.tree.boxes * stride);
}

template <class Real>
void DeviceRankArrays<Real>::release() {
  for (auto* arrays : {&arrays_.strength[0], &arrays_.strength[1], &arrays_.strength[2], &arrays_.strength[3],
                       &arrays_.multipole, &arrays_.local, &top_multipole_})
    arrays->release();
  for (farfield::cuda::DeviceArray<Real>& part : arrays_.result) part.release();
}

template <class Real>
void DeviceRankArrays<Real>::hold_moments(const DevicePlaced& placed, int moments, int densities) {
  for (int m = 0; m < moments; ++m) arrays_.strength[m].resize(densities * strength_pitch(placed));
}

template <class Real>
std::vector<Real*> DeviceRankArrays<Real>::moments_at(int place, int moments, const DevicePlaced& placed,
                                                      std::int64_t first) {
  std::vector<Real*> at;
  for (int m = 0; m < moments; ++m) at.push_back(arrays_.strength[m].data() + place * strength_pitch(placed) + first);
  return at;
}

template <class Real>
void DeviceRankArrays<Real>::bind_points(const DevicePlaced& placed) {
  farfield::cuda::Work<Real>& w = work.essential;
  farfield::cuda::bind_points(placed.on_device->essential, w);
  w.alike = placed.tree.alike;
  w.sources_per_leaf = farfield::cuda::mean_leaf(placed.geometry.sources, placed.boxes_of_all);
  w.targets_per_leaf = farfield::cuda::mean_leaf(placed.geometry.targets, placed.boxes_of_all);
}

template <class Real>
void DeviceRankArrays<Real>::bind_softening(const DevicePlaced& placed, const DeviceSumming& summing) {
  farfield::cuda::Work<Real>& w = work.essential;
  w.softening = summing.softening;
  w.source_length = placed.has_lengths ? placed.source_length.data() : nullptr;
  w.target_length = placed.has_lengths ? placed.target_lengths() : nullptr;
  w.self_from = placed.self_from();
}

/// In the rank's own tree and in the top operands of m2l are not written: join() writes those of the essential tree.
template <class Real>
void DeviceRankArrays<Real>::bind_upward(const DevicePlaced& placed) {
  const DeviceShare& share = *placed.on_device;
  work.own = work.top = work.essential;
  const auto bind_tree = [](farfield::cuda::Work<Real>& of, const farfield::cuda::CudaTree& tree,
                            farfield::cuda::DeviceArray<Real>& multipole) {
    of.tree = tree.tree.view();
    of.multipole = multipole.data();
    of.expansion_pitch = std::int64_t(tree.tree.boxes) * of.tables.stride;
    of.tensor = {}, of.mirror = {};
  };
  bind_tree(work.own, share.own, arrays_.local);
  bind_tree(work.top, share.top_tree, top_multipole_);
  if (work.own.strength) work.own.strength += share.first;
  for (const Real*& axis : work.own.dipole)
    if (axis) axis += share.first;
  for (const double*& axis : work.own.source)
    if (axis) axis += share.first;
}

template <class Real>
void DeviceRankArrays<Real>::bind(const DevicePlaced& placed, const DeviceSumming& summing,
                                  const farfield::cuda::Translations<Real>& translations,
                                  const farfield::cuda::PairTiles& near) {
  const Decision& decision = summing.decision;
  const farfield::cuda::CudaTree& essential = placed.on_device->essential;
  farfield::cuda::Work<Real>& w = work.essential;
  w = {};
  translations.bind(w);
  w.tree = essential.tree.view();
  w.lists = essential.lists.view();
  bind_points(placed);
  bind_softening(placed, summing);
  w.close_square =
      farfield::cuda::tuning::close_square<Real>(farfield::cuda::careful_degree(decision, translations.degree()));
  w.has_m2p = placed.has_m2p, w.has_p2l = placed.has_p2l;
  w.rotation = decision.rotation, w.reduced = decision.reduced;
  w.m2p_sources = decision.thresholds.m2p_sources;
  w.near = near;
  w.parameters = decision.parameters;
  w.strength_pitch = strength_pitch(placed);
  w.result_pitch = padded(std::max<std::int64_t>(1, w.targets));
  w.expansion_pitch = std::int64_t(w.tree.boxes) * w.tables.stride;
  w.densities = summing.densities;
  w.stream = summing.stream;
  arrays_.point_at(0, summing.moments, decision.parts(), w);
  bind_upward(placed);
  work.of_vector.clear();
  for (int v = 0; v < w.densities && w.tree.boxes > 0; ++v) {
    work.of_vector.push_back(w.of(v));
    translations.bind_operands(work.of_vector.back(), v);
  }
  shown = w;
}

template <class Real>
void DeviceRankArrays<Real>::show(int place, int moments, const Decision& decision) {
  arrays_.point_at(place, moments, decision.parts(), shown);
  shown.densities = 1;
}

template <class Real>
void DeviceRankArrays<Real>::clear_results(cudaStream_t stream) {
  for (farfield::cuda::DeviceArray<Real>& part : arrays_.result)
    if (!part.empty())
      farfield::cuda::require(
          cudaMemsetAsync(part.data(), 0, static_cast<std::size_t>(part.size()) * sizeof(Real), stream),
          "cudaMemsetAsync");
}

template <class Real>
ResultArrays<Real> DeviceRankArrays<Real>::own_results(const DevicePlaced& placed) const {
  ResultArrays<Real> results = shown.result;
  for (Real*& part : results.part)
    if (part) part += placed.first_target();
  return results;
}

template <class Real>
farfield::cuda::Work<Real> DeviceRankArrays<Real>::judged(const DevicePlaced& placed) const {
  farfield::cuda::Work<Real> own = shown;
  own.result = own_results(placed);
  own.targets = placed.own_targets();
  return own;
}

template class DeviceRankArrays<float>;
template class DeviceRankArrays<double>;

}  // namespace farfield::distributed
