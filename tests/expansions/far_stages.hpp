// The far stages of the CPU backend over a tree, without the near field: what their tests share.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "backends/cpu/boxes/tree.hpp"
#include "backends/cpu/far/table_cache.hpp"
#include "backends/cpu/stages.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "support/moments.hpp"

namespace farfield::testing {

/// What leads from the sources to the targets: m2l, m2p or p2l alone, or everything as the tree's lists say.
enum class Route { chain, m2p, p2l };

/// Sources and targets in the unit cube, whose corners are among the sources, so that scaled coordinates are the
/// caller's.
template <class Real>
class FarStages {
 public:
  FarStages(const MomentSources& sources, const std::vector<double>& targets, const TreeOptions& options, int degree,
            bool rotation)
      : sources_(sources),
        targets_(targets),
        stages_(cpu::stages<Real>(Kernel::laplace3d, cpu::resolve_simd(Simd::automatic))),
        tables_(cpu::shared_tables<Real>({Kernel::laplace3d, degree, rotation, false}, 1)) {
    const Points from = points(sources_.positions), at = points(targets_);
    const Geometry geometry = cpu::survey(from, &at, 1);
    EXPECT_EQ(geometry.exponent, 0);
    cpu::build(built_, from, &at, geometry, options);
    work_.rotation = rotation;
    bind();
  }

  const cpu::Work<Real>& work() const { return work_; }
  BoxId leaf_of(std::size_t point, bool target) const {
    const TreeView& tree = work_.tree;
    const auto& sorted = target ? built_.targets : built_.sources;
    std::int64_t at = 0;
    while (sorted.order[at] != point) ++at;
    for (BoxId box = 0; box < tree.boxes; ++box) {
      const std::int64_t begin = target ? tree.target_begin[box] : tree.source_begin[box],
                         end = target ? tree.target_end[box] : tree.source_end[box];
      if (tree.is_leaf(box) && begin <= at && at < end) return box;
    }
    return no_box;
  }

  /// Targets of `target` receive from the sources of `source` alone.
  void send(Route route, BoxId source, BoxId target) {
    item_ = source;
    row_.assign(static_cast<std::size_t>(work_.tree.boxes) + 1, 0);
    for (BoxId box = target; box < work_.tree.boxes; ++box) row_[static_cast<std::size_t>(box) + 1] = 1;
    ListView& list = route == Route::m2p ? work_.lists.m2p : work_.lists.p2l;
    list.begin = row_.data(), list.items = &item_;
    if (route == Route::m2p) stages_.p2m(work_), stages_.m2p(work_);
    if (route == Route::p2l) stages_.p2l(work_), stages_.l2p(work_);
  }

  void run() {
    stages_.p2m(work_);
    for (int level = work_.tree.levels - 2; level >= 2; --level) stages_.m2m(work_, level);
    stages_.m2l(work_), stages_.p2l(work_);
    for (int level = 2; level < work_.tree.levels; ++level) stages_.l2l(work_, level);
    stages_.l2p(work_), stages_.m2p(work_);
  }

  /// A part at a target of the caller.
  double result(int part, std::size_t target) const {
    for (std::int64_t i = 0; i < built_.targets.count; ++i)
      if (built_.targets.order[i] == target) return static_cast<double>(result_[part][static_cast<std::size_t>(i)]);
    return NAN;
  }
  /// The exact sum there of all sources that do not reach it by pairs.
  MomentSum expected(std::size_t target) const {
    const BoxId leaf = leaf_of(target, true);
    std::vector<bool> near(sources_.count(), false);
    for (std::int64_t k = work_.lists.near.begin[leaf]; k < work_.lists.near.begin[leaf + 1]; ++k)
      for (std::int64_t i = work_.tree.source_begin[work_.lists.near.items[k]];
           i < work_.tree.source_end[work_.lists.near.items[k]]; ++i)
        near[built_.sources.order[i]] = true;
    MomentSources far;
    for (std::size_t j = 0; j < sources_.count(); ++j) {
      if (near[j]) continue;
      if (!sources_.charges.empty()) far.charges.push_back(sources_.charges[j]);
      for (std::size_t a = 3 * j; a < 3 * j + 3; ++a) {
        far.positions.push_back(sources_.positions[a]);
        if (!sources_.dipoles.empty()) far.dipoles.push_back(sources_.dipoles[a]);
      }
    }
    return moments_at(far, &targets_[3 * target]);
  }

 private:
  void bind() {
    work_.tree = built_.tree.view(), work_.lists = built_.lists.view(), work_.tables = tables_->view();
    const std::size_t count = sources_.count();
    for (std::size_t c = 0; c < with_dipole; ++c) {
      strength_[c].assign(count + padding, 0);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t j = built_.sources.order[static_cast<std::int64_t>(i)];
        if (c == 0 && !sources_.charges.empty()) strength_[c][i] = static_cast<Real>(sources_.charges[j]);
        if (c > 0 && !sources_.dipoles.empty()) strength_[c][i] = static_cast<Real>(sources_.dipoles[3 * j + c - 1]);
      }
    }
    work_.strength = strength_[0].data();
    for (int a = 0; a < 3; ++a) {
      work_.source[a] = built_.sources.axis[a].data(), work_.target[a] = built_.targets.axis[a].data();
      work_.dipole[a] = sources_.dipoles.empty() ? nullptr : strength_[1 + a].data();
    }
    const std::size_t numbers = static_cast<std::size_t>(work_.tree.boxes * work_.tables.stride);
    multipole_.assign(numbers, 0), local_.assign(numbers, 0);
    work_.multipole = multipole_.data(), work_.local = local_.data();
    for (int part = 0; part < most_parts; ++part) {
      result_[part].assign(static_cast<std::size_t>(built_.targets.count) + padding, 0);
      work_.result.part[part] = result_[part].data();
    }
  }

  MomentSources sources_;
  std::vector<double> targets_;
  cpu::Stages<Real> stages_;
  std::shared_ptr<const cpu::Tables<Real>> tables_;
  cpu::CpuTree built_;
  std::vector<Real> strength_[with_dipole], multipole_, local_, result_[most_parts];
  std::vector<std::int64_t> row_;
  BoxId item_ = no_box;
  cpu::Work<Real> work_;
};

/// Norm of the parts of one order: off the diagonal a Hessian's stand for two.
template <class At>
double norm_of_order(int order, At&& at) {
  constexpr int begin[] = {0, 1, with_gradient, with_hessian};
  double squares = 0;
  for (int part = begin[order]; part < begin[order + 1]; ++part) squares += (part > 6 ? 2 : 1) * at(part) * at(part);
  return std::sqrt(squares);
}

}  // namespace farfield::testing
