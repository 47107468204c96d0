// cutoff: each target with the sources within reach, cell by cell, for kernels that vanish farther out. Overwrites the
// results.
// Cost: one pair for every source in the cells that the reach touches.
#include <algorithm>
#include <cmath>

#include "backends/cpu/runtime/blocks.hpp"
#include "backends/cpu/stage_list.hpp"
#include "backends/cpu/tuning.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// Sources in coordinates relative to the centre of a target's cell, in units of about its width: in single, positions
/// are then rounded to 2^-24 of a few cells, whatever the extent of all points.
template <class Real>
class NearSources {
 public:
  NearSources() : memory_(buffer_.need(4 * pitch)) {}
  Real* axis(int a) { return memory_ + a * pitch; }
  Real* strength() { return memory_ + 3 * pitch; }
  bool full() const { return count >= tuning::pair_sources; }

  /// Appends sources from `begin` on; returns the first that is left over.
  std::int64_t append(const Work<Real>& work, const double (&origin)[3], double factor, std::int64_t begin,
                      std::int64_t end) {
    for (; begin < end && !full(); begin += lanes<Real>) {
      for (int a = 0; a < 3; ++a) store(axis(a) + count, relative(work.source[a] + begin, origin[a], factor, Real{}));
      store(strength() + count, load(work.strength + begin));
      count += std::min<std::int64_t>(lanes<Real>, end - begin);
    }
    return std::min(begin, end);
  }

  std::int64_t count = 0;

 private:
  static constexpr std::int64_t pitch = tuning::pair_sources + 2 * lanes<Real>;
  Scratch<Real> buffer_;
  Real* memory_;
};

template <class Kernel, class Real, int parts, int axes>
class NearSum {
  using V = Vec<Real>;
  static constexpr int tile = vector_bytes == 64 ? 2 : 1;
  static constexpr std::int64_t chunk = 256;  // as in near/pair_sum.hpp

 public:
  NearSum(const Work<Real>& work, CellKey cell) : work_(work) {
    const CellLattice& lattice = work.near.lattice;
    for (int a = 0; a < axes; ++a) origin_[lattice.axis[a]] = work.near.middle(cell, a);
    factor_ = std::ldexp(1.0, -std::ilogb(work.near.width()));
    kernel_ = kernel_of<Kernel>(in_frame<Kernel>(work.parameters, factor_));
  }

  void add(NearSources<Real>& sources, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t t = begin; t < end; t += tile * lanes<Real>) add_tile(sources, t, end);
  }
  std::int64_t append(NearSources<Real>& sources, std::int64_t begin, std::int64_t end) const {
    return sources.append(work_, origin_, factor_, begin, end);
  }

 private:
  FARFIELD_INLINE void add_tile(NearSources<Real>& sources, std::int64_t t, std::int64_t end) const {
    const int* axis = work_.near.lattice.axis;
    V x[axes][tile], total[tile][parts] = {};
    const Real* at[axes];
    for (int a = 0; a < axes; ++a) {
      at[a] = sources.axis(axis[a]);
      for (int i = 0; i < tile; ++i)
        x[a][i] =
            relative(work_.target[axis[a]] + std::min(t + i * lanes<Real>, end), origin_[axis[a]], factor_, Real{});
    }
    for (std::int64_t begin = 0; begin < sources.count; begin += chunk) {
      V part[tile][4] = {};
      for (std::int64_t s = begin; s < std::min(begin + chunk, sources.count); ++s) {
        const V q = broadcast(sources.strength()[s]);
        for (int i = 0; i < tile; ++i) {
          V d[3] = {}, r2 = {};
          for (int a = 0; a < axes; ++a) d[a] = x[a][i] - broadcast(at[a][s]), r2 = a ? r2 + d[a] * d[a] : d[a] * d[a];
          kernel_.template pair<parts>(r2, d[0], d[1], d[2], q, part[i]);
        }
      }
      for (int i = 0; i < tile; ++i)
        for (int p = 0; p < parts; ++p) total[i][p] += part[i][p];
    }
    for (int i = 0; i < tile && t + i * lanes<Real> < end; ++i) deliver(total[i], t + i * lanes<Real>, end);
  }

  FARFIELD_INLINE void deliver(const V* total, std::int64_t t, std::int64_t end) const {
    const auto scales = part_scales<typename Kernel::Basis, Real>(1 / factor_, factor_);
    for (int p = 0; p < parts && p <= axes; ++p) {
      Real* result = work_.result[p == 0 ? 0 : 1 + work_.near.lattice.axis[p - 1]] + t;
      for (int k = 0; k < std::min<std::int64_t>(lanes<Real>, end - t); ++k) result[k] += scales[p] * total[p][k];
    }
  }

  const Work<Real>& work_;
  double origin_[3] = {}, factor_ = 1;
  Kernel kernel_;
};

/// Calls f(begin, end) for the sources in the rows of cells that lie within reach of a cell.
template <int axes, class F>
static void for_near_rows(const NearView& near, CellKey cell, const F& f) {
  const std::int64_t most = near.most_rows();
  for (std::int64_t dz = axes > 2 ? -most : 0; dz <= (axes > 2 ? most : 0); ++dz)
    for (std::int64_t dy = axes > 1 ? -most : 0; dy <= (axes > 1 ? most : 0); ++dy) {
      const NearView::Row row = near.row(cell, dy, dz);
      if (row.begin < row.end) f(row.begin, row.end);
    }
}

template <class Kernel, class Real, int parts, int axes>
static void cutoff_cells(const Work<Real>& work) {
  const CellsView& targets = work.near.targets;
  for_blocks<NearSources<Real>>({0, targets.count, 1, tuning::leaves_taken}, work.threads, [&](auto& sources, auto c) {
    const std::int64_t first = targets.begin[c], end = targets.begin[c + 1];
    for (int p = 0; p < parts; ++p) std::fill(work.result[p] + first, work.result[p] + end, Real(0));
    const NearSum<Kernel, Real, parts, axes> sum(work, targets.key[c]);
    const auto flush = [&] {
      sum.add(sources, first, end);
      sources.count = 0;
    };
    for_near_rows<axes>(work.near, targets.key[c], [&](std::int64_t s, std::int64_t beyond) {
      while ((s = sum.append(sources, s, beyond)) < beyond) flush();
    });
    flush();
  });
}

template <class Kernel, class Real>
void cutoff(const Work<Real>& work) {
  if constexpr (FallsOff<Kernel>)
    with_parts(work.result.parts(), [&](auto parts) {
      if (work.near.lattice.axes < 2)
        cutoff_cells<Kernel, Real, parts(), 1>(work);
      else if (work.near.lattice.axes == 2)
        cutoff_cells<Kernel, Real, parts(), 2>(work);
      else
        cutoff_cells<Kernel, Real, parts(), 3>(work);
    });
}

FARFIELD_INSTANTIATE(cutoff)

}  // namespace farfield::cpu::FARFIELD_ISA
