#include "model/degree.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/traits.hpp"
#include "model/error_model.hpp"

namespace farfield {
namespace {

/// The sums over host arrays.
class HostSums final : public PlacementSums {
 public:
  HostSums(const TreeView& tree, const PlacedPoints& sources, const PlacedPoints& targets, double softening,
           int derivatives, int threads)
      : tree_(tree),
        sources_(sources),
        targets_(targets),
        softening_(softening),
        derivatives_(derivatives),
        threads_(threads) {}
  int levels() const override { return targets_.begin ? tree_.levels : 0; }
  double targets() const override { return static_cast<double>(tree_.target_count(0)); }
  bool in_planes() override { return stand_in_planes(tree_, sources_); }
  double finest_edge() const override { return tree_.lattice.edge(tree_.levels - 1); }
  bool heaped(std::int64_t most) override {
    for (BoxId box = 0; box < tree_.boxes; ++box)
      if (tree_.is_leaf(box) && std::max(tree_.source_count(box), tree_.target_count(box)) > most) return true;
    return false;
  }
  ResultNorms norms() override { return result_norms(tree_, sources_, targets_, threads_, {softening_, derivatives_}); }
  Placement typical(const ResultNorms& norms, int degree) override { return far().typical(norms, degree); }
  Placement facing(const ResultNorms& norms, int degree) override { return far().facing(norms, degree); }

 private:
  const FarPairs& far() {
    return far_ ? *far_
                : far_.emplace(tree_, sources_, targets_, threads_, FarPairs::Looks{.derivatives = derivatives_});
  }
  const TreeView& tree_;
  const PlacedPoints &sources_, &targets_;
  double softening_;
  int derivatives_, threads_;
  std::optional<FarPairs> far_;
};

}  // namespace

/// Expected error at any degree, the largest of those of all parts, with as many derivatives of a pair's potential as
/// charges and dipoles have in each. The typical pairs alone often decide.
class ExpectedError {
 public:
  ExpectedError(const Decision& d, PlacementSums& sums)
      : decision_(d),
        sums_(sums),
        curve_(*traits(d.kernel).errors),
        in_planes_(sums.in_planes()),
        // a leaf that the least edge makes wide may hold more
        heaped_(sums.finest_edge() >= 2 * d.least_edge && sums.heaped(4 * d.leaf_size)),
        norms_(sums.norms()) {}

  bool exceeds(double tolerance, int degree) const {
    return cheap(degree) > tolerance || (!in_planes_ && of(degree, sums_.facing(norms_, degree)) > tolerance);
  }
  /// Without facing pairs: their sum at one degree takes as long as everything else.
  double cheap(int degree) const {
    return in_planes_ ? curve_.crystal(degree, decision_.reduced, decision_.derivatives()) : of(degree, {});
  }
  bool in_planes() const { return in_planes_; }

 private:
  /// Factor on the expected error. Where there are many translations, the CPU measures the error before it evaluates
  /// again (worth_measuring), so that it may try a lower degree. Of small sums the error varies more by chance, and
  /// evaluating again costs more than a higher degree. On a GPU the first degree must satisfy the estimate
  /// made after the evaluation (src/judge).
  double judged(int degree) const {
    if (decision_.backend == Backend::cuda) return std::max(1.0, curve_.one_sign_safety(degree) / 1.6);
    if (sums_.targets() < 2e4 && decision_.tolerance > 3e-5) return 1.2;
    return sums_.targets() >= 1e5 && degree >= 5 ? 0.88 : 1;
  }
  double of(int degree, const Placement& of_facing) const {
    const Placement of_typical = sums_.typical(norms_, degree);
    const double typical = curve_.typical_pair(degree), facing = curve_.facing_pair(degree), d = std::max(1, degree);
    const auto expected = [&](double typical_sum, double facing_sum) {
      const TargetKind kind{sums_.targets(), norms_.near_share < 0.5, heaped_};
      return judged(degree) / fitted_gain(decision_.kernel, decision_.fitted, degree) *
             curve_.expected(typical_sum * typical, facing_sum * facing, degree, kind, decision_.reduced);
    };
    double error = 0, per_edge = 1;  // an error's derivative over it, in edges of a box
    for (int k = 0; k <= decision_.derivatives(); ++k, per_edge *= d) {
      if (k < decision_.judged_from) continue;
      const double own = expected(per_edge * of_typical.order[k], per_edge * of_facing.order[k]);
      error = std::max(error, k == 0 ? screened(degree) * own : own);
    }
    return error;
  }

