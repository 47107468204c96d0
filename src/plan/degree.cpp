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
        in_planes_(stand_in_planes(tree, sources)), norms_(result_norms(tree, sources, targets, threads)) {}

  double operator()(int degree) const {
    if (in_planes_) return crystal_error(degree, decision_.reduced, decision_.gradient);
    const Placement p = placement(tree_, sources_, targets_, norms_, degree, threads_);
    const double typical = typical_pair_error(degree), facing = facing_pair_error(degree), d = std::max(1, degree);
    const auto expected = [&](double of_typical, double of_facing) {
      const TargetKind kind{static_cast<double>(tree_.target_count(0)), remote()};
      return expected_error(of_typical * typical, of_facing * facing, degree, kind, decision_.reduced);
    };
    const double potential = expected(p.typical.potential, p.facing.potential);
    if (!decision_.gradient) return potential;
    return std::max(potential, expected(d * p.typical.gradient, d * p.facing.gradient));
  }
  bool in_planes() const { return in_planes_; }
  bool remote() const { return norms_.near_share < 0.5; }

 private:
  const Decision& decision_;
  const TreeView& tree_;
  const PlacedPoints &sources_, &targets_;
  int threads_;
  bool in_planes_;
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
  // Below the degree of evenly filled volumes little is to be gained, and strengths of one sign or a few heavy ones
  // would show; above the degree of crystals nothing was ever measured.
  const int lowest = std::max(1, d.degree - 1), highest = expected.remote() ? max_degree : highest_degree(d.tolerance, d.reduced);
  int degree = std::clamp(d.degree, lowest, highest);
  if (expected(degree) <= d.tolerance)
    while (degree > lowest && expected(degree - 1) <= d.tolerance) --degree;
  else
    while (degree < highest && expected(degree) > d.tolerance) ++degree;
  record(report, d.degree, degree, expected.in_planes());
  return degree;
}

}  // namespace farfield
