// The fast Gaussian transform (Greengard & Strain 1991) over the boxes of one grid: for each pair of boxes within the
// cut-off the cheapest of the four interactions that their numbers of points offer. A thread has whole boxes of
// targets, and adds up in the order of the source boxes' keys, so that results do not depend on the threads.
#include <omp.h>

#include <algorithm>

#include "backends/cpu/hermite/work.hpp"
#include "backends/cpu/runtime/simd.hpp"
#include "backends/cpu/stage_list.hpp"

namespace farfield::cpu::FARFIELD_ISA {
namespace {

using hermite::Functions, hermite::Shape;
using Table = hermite::Roots<double, hermite::most_terms + 1>;

/// One target box on one thread.
template <class Real>
class TargetBox {
 public:
  TargetBox(const HermiteWork<Real>& work, const Table& roots, std::int64_t box, double* room)
      : w_(work),
        g_(*work.grid),
        shape_(g_.shape),
        roots_(roots),
        box_(box),
        begin_(work.target.begin[box]),
        end_(work.target.begin[box + 1]),
        local_(room),
        room_(room + shape_.count()),
        slopes_(work.result.parts() > 1),
        with_local_(shape_.p > 0 && end_ - begin_ >= work.many) {
    std::uint64_t key = work.target.key[box];
    for (int i = 0; i < 3; ++i) {
      at_[i] = static_cast<std::int64_t>(key % static_cast<std::uint64_t>(g_.boxes[i]));
      key /= static_cast<std::uint64_t>(g_.boxes[i]);
      centre_[i] = (static_cast<double>(at_[i]) + 0.5) * g_.side;
    }
    if (with_local_) std::fill_n(local_, shape_.count(), 0.0);
  }

  void sum() {
    for (std::int64_t t = begin_; t < end_; ++t)
      for (int part = 0; part <= (slopes_ ? 3 : 0); ++part) w_.sum[part][t] = 0;
    const std::int64_t r = g_.reach;
    for (std::int64_t z = std::max<std::int64_t>(0, at_[2] - r); z <= std::min(g_.boxes[2] - 1, at_[2] + r); ++z)
      for (std::int64_t y = std::max<std::int64_t>(0, at_[1] - r); y <= std::min(g_.boxes[1] - 1, at_[1] + r); ++y)
        add_row(y, z);
    if (with_local_) add_local();
    deliver();
  }

