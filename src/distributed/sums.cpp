#include "distributed/sums.hpp"

#include <algorithm>
#include <cmath>

#include "backends/cpu/far/table_cache.hpp"
#include "backends/cpu/transfer/transfer.hpp"
#include "core/results.hpp"
#include "distributed/strengths.hpp"
#include "kernels/traits.hpp"
#include "methods/fmm.hpp"
#include "tree/geometry.hpp"

namespace farfield::distributed {
namespace {

template <class Real>
class SumsOf final : public Sums {
 public:
  SumsOf(Ranks& ranks, const Share& share, const Decision& decision, int exponent, int threads)
      : ranks_(ranks),
        share_(share),
        decision_(decision),
        exponent_(exponent),
        stages_(cpu::stages<Real>(decision.kernel, decision.simd)) {
    tables_ = cpu::shared_tables<Real>({decision.kernel,
                                        expansion_degree(decision.kernel, decision.degree),
                                        decision.rotation,
                                        decision.reduced,
                                        true,
                                        {}},
                                       threads);
    work_.threads = threads;
  }

  void sum(const Slice& slice, const Outputs& outputs, double scale, StageClock& clock) override {
    allocate(slice.count());
    clock("gather", [&] { gather(slice); });
    bind(slice.count());
    RankStages<Real> stages{stages_, own_, top_, work_, ranks_, share_};
    fmm(stages, clock);
    clock("scatter", [&] { scatter(slice, outputs, scale); });
  }
  bool finite(int vector) const override { return finite_[static_cast<std::size_t>(vector)]; }

 private:
  int parts() const { return decision_.parts(); }
  std::int64_t places() const { return share_.essential.points.count; }
  std::int64_t pitch() const { return places() + cpu::strength_padding; }

  void allocate(int densities);
  void gather(const Slice& slice);
  void fetch_ghosts(int densities);
  void bind(int densities);
  void bind_tree(cpu::Work<Real>& work, const Tree<Array>& tree, Array<Real>& multipole) const;
  std::vector<double> results(const Slice& slice, double scale);
  void scatter(const Slice& slice, const Outputs& outputs, double scale);

