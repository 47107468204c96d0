// p2p: the near field. Each target leaf gathers the pairs with every box of its near list.
// Cost: 20 flops and one reciprocal square root per pair (with gradient); sources come from cache.
#include "backends/cpu/pair_sum.hpp"
#include "backends/cpu/stage_list.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// Calls f(begin, end) for the source ranges of a near row, merging boxes that follow one another in memory.
template <class F>
static inline void for_each_run(const TreeView& tree, const ListView& near, BoxId box, F&& f) {
  std::int64_t begin = 0, end = 0;
  for (std::int64_t i = near.begin[box]; i < near.begin[box + 1]; ++i) {
    const BoxId source = near.items[i];
    if (tree.source_begin[source] != end) {
      if (end > begin) f(begin, end);
      begin = tree.source_begin[source];
    }
    end = tree.source_end[source];
  }
  if (end > begin) f(begin, end);
}

template <class Kernel, class Real, bool with_gradient>
static void p2p_leaf(const Work<Real>& work, BoxId box, Stager<Real>& stager) {
  const TreeView& tree = work.tree;
  const Frame frame = make_frame<Real>(tree.coordinate(box, 0), tree.coordinate(box, 1), tree.coordinate(box, 2),
                                       tree.lattice.edge(tree.level[box]));
  const PairSum<Kernel, Real, with_gradient> sum(work, frame);
  for_each_run(tree, work.lists.near, box, [&](std::int64_t begin, std::int64_t end) {
    sum.add(tree.target_begin[box], tree.target_end[box], stager.run(work, frame, begin, end));
  });
}

template <class Kernel, class Real>
void p2p(const Work<Real>& work) {
#pragma omp parallel num_threads(work.threads)
  {
    Stager<Real> stager;
#pragma omp for schedule(dynamic, 8)
    for (BoxId box = 0; box < work.tree.boxes; ++box) {
      if (work.lists.near.begin[box] == work.lists.near.begin[box + 1]) continue;
      if (work.gradient[0])
        p2p_leaf<Kernel, Real, true>(work, box, stager);
      else
        p2p_leaf<Kernel, Real, false>(work, box, stager);
    }
  }
}

/// Without a tree: blocks of targets against chunks of all sources.
template <class Kernel, class Real, bool with_gradient, bool softened>
static void direct_block(const Work<Real>& work, std::int64_t sources, std::int64_t begin, std::int64_t end,
                         Stager<Real>& stager) {
  constexpr std::int64_t staged = 2048;  // 3 x 8 KiB in single: stays in the first-level cache
  const Frame frame = make_frame<Real>(work.source[0][0], work.source[1][0], work.source[2][0], 1.0 / 4);
  const PairSum<Kernel, Real, with_gradient, softened> sum(work, frame);
  for (std::int64_t s = 0; s < sources; s += staged)
    sum.add(begin, end, stager.run(work, frame, s, std::min(s + staged, sources)));
}

template <class Kernel, class Real, bool softened>
static void direct_blocks(const Work<Real>& work, std::int64_t sources, std::int64_t targets) {
  constexpr std::int64_t block = 256;
  if (sources == 0) return;
#pragma omp parallel num_threads(work.threads)
  {
    Stager<Real> stager;
#pragma omp for schedule(dynamic)
    for (std::int64_t t = 0; t < targets; t += block) {
      const std::int64_t end = std::min(t + block, targets);
      if (work.gradient[0])
        direct_block<Kernel, Real, true, softened>(work, sources, t, end, stager);
      else
        direct_block<Kernel, Real, false, softened>(work, sources, t, end, stager);
    }
  }
}

template <class Kernel, class Real>
void direct(const Work<Real>& work, std::int64_t sources, std::int64_t targets) {
  if constexpr (Kernel::softens)
    if (work.softening > 0) return direct_blocks<Kernel, Real, true>(work, sources, targets);
  direct_blocks<Kernel, Real, false>(work, sources, targets);
}

FARFIELD_INSTANTIATE(p2p)
FARFIELD_INSTANTIATE_DIRECT(direct)

}  // namespace farfield::cpu::FARFIELD_ISA
