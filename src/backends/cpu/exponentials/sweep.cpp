// Gaussians on a line: two sweeps over sorted points with the waves of expansions/exponentials/sum.hpp. A head holds,
// for each wave, the sum of the strengths that were passed, decayed to a place, the anchor. Where points are dense the
// anchor stays for up to 1/decay, and each of them is taken back to it: no error grows with the number of points.
// Stretches are first summed each by itself, then the heads at their beginnings are carried along the line, then
// results are made. Neither depends on the threads.
#include <algorithm>
#include <cmath>

#include "backends/cpu/exponentials/work.hpp"
#include "backends/cpu/runtime/simd.hpp"
#include "backends/cpu/stage_list.hpp"

namespace farfield::cpu::FARFIELD_ISA {
namespace {

constexpr double vanished = 100;  ///< e^-100 of a strength is nothing: longer gaps count as that
constexpr int most_waves = exponentials::most_terms, stretch_lanes = SweepWork::together;

/// cos x and sin x for |x| up to 1e5: Taylor's polynomials on |r| <= pi/4, which err by less than 1e-16.
FARFIELD_INLINE void cos_and_sin(Vec<double> x, Vec<double>& cosine, Vec<double>& sine) {
  using Bits = VectorOf<double>::bits;
  constexpr double high = 0x1.921fb544p+0, low = 0x1.0b4611a626331p-34,
                   rounding = 0x1.8p52;  // of pi/2; n high is exact
  const Vec<double> shifted = x * 0x1.45f306dc9c883p-1 + rounding, whole = shifted - rounding;
  const Vec<double> r = (x - whole * high) - whole * low, r2 = r * r;
  Vec<double> s = r2 * (-1 / 1307674368000.0) + 1 / 6227020800.0, c = r2 * (1 / 20922789888000.0) - 1 / 87178291200.0;
  s = s * r2 - 1 / 39916800.0, c = c * r2 + 1 / 479001600.0;
  s = s * r2 + 1 / 362880.0, c = c * r2 - 1 / 3628800.0;
  s = s * r2 - 1 / 5040.0, c = c * r2 + 1 / 40320.0;
  s = s * r2 + 1 / 120.0, c = c * r2 - 1 / 720.0;
  s = s * r2 - 1 / 6.0, c = c * r2 + 1 / 24.0;
  s = r + r * r2 * s, c = 1.0 + r2 * (c * r2 - 0.5);
  const Bits quarter = Bits(shifted);
  const auto odd = (quarter & 1) != 0;
  const Vec<double> first = odd ? s : c, second = odd ? c : s;
  cosine = Vec<double>(Bits(first) ^ ((quarter + 1) & 2) << 62);
  sine = Vec<double>(Bits(second) ^ (quarter & 2) << 62);
}

/// The waves over a distance d >= 0: from one to the next is one factor.
struct Waves {
  Vec<double> real, imag, factor_real, factor_imag, size;
  FARFIELD_INLINE Waves(const exponentials::Sum& sum, Vec<double> d) {
    const Vec<double> longest = broadcast(vanished / sum.decay);
    d = d < longest ? d : longest;
    Vec<double> c, s;
    cos_and_sin(d * (sum.step / 2), c, s);
    size = exp(d * -sum.decay);
    real = size * c, imag = -size * s;
    factor_real = 1.0 - 2.0 * s * s, factor_imag = -2.0 * s * c;
  }
  FARFIELD_INLINE void next() {
    const Vec<double> r = real * factor_real - imag * factor_imag;
    imag = real * factor_imag + imag * factor_real;
    real = r;
  }
};

/// What has been passed, at an anchor, of as many stretches as a vector has lanes.
struct Heads {
  Vec<double> real[most_waves], imag[most_waves], anchor;
};

/// Moves heads by d.
FARFIELD_INLINE void move(const exponentials::Sum& sum, Heads& h, Vec<double> d) {
  Waves e(sum, d);
  for (int k = 0; k < sum.terms; ++k, e.next()) {
    const Vec<double> r = h.real[k] * e.real - h.imag[k] * e.imag;
    h.imag[k] = h.real[k] * e.imag + h.imag[k] * e.real;
    h.real[k] = r;
  }
}

/// Adds what has been passed to the results of points d beyond the anchor, then passes them. slopes: derivatives, too.
template <bool results, bool slopes>
FARFIELD_INLINE void meet(const exponentials::Sum& sum, Heads& h, Vec<double> d, Vec<double> q, Vec<double>& u,
                          Vec<double>& g) {
  Waves e(sum, d);
  const Vec<double> back = q / (e.size * e.size);
  for (int k = 0; k < sum.terms; ++k, e.next()) {
    if constexpr (results) {
      const Vec<double> r = h.real[k] * e.real - h.imag[k] * e.imag, i = h.real[k] * e.imag + h.imag[k] * e.real;
      u += sum.real[k] * r - sum.imag[k] * i;
      if constexpr (slopes) g += sum.slope_real[k] * r - sum.slope_imag[k] * i;
    }
    h.real[k] += back * e.real, h.imag[k] -= back * e.imag;
  }
}
/// The same at the anchor.
template <bool results, bool slopes>
FARFIELD_INLINE void meet_there(const exponentials::Sum& sum, Heads& h, Vec<double> q, Vec<double>& u, Vec<double>& g) {
  for (int k = 0; k < sum.terms; ++k) {
    if constexpr (results) {
      u += sum.real[k] * h.real[k] - sum.imag[k] * h.imag[k];
      if constexpr (slopes) g += sum.slope_real[k] * h.real[k] - sum.slope_imag[k] * h.imag[k];
    }
    h.real[k] += q;
  }
}

/// One way over the stretches of a vector. Without results, the heads end at the last point, with all that was passed.
template <int way, bool results, bool slopes>
void sweep(const SweepWork& w, std::int64_t from, Heads& h) {
  const double towards = way * w.per_bandwidth, longest = 1 / w.sum.decay;
  const std::int64_t last = w.steps - 1;
  h.anchor = load(w.at + from + (way > 0 ? 0 : last) * stretch_lanes);
  for (std::int64_t n = 0; n <= last; ++n) {
    const std::int64_t i = from + (way > 0 ? n : last - n) * stretch_lanes;
    const Vec<double> x = load(w.at + i), q = load(w.strength + i), d = (x - h.anchor) * towards;
    Vec<double> u{}, g{};
    if (lanes_below(longest - d, 0.0) || (!results && n == last)) {
      move(w.sum, h, d);
      h.anchor = x;
      meet_there<results, slopes>(w.sum, h, q, u, g);
    } else {
      meet<results, slopes>(w.sum, h, d, q, u, g);
    }
    if constexpr (!results) continue;
    store(w.potential + i, way > 0 ? q + u : load(w.potential + i) + u);
    if constexpr (slopes) store(w.derivative + i, way > 0 ? g : load(w.derivative + i) - g);
  }
}

double* head_of(const SweepWork& w, int side, std::int64_t stretch) { return w.head[side] + stretch * 2 * w.sum.terms; }

/// Heads of the vector's stretches, from lane `lane` of a group on: those at their beginnings, or what they add.
void read_heads(const SweepWork& w, int side, std::int64_t stretch, Heads& h) {
  for (int k = 0; k < w.sum.terms; ++k)
    for (int l = 0; l < lanes<double>; ++l) {
      const double* const head = head_of(w, side, stretch + l);
      h.real[k][l] = head[2 * k], h.imag[k][l] = head[2 * k + 1];
    }
}
void write_heads(const SweepWork& w, int side, std::int64_t stretch, const Heads& h) {
  for (int k = 0; k < w.sum.terms; ++k)
    for (int l = 0; l < lanes<double>; ++l) {
      double* const head = head_of(w, side, stretch + l);
      head[2 * k] = h.real[k][l], head[2 * k + 1] = h.imag[k][l];
    }
}

void add_up(const SweepWork& w, std::int64_t group, int lane) {
  const std::int64_t from = group * w.steps * stretch_lanes + lane, stretch = group * stretch_lanes + lane;
  Heads h{};
  sweep<1, false, false>(w, from, h);
  write_heads(w, 0, stretch, h);
  h = Heads{};
  sweep<-1, false, false>(w, from, h);
  write_heads(w, 1, stretch, h);
}

template <bool slopes>
void make_results(const SweepWork& w, std::int64_t group, int lane) {
  const std::int64_t from = group * w.steps * stretch_lanes + lane, stretch = group * stretch_lanes + lane;
  Heads h{};
  read_heads(w, 0, stretch, h);
  sweep<1, true, slopes>(w, from, h);
  read_heads(w, 1, stretch, h);
  sweep<-1, true, slopes>(w, from, h);
}

/// The coordinate where a stretch begins or ends.
double end_of(const SweepWork& w, std::int64_t stretch, bool last) {
  const std::int64_t step = stretch / stretch_lanes * w.steps + (last ? w.steps - 1 : 0);
  return w.at[step * stretch_lanes + stretch % stretch_lanes];
}

/// From what each stretch adds to what has been passed where it begins. Numbers so small that they would become
/// subnormal, which processors multiply slowly, are dropped.
void carry(const SweepWork& w, int side) {
  const std::int64_t stretches = w.groups * stretch_lanes;
  Heads passed{}, own{};
  for (std::int64_t n = 0; n < stretches; ++n) {
    const std::int64_t p = side == 0 ? n : stretches - 1 - n, before = side == 0 ? p - 1 : p + 1;
    const double begin = end_of(w, p, side != 0);
    const double gap = n == 0 ? 0 : std::fabs(begin - end_of(w, before, side == 0));
    move(w.sum, passed, broadcast(gap * w.per_bandwidth));
    double* const head = head_of(w, side, p);
    for (int k = 0; k < w.sum.terms; ++k) {
      own.real[k] = broadcast(head[2 * k]), own.imag[k] = broadcast(head[2 * k + 1]);
      const bool small = std::fabs(passed.real[k][0]) + std::fabs(passed.imag[k][0]) < 1e-200;
      head[2 * k] = small ? 0 : passed.real[k][0], head[2 * k + 1] = small ? 0 : passed.imag[k][0];
    }
    move(w.sum, passed, broadcast(std::fabs(end_of(w, p, side == 0) - begin) * w.per_bandwidth));
    for (int k = 0; k < w.sum.terms; ++k) passed.real[k] += own.real[k], passed.imag[k] += own.imag[k];
  }
}

}  // namespace

void sweep_exponentials(const SweepWork& w) {
  constexpr int vectors = stretch_lanes / lanes<double>;
  const std::int64_t parts = w.groups * vectors;
#pragma omp parallel num_threads(w.threads)
  {
#pragma omp for schedule(dynamic)
    for (std::int64_t i = 0; i < parts; ++i) add_up(w, i / vectors, static_cast<int>(i % vectors) * lanes<double>);
#pragma omp for schedule(static)
    for (int side = 0; side < 2; ++side) carry(w, side);
#pragma omp for schedule(dynamic)
    for (std::int64_t i = 0; i < parts; ++i) {
      const int lane = static_cast<int>(i % vectors) * lanes<double>;
      if (w.derivative)
        make_results<true>(w, i / vectors, lane);
      else
        make_results<false>(w, i / vectors, lane);
    }
  }
}

}  // namespace farfield::cpu::FARFIELD_ISA
