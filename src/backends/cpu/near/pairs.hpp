// The loops of the near field over leaves, and of the direct sum over blocks of targets.
#pragma once
#include <algorithm>
#include <limits>
#include <vector>

#include "backends/cpu/near/heaps.hpp"
#include "backends/cpu/near/pair_sum.hpp"
#include "backends/cpu/runtime/blocks.hpp"
#include "backends/cpu/tuning.hpp"
#include "kernels/inverse_square.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// Calls f(begin, end) for the source ranges of entries [first, last) of a near list, merging boxes that follow one
/// another in memory.
template <class F>
static inline void for_each_run(const TreeView& tree, const ListView& near, std::int64_t first, std::int64_t last,
                                F&& f) {
  std::int64_t begin = 0, end = 0;
  for (std::int64_t i = first; i < last; ++i) {
    const BoxId source = near.items[i];
    if (tree.source_begin[source] != end) {
      if (end > begin) f(begin, end);
      begin = tree.source_begin[source];
    }
    end = tree.source_end[source];
  }
  if (end > begin) f(begin, end);
}

template <class Real>
static void clear_results(const Work<Real>& work, std::int64_t begin, std::int64_t end) {
  for (int v = 0; v < work.densities; ++v)
    for (int part = first_part(work.result.parts()); part < end_part(work.result.parts()); ++part) {
      Real* const result = work.result.any(part) + v * work.result_pitch;
      std::fill(result + begin, result + end, Real(0));
    }
}

/// Calls f(std::type_identity<K>{}, parts) for the kernel K whose pairs are summed, and its parts of the result.
template <class Kernel, class Real, class F>
static void with_pairs_of(const Work<Real>& work, F&& f) {
  with_parts_of<Kernel>(work.result.parts(), [&](auto parts) {
    if constexpr (parts() == with_gradient)
      with_blobs<Kernel>(work.parameters, true, [&](auto kernel) { f(kernel, parts); });
    else
      f(std::type_identity<Kernel>{}, parts);
  });
}

/// Targets of one leaf.
struct Piece {
  BoxId box;
  std::int64_t begin, end;
};

/// Adds the sources of the near list to the targets by a PairSum.
template <class Kernel, class Real, Softened softened, class Sum>
static void add_near_list(const Work<Real>& work, const Piece& targets, const Frame& frame, const Sum& sum,
                          typename Sum::Sources& sources) {
  const TreeView& tree = work.tree;
  const ListView& near = work.lists.near;
  const BoxId box = targets.box;
  const auto flush = [&] {
    sources.seal(frame);
    sum.add(targets.begin, targets.end, sources);
    sources.forget();
  };
  std::int64_t first = near.begin[box];  // the box itself, if it holds sources
  if (Kernel::singular && !CountsCoincident<Kernel> && softened == Softened::no && near.items[first] == box &&
      is_heap(tree, work.source, work.target, box))
    ++first;
  for_each_run(tree, near, first, near.begin[box + 1], [&](std::int64_t begin, std::int64_t end) {
    while ((begin = sources.append(work, frame, begin, end)) < end) flush();
  });
  flush();
}

template <class Kernel, class Real, Summed what, int terms, Softened softened>
static void p2p_piece(const Work<Real>& work, const Piece& targets, const ExponentialFits& fits,
                      PairSources<Real, what, only_lengths(softened)>& sources) {
  const TreeView& tree = work.tree;
  const ListView& near = work.lists.near;
  const BoxId box = targets.box;
  clear_results(work, targets.begin, targets.end);
  if (near.begin[box] == near.begin[box + 1]) return;
  const Frame frame = make_frame<Real>({tree.coordinate(box, 0), tree.coordinate(box, 1), tree.coordinate(box, 2)},
                                       tree.lattice.edge(tree.level[box]));
  if constexpr (OfDecay<Kernel>) {
    const double rate = kernel_of<Kernel>(in_frame<Kernel>(work.parameters, frame.factor)).rate(),
                 reach = near_reach(tree, near, box) * frame.factor;
    with_decay_form<Real>(fits.form_for(rate * reach), [&](auto form) {
      using Sum = PairSum<Kernel, Real, what, terms, softened, form()>;
      if constexpr (form() == whole_formula)
        add_near_list<Kernel, Real, softened>(work, targets, frame, Sum(work, frame), sources);
      else
        add_near_list<Kernel, Real, softened>(work, targets, frame,
                                              Sum(work, frame, {fits[form()], rate, Sum::root_scale}), sources);
    });
  } else {
    const PairSum<Kernel, Real, what, terms, softened> sum(work, frame);
    add_near_list<Kernel, Real, softened>(work, targets, frame, sum, sources);
  }
}

