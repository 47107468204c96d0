#include "plan/degree.hpp"

#include <algorithm>
#include <cmath>

#include "plan/error_model.hpp"

namespace farfield {

/// Expected error of every degree asked about, the larger of potential and gradient.
class ExpectedError {
 public:
  ExpectedError(const Decision& d, const TreeView& tree, const PlacedPoints& sources, const PlacedPoints& targets, int threads)
      : decision_(d), tree_(tree), sources_(sources), targets_(targets), threads_(threads),
        kind_{d.dimension, static_cast<double>(tree.target_count(0)), stand_in_planes(tree, sources)},
        norms_(result_norms(tree, sources, targets, threads)) {}

  double operator()(int degree) const {
    const Placement p = placement(tree_, sources_, targets_, norms_, degree, threads_);
    const PairError pair = pair_error(degree, kind_, decision_.reduced);
    const double potential = pair.potential * p.potential, gradient = pair.gradient * p.gradient;
    return decision_.gradient ? std::max(potential, gradient) : potential;
  }
  bool in_planes() const { return kind_.in_planes; }

 private:
  const Decision& decision_;
  const TreeView& tree_;
  const PlacedPoints &sources_, &targets_;
  int threads_;
  PlacementKind kind_;
  ResultNorms norms_;
};

static void record(Report& report, int from, int degree, bool in_planes) {
  report.degree = degree;
  report.coefficients = std::int64_t(degree + 1) * (degree + 1);
  for (Choice& choice : report.choices)
    if (choice.name == "degree") {
      choice.value = std::to_string(degree);
      if (degree != from)
        choice.reason += in_planes ? ", points in planes along the axes considered"
                                   : ", the points' places in their boxes considered";
    }
}

int settle_degree(const Decision& d, const TreeView& tree, const PlacedPoints& sources, const PlacedPoints& targets,
                  int threads, Report& report) {
  if (tree.levels <= 2 || targets.begin == nullptr) return d.degree;  // nothing is far
  const ExpectedError expected(d, tree, sources, targets, threads);
  // Strengths of one sign add up coherently on curves, where the model expects next to nothing: go down five at most.
  const int lowest = std::max(1, d.degree - 5);
  int degree = d.degree;
  if (expected(degree) <= d.tolerance)
    while (degree > lowest && expected(degree - 1) <= d.tolerance) --degree;
  else
    while (degree < max_degree && expected(++degree) > d.tolerance) {
    }
  record(report, d.degree, degree, expected.in_planes());
  return degree;
}

}  // namespace farfield
