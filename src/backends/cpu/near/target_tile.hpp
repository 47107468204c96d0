// A tile of targets in the frame of a pair sum, one vector or two, with their sums.
#pragma once
#include "backends/cpu/near/pair_sources.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Real, int n, Summed what, Softened softened = Softened::no>
struct TargetTile {
  using V = Vec<Real>;
  V x[n], y[n], z[n];
  V rest[3][n];                                       ///< what rounding took off the coordinates, in single
  static constexpr int pitch = end_part(what.parts);  ///< of the sums of a density, those of the next behind them
  V sum[n][what.densities * pitch];
  V length[has_lengths(softened) ? n : 1];  ///< kept_lengths

  /// Reads the targets from t on into the frame.
  FARFIELD_INLINE void place(const Work<Real>& work, const Frame& frame, std::int64_t t) {
    V* const axes[3] = {x, y, z};
    for (int axis = 0; axis < 3; ++axis)
      for (int i = 0; i < n; ++i) {
        const double* from = work.target[axis] + t + i * lanes<Real>;
        axes[axis][i] = relative(from, frame.origin[axis], frame.factor, Real{});
        rest[axis][i] = rest_of<Real>(from, frame.origin[axis], frame.factor, axes[axis][i]);
      }
    if constexpr (has_lengths(softened))
      for (int i = 0; i < n; ++i)
        length[i] = kept_lengths<softened>(work.target_length + t + i * lanes<Real>, frame, Real{});
  }
  void clear() {
    for (int i = 0; i < n; ++i)
      for (V& part : sum[i]) part = V{};
  }
  /// Vector i of the tile, with cleared sums, for sources that are clear.
  FARFIELD_INLINE TargetTile<Real, 1, what, softened> vector(int i) const {
    TargetTile<Real, 1, what, softened> one;
    one.x[0] = x[i], one.y[0] = y[i], one.z[0] = z[i];
    if constexpr (has_lengths(softened)) one.length[0] = length[i];
    one.clear();
    return one;
  }
  /// Scaled by orders of derivatives.
  void add(const TargetTile& other, const Real (&scale)[orders]) {
    for (int i = 0; i < n; ++i)
      for (int k = first_part(what.parts); k < what.densities * pitch; ++k)
        sum[i][k] += scale[order_of(k % pitch)] * other.sum[i][k];
  }
  /// Adds the lanes of `other` whose bits are set.
  void add_lanes(const TargetTile& other, unsigned bits) {
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < lanes<Real>; ++k) {
        if (!(bits >> (i * lanes<Real> + k) & 1)) continue;
        for (int part = first_part(what.parts); part < what.densities * pitch; ++part)
          sum[i][part][k] += other.sum[i][part][k];
      }
  }
};

}  // namespace farfield::cpu::FARFIELD_ISA
