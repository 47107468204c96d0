#include "plan/report/describe.hpp"

#include <algorithm>
#include <cstdio>
#include <farfield/version.hpp>
#include <limits>
#include <vector>

#include "core/number.hpp"
#include "kernels/traits.hpp"
#include "plan/boundary.hpp"
#include "tree/lattice.hpp"

namespace farfield {

static std::int64_t all_pairs(std::int64_t sources, std::int64_t targets) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return targets > 0 && sources > most / targets ? most : sources * targets;
}

Report describe(const Options& o, const Decision& d, const Geometry& g, int threads) {
  Report r;
  r.version = FARFIELD_VERSION;
  r.kernel = traits(d.kernel).name;
  r.method = word_of(d.method);
  r.backend = r.device = word_of(d.backend);
  r.precision = word_of(d.precision);
  r.simd = word_of(d.simd);
  r.tolerance = o.tolerance;
  r.tolerance_for = word_of(o.tolerance_for);
  r.scale = o.scale;
  r.softening = o.softening;
  r.kappa = o.kappa;
  if (o.softening > 0) r.softening_kind = word_of(o.softening_kind);
  r.bandwidth = o.bandwidth;
  r.relative_to = traits(d.kernel).bounded ? "strengths" : "results";
  r.gradient = o.gradient;
  r.potential = sums_potential(o);
  r.hessian = o.hessian;
  r.dipoles = o.dipoles;
  const VectorResult& made = traits(d.kernel).vector;
  r.vector = made.name;
  for (const char* component : made.components)
    if (component) r.components.emplace_back(component);
  if (o.core != Core::none) r.core = word_of(o.core), r.core_radius = o.core_radius;
  r.threads = threads;
  r.sources = g.sources;
  r.targets = g.alike ? g.sources : g.targets;
  r.choices = d.choices;
  r.pairs_per_second = static_cast<std::int64_t>(d.pairs_per_second);
  r.near_pairs = all_pairs(r.sources, r.targets);
  r.expected_seconds = d.backend == Backend::cuda ? d.seconds : d.seconds / threads;
  if (!d.expands()) return r;
  if (d.method == Method::fmm) {
    r.m2l = d.rotation ? "rotation" : "dense";
    r.stencil = d.reduced ? "reduced" : "full";
  }
  r.degree = d.degree;
  r.coefficients = traits(d.kernel).coefficients(d.degree);
  r.leaf_size = d.leaf_size;
  return r;
}

void correct_cube(Decision& d, const Geometry& g) {
  if (!d.expands() || d.depth < 0 || g.extent == 0) return;
  const double times = make_lattice(g, d.root).edge(0) / g.extent;
  if (times < 1.01) return;  // rounding and a little room
  char text[160];
  std::snprintf(
      text, sizeof text,
      "as asked: a uniform tree, but in a cube of %.2g times the data's extent, because the points lie so far "
      "from zero that smaller boxes would not be exact",
      times);
  for (Choice& choice : d.choices)
    if (choice.name == "depth") choice.reason = text;
}

void note_kept_tree(Report& r, double skin) {
  const std::string reason = "no point is farther than " + number(skin) + " from where it was when the tree was built";
  const auto told = [](const Choice& choice) { return choice.name == "tree"; };
  if (std::none_of(r.choices.begin(), r.choices.end(), told)) r.choices.push_back({"tree", "kept", reason});
}

void start_evaluation(Report& report, std::int64_t vectors) {
  std::erase_if(report.stages, [](const StageReport& stage) { return !stage.building; });
  report.warnings.clear();
  report.error.reset();
  report.vectors = vectors;
}

}  // namespace farfield