  const Decision& decision_;
  PlacementSums& sums_;
  const ErrorCurve& curve_;
  /// Factor of screening on the relative error of the potential; that of the gradient, which near pairs carry, is no
  /// larger than without. What a level's expansions lack falls as their first missing terms, I_n K_n, by about exp(-2
  /// lambda^2 / (2n+1)), lambda being kappa times the edge; squares of these errors are as the edges. Errors of uniform
  /// points, N = 1e5, degree 8, kappa 1, 3, 10, 30: 1.20, 1.38, 1.53, 1.03 times those of 1/r, here 1.24, 1.6, 1.6, 2;
  /// degree 16: 1.21, 1.42, 1.78, 1.62, here 1.25, 1.7, 2.0, 2. Clusters: 1.9 at most.
  double screened(int degree) const {
    const double kappa = decision_.parameters.screening;
    if (!(kappa > 0)) return 1;
    double lacking = 0, all = 0, edge = sums_.finest_edge();
    for (int level = sums_.levels() - 1; level >= 2; --level, edge *= 2) {
      const double lambda = kappa * edge;
      all += edge, lacking += edge * std::exp(-4 * lambda * lambda / (2 * degree + 1));
    }
    return std::max(1.0, screened_growth(kappa) * std::max(0.5, std::sqrt(lacking / all)));
  }

  bool in_planes_, heaped_;
  ResultNorms norms_;
};

/// What has been kept over a move has a line of its own in the report.
static void record(Report& report, const Decision& d, int degree, bool in_planes) {
  report.degree = degree;
  report.coefficients = traits(d.kernel).coefficients(degree);
  for (Choice& choice : report.choices)
    if (choice.name == "degree") {
      choice.value = std::to_string(degree);
      if (degree != d.degree)
        choice.reason += in_planes ? ", points in planes along the axes considered"
                                   : ", the points' places in their boxes considered";
    }
}

/// Where the points' places in their boxes count only if they stand in planes.
static Settled settle_for_planes(const Decision& d, PlacementSums& sums, Report& report) {
  const ErrorCurve& curve = *traits(d.kernel).errors;
  if (!sums.in_planes()) return {d.degree, false};
  const int highest = highest_degree(d);
  int degree = d.degree;
  while (degree < highest && curve.crystal(degree, d.reduced, d.derivatives()) > d.tolerance) ++degree;
  record(report, d, degree, true);
  return {degree, true};
}

Settled settle_degree(const Decision& d, PlacementSums& sums, Report& report) {
  if (sums.levels() <= 2) return {d.degree, false};  // nothing is far
  if (!traits(d.kernel).errors->typical_pair) return settle_for_planes(d, sums, report);
  const ExpectedError expected(d, sums);
  // Below degree 4 the powers of an expansion do not yet show how fast they decay (truncation.hpp).
  const int highest = highest_degree(d), lowest = std::max({1, std::min(d.degree - 1, 4), d.least_degree});
  int degree = lowest;
  while (degree < highest && expected.cheap(degree) > d.tolerance) ++degree;
  while (degree < highest && expected.exceeds(d.tolerance, degree)) ++degree;
  record(report, d, degree, expected.in_planes());
  return {degree, expected.in_planes()};
}

Settled settle_degree(const Decision& d, const TreeView& tree, const PlacedPoints& sources, const PlacedPoints& targets,
                      double softening, int threads, Report& report) {
  HostSums sums(tree, sources, targets, softening, d.derivatives(), threads);
  return settle_degree(d, sums, report);
}

}  // namespace farfield
