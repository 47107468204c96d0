// Sums of boxes in Hermite and Taylor series, by all threads of a block (expansions/hermite/functions.hpp has the four
// interactions of two boxes).
#pragma once
#include "backends/cuda/hermite/view.hpp"

namespace farfield::cuda {

inline constexpr int hermite_threads = 128, hermite_staged = 32;

/// The functions of up to 32 sources along each axis.
struct HermiteStage {
  double value[hermite_staged][3][hermite::most_terms];
  double strength[hermite_staged];
};

/// A box by its place in the lattice, and its points.
struct HermiteBox {
  std::int64_t at[3], begin, end;
  double centre[3];

  __device__ HermiteBox(const hermite::Grid& grid, const CellsView& cells, std::int64_t box)
      : begin(cells.begin[box]), end(cells.begin[box + 1]) {
    for (int a = 0; a < 3; ++a) {
      at[a] = cell_index(cells.key[box], a);
      centre[a] = grid.low[a] + (static_cast<double>(at[a]) + 0.5) * grid.side;
    }
  }
  __device__ std::int64_t points() const { return end - begin; }
};

/// The distance of a point from the centre, along the axes in use, in lengths.
__device__ inline void hermite_offset(const hermite::Grid& grid, const double* const x[3], std::int64_t i,
                                      const double centre[3], double offset[3]) {
  for (int a = 0; a < 3; ++a) offset[a] = a < grid.shape.axes ? (x[grid.axis[a]][i] - centre[a]) / grid.length : 0;
}

/// Adds sources begin ... end to the series about a centre: chi for a Hermite series, psi for a Taylor series.
template <bool taylor, class Real>
__device__ void accumulate_sources(const HermiteView& view, const NearWork<Real>& work, std::int64_t begin,
                                   std::int64_t end, const double centre[3], HermiteStage& stage, double* to) {
  const hermite::Shape& shape = view.grid.shape;
  const int thread = static_cast<int>(threadIdx.x), count = static_cast<int>(shape.count());
  for (std::int64_t from = begin; from < end; from += hermite_staged) {
    const int here = static_cast<int>(end - from < hermite_staged ? end - from : hermite_staged);
    __syncthreads();
    for (int i = thread; i < 3 * here; i += hermite_threads) {
      const int s = i / 3, a = i % 3;
      double offset[3], *own = stage.value[s][a];
      hermite_offset(view.grid, work.source, from + s, centre, offset);
      if (a == 0) stage.strength[s] = static_cast<double>(work.strength[from + s]);
      if (a >= shape.axes)
        own[0] = 1;
      else if (taylor)
        hermite::fill_hermite(shape.p, view.roots, offset[a], exp(-offset[a] * offset[a]), own);
      else
        hermite::fill_taylor(shape.p, view.roots, offset[a], own);
    }
    __syncthreads();
    for (int i = thread; i < count; i += hermite_threads) {
      const int a = i % shape.terms[0], b = i / shape.terms[0] % shape.terms[1],
                c = i / shape.terms[0] / shape.terms[1];
      double sum = 0;
      for (int s = 0; s < here; ++s)
        sum += stage.strength[s] * stage.value[s][2][c] * stage.value[s][1][b] * stage.value[s][0][a];
      to[i] += sum;
    }
  }
  __syncthreads();
}

/// Adds the Hermite series `from` to the Taylor series `to`; hermite::translate by a block. `room`: two series.
__device__ inline void translate_series(const hermite::Shape& shape, const double* const matrix[3], const double* from,
                                        double* to, double* room) {
  const int count = static_cast<int>(shape.count()), p = shape.p;
  int stride = 1;
  for (int axis = 0; axis < shape.axes; ++axis, stride *= p) {
    const bool last = axis + 1 == shape.axes;
    double* const result = last ? to : room + (axis % 2 ? count : 0);
    for (int i = static_cast<int>(threadIdx.x); i < count; i += hermite_threads) {
      const int inner = i % stride, b = i / stride % p, outer = i - inner - b * stride;
      double sum = last ? result[i] : 0;
      for (int a = 0; a < p; ++a) sum += matrix[axis][b * p + a] * from[outer + a * stride + inner];
      result[i] = sum;
    }
    __syncthreads();
    from = result;
  }
}

enum class Interaction { pairs, hermite, taylor, both };

/// The cheapest for boxes of s sources and t targets: a pair takes about as long as four coefficients, with its
/// gradient as six.
__device__ inline Interaction cheapest(const hermite::Shape& shape, bool slopes, double s, double t, bool series,
                                       bool local) {
  const auto count = static_cast<double>(shape.count());
  const double pairs = (slopes ? 6 : 4) * s * t, hermite = series ? t * count * (slopes ? 2 : 1) : INFINITY,
               taylor = local ? s * count : INFINITY, both = series && local ? shape.axes * shape.p * count : INFINITY;
  const double least = fmin(fmin(pairs, hermite), fmin(taylor, both));
  return least == pairs     ? Interaction::pairs
         : least == hermite ? Interaction::hermite
         : least == taylor  ? Interaction::taylor
                            : Interaction::both;
}

/// Calls take(source box, its number) for those within the cut-off of a target box, in the order of their keys.
template <class Take>
__device__ void for_near_boxes(const HermiteView& view, const HermiteBox& target, const Take& take) {
  const hermite::Grid& g = view.grid;
  const std::int64_t r = g.reach;
  const auto low = [&](int a) { return target.at[a] > r ? target.at[a] - r : 0; };
  const auto high = [&](int a) { return target.at[a] + r < g.boxes[a] - 1 ? target.at[a] + r : g.boxes[a] - 1; };
  const double most = g.cutoff * g.length / g.side;
  for (std::int64_t z = low(2); z <= high(2); ++z)
    for (std::int64_t y = low(1); y <= high(1); ++y) {
      const CellKey last = cell_key(high(0), y, z);
      for (std::int64_t box = view.sources.from(cell_key(low(0), y, z));
           box < view.sources.count && view.sources.key[box] <= last; ++box) {
        const HermiteBox source(g, view.sources, box);
        double square = 0;
        for (int a = 0; a < g.shape.axes; ++a) {
          const std::int64_t apart =
              source.at[a] < target.at[a] ? target.at[a] - source.at[a] : source.at[a] - target.at[a];
          const double gap = apart > 1 ? static_cast<double>(apart - 1) : 0;
          square += gap * gap;
        }
        if (square <= most * most) take(source, box);
      }
    }
}

/// A box of targets: its Taylor series if it has many, then target by target what no Taylor series holds.
template <class Real>
class TargetBox {
 public:
  __device__ TargetBox(const HermiteView& view, const NearWork<Real>& work, std::int64_t box, HermiteStage& stage,
                       double* room)
      : view_(view),
        work_(work),
        stage_(stage),
        box_(view.grid, view.targets, box),
        shape_(view.grid.shape),
        local_(room),
        room_(room + shape_.count()),
        slopes_(work.result.parts() > 1),
        with_local_(shape_.p > 0 && box_.points() >= view.many) {}

