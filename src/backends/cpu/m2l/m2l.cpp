// m2l: multipoles of the far list to locals, all levels at once.
//
// Work is cut into blocks of 128 target boxes, whatever the number of threads. A block lists its translations,
// sorts them by operator and symmetry and applies the operators panel by panel. Every local is written by one block
// only, in a fixed order: the results have the same bits for any number of threads.
// Cost per translation: (d+1)^4 multiply-adds dense, 2 d^3 by rotation; 189 (119 reduced) per box in a full tree.
#include <algorithm>

#include "backends/cpu/far/panel.hpp"
#include "backends/cpu/m2l/factored.hpp"
#include "backends/cpu/m2l/rotation.hpp"
#include "backends/cpu/runtime/blocks.hpp"
#include "backends/cpu/stage_list.hpp"
#include "backends/cpu/tuning.hpp"
#include "expansions/offsets.hpp"
#include "tree/far.hpp"

namespace farfield::cpu::FARFIELD_ISA {

static constexpr int keys = operator_count * symmetry_count;

struct Translation {
  BoxId source, target;
  std::int32_t key;  ///< operator * 16 + symmetry
};

/// The translations of a block, grouped by key in a fixed order.
struct BlockList {
  Scratch<Translation> found, sorted;
  std::int64_t count = 0, begin[keys + 1] = {};