/// Leaves that a softening or core makes wide may hold most of all points: each is divided, so that threads share it.
inline std::vector<Piece> pieces_of_leaves(const TreeView& tree) {
  std::vector<Piece> pieces;
  for (BoxId box = 0; box < tree.boxes; ++box) {
    const std::int64_t end = tree.target_end[box];
    for (std::int64_t t = tree.target_begin[box]; tree.is_leaf(box) && t < end; t += tuning::softened_targets)
      pieces.push_back({box, t, std::min(t + tuning::softened_targets, end)});
  }
  return pieces;
}

template <class Kernel, class Real, Summed what, int terms, Softened softened>
static void p2p_leaves(const Work<Real>& work) {
  using Sources = PairSources<Real, what, only_lengths(softened)>;
  const TreeView& tree = work.tree;
  const ExponentialFits fits(sizeof(Real) == 4, work.decay_error);
  const auto add = [&](auto& sources, const Piece& piece) {
    p2p_piece<Kernel, Real, what, terms, softened>(work, piece, fits, sources);
  };
  if (!work.wide_leaves) {
    for_blocks<Sources>({0, tree.boxes, 1, tuning::leaves_taken}, work.threads, [&](auto& sources, auto i) {
      const BoxId box = static_cast<BoxId>(i);
      if (tree.is_leaf(box)) add(sources, {box, tree.target_begin[box], tree.target_end[box]});
    });
  } else {
    const std::vector<Piece> pieces = pieces_of_leaves(tree);
    for_blocks<Sources>({0, std::ssize(pieces)}, work.threads,
                        [&](auto& sources, auto i) { add(sources, pieces[static_cast<std::size_t>(i)]); });
  }
}

/// Calls the instantiation for Work::pair_terms, counting down from the full number of terms. Softened sums have all.
template <class Kernel, class Real, Summed what, int terms, Softened softened>
static void p2p_with(const Work<Real>& work) {
  constexpr bool avx512 = vector_bytes == 64, single = sizeof(Real) == 4;
  constexpr bool refines = OfInverseDistance<Kernel> || OfDecay<Kernel>;
  constexpr int fewest = fewest_terms(avx512, single) + (OfDecay<Kernel> && !single);  // compiles a third less
  if constexpr (refines && softened == Softened::no && terms > fewest)
    if (work.pair_terms < terms) return p2p_with<Kernel, Real, what, terms - 1, softened>(work);
  p2p_leaves<Kernel, Real, what, terms, softened>(work);
}

/// The frame of the cube around all points. Its reach is infinite: every source may touch a target and counts as close.
template <class Real>
static Frame frame_of_all(const Work<Real>& work, std::int64_t sources, std::int64_t targets) {
  double centre[3], edge = 0x1p-40;
  for (int axis = 0; axis < 3; ++axis) {
    double low = work.source[axis][0], high = low;
    const auto extend = [&](const double* x, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) low = std::min(low, x[i]), high = std::max(high, x[i]);
    };
    extend(work.source[axis], sources);
    extend(work.target[axis], targets);
    centre[axis] = low / 2 + high / 2, edge = std::max(edge, high - low);
  }
  Frame frame = make_frame<Real>(centre, edge);
  frame.reach = std::numeric_limits<Real>::infinity();
  return frame;
}

/// Without a tree: one block of targets, [begin, end), with all `count` sources.
template <class Kernel, class Real, Summed what, Softened softened>
static void direct_block(const Work<Real>& work, const Frame& frame, std::int64_t count, std::int64_t begin,
                         std::int64_t end, PairSources<Real, what, only_lengths(softened)>& sources) {
  constexpr int terms = full_terms(vector_bytes == 64, sizeof(Real) == 4);
  const PairSum<Kernel, Real, what, terms, softened> sum(work, frame);
  for (std::int64_t s = 0; s < count;) {
    s = sources.append(work, frame, s, count);
    sum.add(begin, end, sources);
    sources.forget();
  }
}

template <class Kernel, class Real, Summed what, Softened softened>
static void direct_blocks(const Work<Real>& work, std::int64_t count, std::int64_t targets) {
  if (count == 0 || targets == 0) return;
  using Sources = PairSources<Real, what, only_lengths(softened)>;
  const Frame frame = frame_of_all(work, count, targets);
  for_blocks<Sources>({0, targets, tuning::direct_targets}, work.threads, [&](auto& sources, std::int64_t t) {
    const std::int64_t end = std::min(t + tuning::direct_targets, targets);
    direct_block<Kernel, Real, what, softened>(work, frame, count, t, end, sources);
  });
}

/// The same for what the results ask for.
template <class Kernel, class Real, Softened softened>
static void direct_parts(const Work<Real>& work, std::int64_t count, std::int64_t targets) {
  with_pairs_of<Kernel>(work, [&]<class K>(std::type_identity<K>, auto parts) {
    direct_blocks<K, Real, Summed{parts()}, softened>(work, count, targets);
  });
}

}  // namespace farfield::cpu::FARFIELD_ISA
