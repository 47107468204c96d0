#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <vector>

#include "judge/truncation_terms.hpp"
#include "kernels/traits.hpp"
#include "model/error_model.hpp"

namespace farfield {

/// Points of a quadrature rule along one axis of a box at distance `boxes`: dense towards the centre from which w is
/// measured, where the integrand has its peak.
struct AxisRule {
  static constexpr int most = 16;
  double x[most], weight[most];
  AxisRule(int boxes, int points) {
    for (int i = 0; i < points; ++i) {
      const double t = (i + 0.5) / points;
      x[i] = boxes - 0.5 + (boxes > 0 ? t * t : t);
      weight[i] = (boxes > 0 ? 2 * t : 1.0) / points;
    }
  }
};

/// The mean of f(w^2) over a box at distance dx, dy, dz, in boxes, along the axes; w within the plane of two axes.
template <class F>
static double mean_over_box(const Decay& decay, int dx, int dy, int dz, F&& f, int points = AxisRule::most) {
  const AxisRule x(dx, points), y(dy, points), z(dz, points);
  double sum = 0;
  for (int i = 0; i < points; ++i)
    for (int j = 0; j < points; ++j) {
      if (decay.axes == 2) {
        sum += x.weight[i] * y.weight[j] * f(x.x[i] * x.x[i] + y.x[j] * y.x[j]);
        continue;
      }
      for (int k = 0; k < points; ++k)
        sum += x.weight[i] * y.weight[j] * z.weight[k] * f(x.x[i] * x.x[i] + y.x[j] * y.x[j] + z.x[k] * z.x[k]);
    }
  return sum;
}

static TailMeans make_tail_means(const Decay& decay, int degree, const Screening& screening, int points) {
  TailMeans means;
  means.decay = decay;
  means.screening = screening;
  const int n = means.n = degree + 1, s = decay.steeper;
  means.inner = mean_over_box(
                    decay, 0, 0, 0, [&](double r2) { return screening.inner(n, r2) * integer_power(r2, n); }, points) /
                (2 * n + s);
  for (int x = 2; x <= 3; ++x)
    for (int y = 0; y <= x; ++y)
      for (int z = 0; z <= (decay.axes == 3 ? y : 0); ++z) {
        const double mean =
            mean_over_box(
                decay, x, y, z, [&](double w2) { return screening.outer(n, w2) / integer_power(w2, n + s); }, points) /
            (2 * n + s);
        int d[3] = {z, y, x};
        do means.outer[d[0]][d[1]][d[2]] = {mean, 1, n};
        while (std::next_permutation(d, d + 3));
      }
  return means;
}

const TailMeans& tail_means(const Decay& decay, int degree) {
  static std::array<TailMeans, max_degree + 1> known[2];
  static std::array<std::once_flag, max_degree + 1> made[2];
  const auto i = static_cast<std::size_t>(degree), kind = static_cast<std::size_t>(decay.steeper);
  std::call_once(made[kind][i], [&] { known[kind][i] = make_tail_means(decay, degree, {}, AxisRule::most); });
  return known[kind][i];
}

/// Fits gain less at lower degrees, which what they gain at the highest is to stand for (truncation_safety).
TailMeans tail_means(int degree, Fit fit) {
  TailMeans means = tail_means(solid_decay, degree);
  const auto of_random = [](int d) {  // mean of r^(2n), n the first degree that lacks
    const TailMeans& own = tail_means(solid_decay, d);
    return own.inner * (2 * own.n + solid_decay.steeper);
  };
  for (int x = 0; x <= far_reach; ++x)
    for (int y = 0; y <= far_reach; ++y)
      for (int z = 0; z <= far_reach; ++z) {
        const double t[3] = {double(x), double(y), double(z)};
        const int own = far_offset(x, y, z).op < 0 ? degree : laplace::source_degree(degree, fit, t);
        if (own == degree) continue;
        const double gain = solid_errors.fitted_gain(degree) / solid_errors.fitted_gain(own),
                     power = of_random(own) / of_random(degree) * gain * gain;
        means.outer[x][y][z] = {power * tail_means(solid_decay, own).outer[x][y][z].mean, power, own + 1};
      }
  return means;
}

/// The terms of degrees n, n + 1, ... at 1.5 edges from a source in a corner: their squares fall by a third per degree
/// for 1/r, which truncation_safety knows, but hardly where lambda exceeds n.
static Screening screening_of(int n, double lambda) {
  Screening s{lambda};
  constexpr double corner2 = 0.75, face2 = 2.25, of_laplace = corner2 / face2;
  const auto term = [&](int degree) { return s.squared(degree, corner2, -1) * s.squared(degree, face2, 1); };
  s.series = (1 - of_laplace) / (1 - std::min(0.99, of_laplace * term(n + 1) / term(n)));
  return s;
}

// Below this lambda screening changes no term by more than 1 %; above the other one all expansions are 0.
static constexpr double least_screening = 1e-3, most_screening = 1e3;

LevelMeans::LevelMeans(const Decay& decay, int degree, double root_scale, int levels, int first)
    : all_(tail_means(decay, degree)) {
  constexpr int few = 6;
  for (int level = 0; level < levels && root_scale > 0; ++level) {
    const double lambda = std::ldexp(root_scale, -level);
    const bool screened = level >= first && lambda > least_screening && lambda < most_screening;
    own_.push_back(screened ? make_tail_means(decay, degree, screening_of(degree + 1, lambda), few) : all_);
  }
}

// Of 1,500 sums the true error was 6.7 times the estimate at most with 12 translations, 13 with one. Where a few close
// pairs carry the norm, a degree far below the tolerance's own suffices, and few targets carry the error: 2.0 times the
// estimate of degree 4 at 4e-10.
double truncation_safety(const Decision& d, std::int64_t translations) {
  const double few = std::min(10.0, 30 / std::sqrt(1.0 + static_cast<double>(translations)));
  const ErrorCurve& errors = *traits(d.kernel).errors;
  const int above = d.degree + 6;
  const bool carried_by_pairs =
      above < max_degree && errors.truncation(above, d.reduced, d.derivatives()) > d.tolerance;
  return (1.25 + few) * errors.one_sign_safety(d.degree) * (d.reduced ? 12 : 1) * (carried_by_pairs ? 1.6 : 1) /
         fitted_gain(d.kernel, d.fits(), d.degree);
}

/// Calls body(box) for all boxes; the sum of what it returns, the same for any number of threads.
template <class Body>
static Truncation sum_over_boxes(const TreeView& tree, int threads, Body&& body) {
  constexpr BoxId grain = BoxTails::grain;
  const BoxId chunks = (tree.boxes + grain - 1) / grain;
  std::vector<Truncation> parts(static_cast<std::size_t>(chunks));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (BoxId c = 0; c < chunks; ++c)
    for (BoxId box = c * grain; box < std::min(tree.boxes, (c + 1) * grain); ++box)
      parts[static_cast<std::size_t>(c)] += body(box);
  Truncation sum;
  for (const Truncation& part : parts) sum += part;
  return sum;
}

/// Squared errors at all targets of a treecode, where multipoles of accepted boxes are all that is truncated: from a
/// sample of targets, evenly spaced in the order of the tree, since rows are long: looking at all targets of 1e6 would
/// take twice as long as their sums.
static Truncation accepted_tails(const TreeView& tree, const ListView& m2p, const double* power,
                                 const double* const target[3], const LevelMeans& means, int threads) {
  const std::int64_t targets = tree.target_count(0);
  const std::int64_t step = std::max<std::int64_t>(1, targets / std::clamp<std::int64_t>(targets / 16, 128, 2048));
  const Truncation sum = sum_over_boxes(tree, threads, [&](BoxId box) {
    Truncation own;
    if (!tree.is_leaf(box)) return own;
    for (std::int64_t i = (tree.target_begin[box] + step - 1) / step * step; i < tree.target_end[box]; i += step)
      for (std::int64_t k = m2p.begin[box]; k < m2p.begin[box + 1]; ++k) {
        const BoxId source = m2p.items[k];
        const double a = tree.lattice.edge(tree.level[source]);
        const TailMeans& of_level = means[tree.level[source]];
        own += outer_tail(power[source], square_from_centre(tree, source, target, i, a, of_level.decay), a, of_level);
      }
    return own;
  });
  return scaled_tail(sum, static_cast<double>(step));
}

/// Squared errors at far targets from the terms that the multipoles lack.
static Truncation far_tails(const TreeView& tree, const double* power, const double* const target[3],
                            const LevelMeans& means, int judged, int threads) {
  const BoxSample sample = sample_boxes(tree, far_tails_drawn, judged, [&](BoxId box) { return power[box]; });
  if (!sample.finite(judged)) return {{sample.sum[0], sample.sum[1], sample.sum[2]}};
  std::vector<double> missed(sample.boxes.size());
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
  for (std::size_t i = 0; i < missed.size(); ++i) {
    const BoxId box = sample.boxes[i].box;
    missed[i] = far_targets(tree, box, target, means[tree.level[box]]);
  }
  Truncation sum;
  for (std::size_t i = 0; i < missed.size(); ++i)
    add_far_tail(sum, sample.boxes[i], missed[i], judged, means[tree.level[sample.boxes[i].box]]);
  return sum;
}

template <class Real>
Truncation truncation(const TreeView& tree, const ListsView& lists, const Expansions<Real>& e,
                      const double* const target[3], double* power, int threads) {
  const bool locals = e.local;
  const int first = locals ? 2 : 0;
  if (tree.levels <= first) return {};
  const LevelMeans means(e, tree.levels);
  find_powers(tree, e, first, power, threads);
  if (!locals) return accepted_tails(tree, lists.m2p, power, target, means, threads);
  Truncation sum =
      sum_over_boxes(tree, threads, [&](BoxId box) { return box_tail(tree, lists.m2p, box, e, power, target, means); });
  sum += far_tails(tree, power, target, means, e.judged, threads);
  return sum;
}

template Truncation truncation<float>(const TreeView&, const ListsView&, const Expansions<float>&,
                                      const double* const[3], double*, int);
template Truncation truncation<double>(const TreeView&, const ListsView&, const Expansions<double>&,
                                       const double* const[3], double*, int);

}  // namespace farfield