  void clear(std::int64_t capacity) {
    count = 0;
    found.need(capacity);
    sorted.need(capacity);
  }
  void add(BoxId source, BoxId target, const FarOffset& offset) {
    found.data()[count++] = {source, target, offset.op * symmetry_count + offset.symmetry};
  }
  void sort() {
    for (std::int64_t& b : begin) b = 0;
    for (std::int64_t i = 0; i < count; ++i) ++begin[found.data()[i].key + 1];
    for (int k = 0; k < keys; ++k) begin[k + 1] += begin[k];
    std::int64_t next[keys];
    for (int k = 0; k < keys; ++k) next[k] = begin[k];
    for (std::int64_t i = 0; i < count; ++i) sorted.data()[next[found.data()[i].key]++] = found.data()[i];
  }
};

template <class Real>
static void use(DenseOperator<Real>& op, const TablesView<Real>& tables, int id) {
  op.matrix = {tables.dense[id], 1, tables.coefficients, tables.coefficients, tables.coefficients};
}
template <class Real>
static void use(RotationOperator<Real>& op, const TablesView<Real>& tables, int id) {
  op.rotation = tables.rotation[id];
}
template <class Real>
static void use(FactoredOperator<Real>& op, const TablesView<Real>& tables, int id) {
  op.factors = tables.factors[id];
}

/// Density by density: what lies around a block then fills the caches as that of one does. 1e6 uniform points, three
/// densities, 512 KB of second-level cache: degree 25 in double 5.6 s, with panels of all densities 6.5; degree 13 in
/// single the same.
template <class Real, class Operator>
static void translate(const Work<Real>& work, const TablesView<Real>& tables, BlockList& list, Operator& op,
                      PanelQueue<Real, Operator>& queue) {
  list.sort();
  const Translation* sorted = list.sorted.data();
  for (int v = 0; v < work.densities; ++v)
    for (int id = 0; id < operator_count; ++id) {
      const std::int64_t first = list.begin[id * symmetry_count], last = list.begin[(id + 1) * symmetry_count];
      if (first == last) continue;
      use(op, tables, id);
      for (std::int64_t i = first; i < last; ++i)
        queue.push(work.multipole + v * work.expansion_pitch + sorted[i].source * work.tables.stride,
                   work.local + v * work.expansion_pitch + sorted[i].target * work.tables.stride,
                   sorted[i].key % symmetry_count);
      queue.flush();
    }
}

/// Lists the far boxes of the targets [begin, end), of the targets' own level; with the reduced stencil, 80 of them are
/// left to the parent.
template <class Real>
static void list_children(const Work<Real>& work, BoxId begin, BoxId end, BlockList& list) {
  list.clear(std::int64_t(end - begin) * 189);
  for (BoxId target = begin; target < end; ++target) {
    if (work.tree.target_count(target) == 0) continue;
    const auto add = [&](BoxId source, int dx, int dy, int dz) { list.add(source, target, far_offset(dx, dy, dz)); };
    if (work.reduced)
      for_each_far<true>(work.tree, target, add);
    else
      for_each_far<false>(work.tree, target, add);
  }
}

/// For every target of [begin, end) with children: lists the 80 outer boxes, one level below the target, that the
/// reduced stencil translates to the target itself.
template <class Real>
static void list_parents(const Work<Real>& work, BoxId begin, BoxId end, BlockList& list) {
  list.clear(std::int64_t(end - begin) * 80);
  for (BoxId target = begin; target < end; ++target)
    if (work.tree.target_count(target) > 0 && !work.tree.is_leaf(target))
      for_each_far_of_parent(work.tree, target, [&](BoxId source, int dx, int dy, int dz) {
        list.add(source, target, parent_offset(dx, dy, dz));
      });
}

template <class Real>
static void clear_locals(const Work<Real>& work, BoxId begin, BoxId end) {
  for (int v = 0; v < work.densities; ++v)
    std::fill_n(work.local + v * work.expansion_pitch + begin * work.tables.stride, (end - begin) * work.tables.stride,
                Real(0));
}

/// What one thread reuses from block to block.
template <class Real, class Operator>
struct Translator {
  explicit Translator(const TablesView<Real>& tables) : op(tables), queue(tables, Real(1), op) {}
  BlockList list;
  Operator op;
  PanelQueue<Real, Operator> queue;
};

/// To the boxes [begin, end) from boxes of their level and, with the reduced stencil, of the next one, whose tables are
/// `finer`. Tables without operators are those of levels whose expansions are 0.
template <class Real, class Operator>
static void translate_all(const Work<Real>& work, BoxId begin, BoxId end, const TablesView<Real>& tables,
                          const TablesView<Real>& finer, Translator<Real, Operator>& own) {
  if (tables.translates()) {
    list_children(work, begin, end, own.list);
    translate(work, tables, own.list, own.op, own.queue);
  }
  if (!work.reduced || !finer.translates()) return;
  list_parents(work, begin, end, own.list);
  translate(work, finer, own.list, own.op, own.queue);
}

template <class Real, class Operator>
static void m2l_by(const Work<Real>& work) {
  const auto run = [&](Translator<Real, Operator>& own, std::int64_t start) {
    const BoxId begin = static_cast<BoxId>(start);
    const BoxId end = begin + tuning::m2l_boxes < work.tree.boxes ? begin + tuning::m2l_boxes : work.tree.boxes;
    clear_locals(work, begin, end);
    if (!work.level_tables) return translate_all(work, begin, end, work.tables, work.tables, own);
    for (int level = work.tree.level[begin]; level < work.tree.levels && work.tree.level_begin[level] < end; ++level)
      translate_all(work, std::max(begin, work.tree.level_begin[level]),
                    std::min(end, work.tree.level_begin[level + 1]), work.level_tables[level],
                    work.level_tables[std::min(level + 1, work.tree.levels - 1)], own);
  };
  for_blocks<Translator<Real, Operator>>({0, work.tree.boxes, tuning::m2l_boxes}, work.threads, run, work.tables);
}

template <class Real>
void m2l(const Work<Real>& work) {
  if (work.tables.shared_factor)
    m2l_by<Real, FactoredOperator<Real>>(work);
  else if (work.rotation)
    m2l_by<Real, RotationOperator<Real>>(work);
  else
    m2l_by<Real, DenseOperator<Real>>(work);
}

template void m2l<float>(const Work<float>&);
template void m2l<double>(const Work<double>&);

}  // namespace farfield::cpu::FARFIELD_ISA