  Ranks& ranks_;
  const Share& share_;
  Decision decision_;
  int exponent_;
  cpu::Stages<Real> stages_;
  std::shared_ptr<const cpu::Tables<Real>> tables_;
  DensityArrays<Array<Real>> arrays_;  ///< of the essential tree
  Array<Real> own_multipole_, top_multipole_;
  cpu::Work<Real> own_, top_, work_;
  std::vector<char> finite_;
};

template <class Real>
void SumsOf<Real>::allocate(int densities) {
  const std::int64_t stride = tables_->view().stride;
  arrays_.strength[0].resize(densities * pitch());
  arrays_.resize_results(parts(), densities * places());
  arrays_.multipole.resize(densities * share_.essential.tree.boxes * stride);
  arrays_.local.resize(densities * share_.essential.tree.boxes * stride);
  own_multipole_.resize(densities * share_.own.tree.boxes * stride);
  top_multipole_.resize(densities * share_.top.tree.boxes * stride);
}

/// Strengths to the owners of their points, rounded to Real only after their scaling, and from there to the ghosts.
template <class Real>
void SumsOf<Real>::gather(const Slice& slice) {
  const int densities = slice.count();
  std::vector<Scaling> scale;
  for (const int exponent : slice.exponents) scale.emplace_back(-exponent);
  const std::vector<Real> owned =
      share_.route.template to_owners<Real>(ranks_, densities, [&](std::uint32_t i, Real* to) {
        for (int v = 0; v < densities; ++v)
          to[v] =
              static_cast<Real>(scale[static_cast<std::size_t>(v)](strength_of(slice.strengths, slice.first + v, i)));
      });
  Real* const strength = arrays_.strength[0].data();
  std::fill_n(strength, densities * pitch(), Real(0));
  for (std::int64_t i = 0; i < share_.owned(); ++i)
    for (int v = 0; v < densities; ++v)
      strength[v * pitch() + share_.essential.first + i] =
          owned[static_cast<std::size_t>(std::int64_t(share_.own.points.order[i]) * densities + v)];
  fetch_ghosts(densities);
}

template <class Real>
void SumsOf<Real>::fetch_ghosts(int densities) {
  std::vector<std::int64_t> sent, received;
  for (const Halo& halo : share_.sends) sent.push_back(halo.points());
  for (const Halo& halo : share_.receives) received.push_back(halo.points());
  const Begins sent_from = begins_of(sent), received_from = begins_of(received);
  std::vector<Real> out, in(static_cast<std::size_t>(received_from.back() * densities));
  out.reserve(static_cast<std::size_t>(sent_from.back() * densities));
  Real* const strength = arrays_.strength[0].data();
  for (const Halo& halo : share_.sends)
    for (const Interval& one : halo.intervals)
      for (std::int64_t i = one.begin; i < one.end; ++i)
        for (int v = 0; v < densities; ++v) out.push_back(strength[v * pitch() + share_.essential.first + i]);
  ranks_.exchange(out.data(), sent_from, in.data(), received_from, densities);
  const Real* from = in.data();
  for (const Halo& halo : share_.receives)
    for (const Interval& one : halo.intervals)
      for (std::int64_t i = one.begin; i < one.end; ++i)
        for (int v = 0; v < densities; ++v) strength[v * pitch() + i] = *from++;
}

template <class Real>
void SumsOf<Real>::bind_tree(cpu::Work<Real>& work, const Tree<Array>& tree, Array<Real>& multipole) const {
  work.tree = tree.view();
  work.expansion_pitch = tree.boxes * work.tables.stride;
  work.multipole = multipole.data();
}

template <class Real>
void SumsOf<Real>::bind(int densities) {
  const Essential& e = share_.essential;
  work_.tables = tables_->view();
  work_.strength_pitch = pitch();
  work_.result_pitch = places();
  work_.densities = densities;
  arrays_.point_at(0, 1, parts(), work_);
  bind_tree(work_, e.tree, arrays_.multipole);
  work_.lists = e.lists.view();
  for (int axis = 0; axis < 3; ++axis) work_.source[axis] = work_.target[axis] = e.points.axis[axis].data();
  work_.source_order = work_.target_order = e.points.order.data();
  work_.parameters = decision_.parameters;
  work_.rotation = decision_.rotation;
  work_.reduced = decision_.reduced;
  work_.pair_terms = decision_.pair_terms;
  work_.decay_error = decision_.decay_error;
  own_ = top_ = work_;
  bind_tree(own_, share_.own.tree, own_multipole_);
  bind_tree(top_, share_.top.tree, top_multipole_);
  own_.strength += e.first;
  for (const double*& axis : own_.source) axis += e.first;
}

/// In the caller's units, for the owned points in the order in which they came: [owned][vectors][1 + 3], potential and
/// gradient, those that are summed.
template <class Real>
std::vector<double> SumsOf<Real>::results(const Slice& slice, double scale) {
  const int densities = slice.count(), first = first_part(parts()), width = end_part(parts()) - first;
  std::vector<double> all(static_cast<std::size_t>(share_.owned() * densities * width));
  finite_.assign(static_cast<std::size_t>(densities), true);
  for (int v = 0; v < densities; ++v) {
    const ResultFactors factors = result_factors(traits(decision_.kernel).homogeneity, scale, exponent_,
                                                 slice.exponents[static_cast<std::size_t>(v)], work_.softening);
    for (std::int64_t i = 0; i < share_.owned(); ++i) {
      const std::int64_t at = v * places() + share_.essential.first + i;
      double* const to =
          &all[static_cast<std::size_t>((std::int64_t(share_.own.points.order[i]) * densities + v) * width)];
      for (int part = first; part < end_part(parts()); ++part) {
        const double result = static_cast<double>(work_.result.any(part)[at]);
        if (!std::isfinite(result)) finite_[static_cast<std::size_t>(v)] = false;
        to[part - first] = factors[part](result);
      }
    }
  }
  ranks_.least(finite_);
  return all;
}

template <class Real>
void SumsOf<Real>::scatter(const Slice& slice, const Outputs& outputs, double scale) {
  const int densities = slice.count(), first = first_part(parts()), width = end_part(parts()) - first;
  const VectorResult& made = traits(decision_.kernel).vector;
  const std::vector<double> owned = results(slice, scale);
  share_.route.to_givers(ranks_, densities * width, owned, [&](std::uint32_t i, const double* rows) {
    for (int v = 0; v < densities; ++v, rows += width) {
      const std::int64_t at = (slice.first + v) * slice.strengths.count + i;
      if (first == 0) write(outputs.potential, outputs.scalar, at, rows[0]);
      if (parts() > 1)
        for (int axis = 0; axis < 3; ++axis)
          write(outputs.gradient, outputs.scalar, 3 * at + axis, made.sign[axis] * rows[made.part[axis] - first]);
    }
  });
}

}  // namespace

std::unique_ptr<Sums> make_sums(Ranks& ranks, const Share& share, const Decision& decision, int exponent, int threads) {
  if (decision.precision == Precision::single_)
    return std::make_unique<SumsOf<float>>(ranks, share, decision, exponent, threads);
  return std::make_unique<SumsOf<double>>(ranks, share, decision, exponent, threads);
}

}  // namespace farfield::distributed