  __device__ void sum() {
    if (with_local_) make_local();
    for (std::int64_t t = box_.begin + threadIdx.x; t < box_.end; t += hermite_threads) sum_target(t);
    __syncthreads();
  }

 private:
  __device__ Interaction interaction(const HermiteBox& source, std::int64_t box) const {
    return cheapest(shape_, slopes_, static_cast<double>(source.points()), static_cast<double>(box_.points()),
                    view_.has_series(box), with_local_);
  }
  __device__ const double* series_of(std::int64_t box) const {
    return view_.multipole + view_.series_before[box] * shape_.count();
  }

  __device__ void make_local() {
    for (int i = static_cast<int>(threadIdx.x); i < shape_.count(); i += hermite_threads) local_[i] = 0;
    __syncthreads();
    for_near_boxes(view_, box_, [&](const HermiteBox& source, std::int64_t box) {
      const Interaction which = interaction(source, box);
      if (which == Interaction::taylor)
        accumulate_sources<true>(view_, work_, source.begin, source.end, box_.centre, stage_, local_);
      if (which != Interaction::both) return;
      const double* matrix[3];
      for (int a = 0; a < 3; ++a)
        matrix[a] = view_.matrix + (box_.at[a] - source.at[a] + view_.grid.reach) * shape_.p * shape_.p;
      translate_series(shape_, matrix, series_of(box), local_, room_);
    });
  }

  __device__ void sum_target(std::int64_t t) const {
    const hermite::Grid& g = view_.grid;
    double out[4] = {}, offset[3];
    hermite::Functions functions;
    if (with_local_) {
      hermite_offset(g, work_.target, t, box_.centre, offset);
      hermite::taylor_functions(shape_, view_.roots, offset, slopes_, functions);
      hermite::evaluate(shape_, functions, local_, slopes_, out);
    }
    for_near_boxes(view_, box_, [&](const HermiteBox& source, std::int64_t box) {
      const Interaction which = interaction(source, box);
      if (which == Interaction::pairs) add_pairs(t, source, out);
      if (which != Interaction::hermite) return;
      hermite_offset(g, work_.target, t, source.centre, offset);
      hermite::hermite_functions(shape_, view_.roots, offset, slopes_, functions);
      hermite::evaluate(shape_, functions, series_of(box), slopes_, out);
    });
    work_.result[0][t] = static_cast<Real>(out[0]);
    if (!slopes_) return;
    for (int a = 0; a < 3; ++a) work_.result[1 + g.axis[a]][t] = static_cast<Real>(out[1 + a] / g.length);
  }

  /// Derivatives are those with respect to lengths, as the series' are.
  __device__ void add_pairs(std::int64_t t, const HermiteBox& source, double out[4]) const {
    const hermite::Grid& g = view_.grid;
    double sum[4] = {};
    for (std::int64_t s = source.begin; s < source.end; ++s) {
      double d[3], square = 0;
      for (int a = 0; a < shape_.axes; ++a) {
        const int axis = g.axis[a];
        d[a] = (work_.target[axis][t] - work_.source[axis][s]) / g.length;
        square += d[a] * d[a];
      }
      const double term = static_cast<double>(work_.strength[s]) * exp(-square);
      sum[0] += term;
      for (int a = 0; slopes_ && a < shape_.axes; ++a) sum[1 + a] += term * d[a];
    }
    out[0] += sum[0];
    for (int a = 0; a < 3; ++a) out[1 + a] -= 2 * sum[1 + a];
  }

  const HermiteView& view_;
  const NearWork<Real>& work_;
  HermiteStage& stage_;
  const HermiteBox box_;
  const hermite::Shape& shape_;
  double *local_, *room_;
  const bool slopes_, with_local_;
};

}  // namespace farfield::cuda