 private:
  /// The source boxes of one row along the first axis, whose keys follow one another.
  void add_row(std::int64_t y, std::int64_t z) {
    const auto base = static_cast<std::uint64_t>((z * g_.boxes[1] + y) * g_.boxes[0]);
    const std::uint64_t first = base + static_cast<std::uint64_t>(std::max<std::int64_t>(0, at_[0] - g_.reach)),
                        last = base + static_cast<std::uint64_t>(std::min(g_.boxes[0] - 1, at_[0] + g_.reach));
    const std::uint64_t* const key = w_.source.key;
    for (std::int64_t box = first_from(first); box < w_.source.count && key[box] <= last; ++box) {
      const std::int64_t place[3] = {static_cast<std::int64_t>(key[box] - base), y, z};
      if (is_near(place)) add_box(box, place);
    }
  }
  /// The first source box whose key is not below this.
  std::int64_t first_from(std::uint64_t least) const {
    std::int64_t low = 0, high = w_.source.count;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (w_.source.key[middle] < least)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  bool is_near(const std::int64_t place[3]) const {
    double square = 0;
    for (int i = 0; i < shape_.axes; ++i) {
      const double gap = static_cast<double>(std::max<std::int64_t>(0, std::abs(place[i] - at_[i]) - 1)) * g_.side;
      square += gap * gap;
    }
    return square <= g_.cutoff * g_.cutoff * g_.length * g_.length;
  }

  /// A pair takes about as long as four coefficients, with its gradient as six.
  void add_box(std::int64_t source, const std::int64_t place[3]) {
    const std::int64_t begin = w_.source.begin[source], end = w_.source.begin[source + 1];
    const auto s = static_cast<double>(end - begin), t = static_cast<double>(end_ - begin_);
    const double count = static_cast<double>(shape_.count());
    const bool series = w_.series_of[source] >= 0;
    const double pairs = (slopes_ ? 6 : 4) * s * t, hermite = series ? t * count * (slopes_ ? 2 : 1) : INFINITY,
                 taylor = with_local_ ? s * count : INFINITY,
                 both = series && with_local_ ? shape_.axes * shape_.p * count : INFINITY;
    const double least = std::min({pairs, hermite, taylor, both});
    if (least == pairs) return add_pairs(begin, end);
    const double* const multipole = series ? w_.multipole + w_.series_of[source] * shape_.count() : nullptr;
    if (least == hermite) return add_hermite(multipole, place);
    if (least == taylor) return add_taylor(begin, end);
    const double* matrix[3];
    for (int i = 0; i < 3; ++i) matrix[i] = w_.matrix + (at_[i] - place[i] + g_.reach) * shape_.p * shape_.p;
    hermite::translate(shape_, matrix, multipole, local_, room_);
  }

  void add_pairs(std::int64_t begin, std::int64_t end) {
    constexpr int width = lanes<double>;
    const double inverse_square = -1 / (g_.length * g_.length);
    for (std::int64_t t = begin_; t < end_; ++t) {
      Vec<double> sum[4] = {};
      for (std::int64_t s = begin; s < end; s += width) {
        Vec<double> d[3], square{}, q = load(w_.strength + s);
        for (int i = 0; i < width; ++i)
          if (s + i >= end) q[i] = 0;
        for (int axis = 0; axis < shape_.axes; ++axis) {
          d[axis] = w_.target.coordinate[axis][t] - load(w_.source.coordinate[axis] + s);
          square += d[axis] * d[axis];
        }
        const Vec<double> term = q * exp(square * inverse_square);
        sum[0] += term;
        if (!slopes_) continue;
        for (int axis = 0; axis < shape_.axes; ++axis) sum[axis + 1] += term * d[axis];
      }
      double out[4] = {};
      for (int part = 0; part < 4; ++part)
        for (int i = 0; i < width; ++i) out[part] += sum[part][i];
      for (int part = 1; part < 4; ++part) out[part] *= 2 * inverse_square * g_.length;
      add(t, out);
    }
  }

  void add_hermite(const double* multipole, const std::int64_t place[3]) {
    for (std::int64_t t = begin_; t < end_; ++t) {
      double offset[3], out[4] = {};
      for (int i = 0; i < 3; ++i)
        offset[i] = (w_.target.coordinate[i][t] - (static_cast<double>(place[i]) + 0.5) * g_.side) / g_.length;
      hermite::hermite_functions(shape_, roots_, offset, slopes_, functions_);
      hermite::evaluate(shape_, functions_, multipole, slopes_, out);
      add(t, out);
    }
  }
  void add_taylor(std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      double offset[3];
      for (int i = 0; i < 3; ++i) offset[i] = (w_.source.coordinate[i][s] - centre_[i]) / g_.length;
      hermite::hermite_functions(shape_, roots_, offset, false, functions_);
      hermite::accumulate(shape_, functions_, w_.strength[s], local_);
    }
  }
  void add_local() {
    for (std::int64_t t = begin_; t < end_; ++t) {
      double offset[3], out[4] = {};
      for (int i = 0; i < 3; ++i) offset[i] = (w_.target.coordinate[i][t] - centre_[i]) / g_.length;
      hermite::taylor_functions(shape_, roots_, offset, slopes_, functions_);
      hermite::evaluate(shape_, functions_, local_, slopes_, out);
      add(t, out);
    }
  }
  void add(std::int64_t target, const double out[4]) {
    for (int part = 0; part <= (slopes_ ? 3 : 0); ++part) w_.sum[part][target] += out[part];
  }
  /// The sums are potentials and derivatives with respect to lengths, along the axes in use.
  void deliver() {
    for (std::int64_t t = begin_; t < end_; ++t) {
      const std::int64_t at = w_.target.order[t];
      w_.result[0][at] = static_cast<Real>(w_.sum[0][t]);
      for (int i = 0; slopes_ && i < 3; ++i)
        w_.result[1 + g_.axis[i]][at] = static_cast<Real>(w_.sum[1 + i][t] / g_.length);
    }
  }
  static Vec<double> load(const double* from) {
    Vec<double> v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }

  const HermiteWork<Real>& w_;
  const HermiteGrid& g_;
  const Shape& shape_;
  const Table& roots_;
  std::int64_t box_, begin_, end_, at_[3] = {};
  double centre_[3] = {};
  double *local_, *room_;
  bool slopes_, with_local_;
  Functions functions_;
};

/// The Hermite series of a source box.
template <class Real>
void make_series(const HermiteWork<Real>& w, const Table& roots, std::int64_t box) {
  const HermiteGrid& g = *w.grid;
  double* const to = w.multipole + w.series_of[box] * g.shape.count();
  std::fill_n(to, g.shape.count(), 0.0);
  std::uint64_t key = w.source.key[box];
  double centre[3];
  for (int i = 0; i < 3; ++i) {
    centre[i] = (static_cast<double>(key % static_cast<std::uint64_t>(g.boxes[i])) + 0.5) * g.side;
    key /= static_cast<std::uint64_t>(g.boxes[i]);
  }
  Functions functions;
  for (std::int64_t s = w.source.begin[box]; s < w.source.begin[box + 1]; ++s) {
    double offset[3];
    for (int i = 0; i < 3; ++i) offset[i] = (w.source.coordinate[i][s] - centre[i]) / g.length;
    hermite::taylor_functions(g.shape, roots, offset, false, functions);
    hermite::accumulate(g.shape, functions, w.strength[s], to);
  }
}

}  // namespace

template <class Real>
void hermite_sum(const HermiteWork<Real>& work) {
  const Table roots = hermite::make_roots<double, hermite::most_terms + 1>();
#pragma omp parallel for schedule(dynamic, 8) num_threads(work.threads)
  for (std::int64_t box = 0; box < work.source.count; ++box)
    if (work.series_of[box] >= 0) make_series(work, roots, box);
#pragma omp parallel for schedule(dynamic, 8) num_threads(work.threads)
  for (std::int64_t box = 0; box < work.target.count; ++box) {
    double* const room = work.room + 3 * omp_get_thread_num() * work.grid->shape.count();
    TargetBox<Real>(work, roots, box, room).sum();
  }
}

template void hermite_sum<float>(const HermiteWork<float>&);
template void hermite_sum<double>(const HermiteWork<double>&);

}  // namespace farfield::cpu::FARFIELD_ISA
