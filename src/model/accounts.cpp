#include "model/accounts.hpp"

#include "kernels/traits.hpp"
#include "tree/far.hpp"

namespace farfield {

static std::int64_t near_pairs(const TreeView& tree, const ListView& near, BoxId box) {
  std::int64_t sources = 0;
  for (std::int64_t i = near.begin[box]; i < near.begin[box + 1]; ++i) sources += tree.source_count(near.items[i]);
  return sources * tree.target_count(box);
}

static std::int64_t translations(const TreeView& tree, BoxId box, bool reduced) {
  std::int64_t count = 0;
  const auto add = [&](BoxId, int, int, int) { ++count; };
  if (!reduced) {
    for_each_far<false>(tree, box, add);
  } else {
    for_each_far<true>(tree, box, add);
    if (!tree.is_leaf(box)) for_each_far_of_parent(tree, box, add);
  }
  return count;
}

bool counts_coincident(const Decision& d) {
  const double* core = d.parameters.length;
  const bool blobs = traits(d.kernel).core_reach && (core[0] > 0 || core[1] > 0) && first_part(d.parts()) == 0;
  return d.softening != 0 || blobs;
}

double far_fraction(const Report& report) {
  const double all = static_cast<double>(report.sources) * static_cast<double>(report.targets);
  return all > 0 ? 1 - static_cast<double>(report.near_pairs) / all : 0;
}

/// Of `count` boxes, the k-th of which is box_of(k).
template <class BoxOf>
static void count_boxes(BoxId count, const BoxOf& box_of, const TreeView& tree, const ListsView& lists,
                        const Decision& decision, Report& report) {
  report.boxes = count;
  report.levels = tree.levels;
  std::int64_t leaves = 0, pairs = 0, far = 0, p2p = 0, m2p = 0, p2l = 0;
  const auto row = [](const ListView& list, BoxId box) { return list.begin[box + 1] - list.begin[box]; };
#pragma omp parallel for reduction(+ : leaves, pairs, far, p2p, m2p, p2l) schedule(static) num_threads(report.threads)
  for (BoxId k = 0; k < count; ++k) {
    const BoxId box = box_of(k);
    leaves += tree.is_leaf(box);
    pairs += near_pairs(tree, lists.near, box);
    if (decision.method == Method::fmm && tree.target_count(box) > 0) far += translations(tree, box, decision.reduced);
    p2p += row(lists.near, box), m2p += row(lists.m2p, box), p2l += row(lists.p2l, box);
  }
  report.leaves = leaves;
  report.near_pairs = pairs;
  report.m2l_boxes = far;
  report.p2p_boxes = p2p, report.m2p_boxes = m2p, report.p2l_boxes = p2l;
}

void count_work(const TreeView& tree, const ListsView& lists, const Decision& decision, Report& report) {
  count_boxes(
      tree.boxes, [](BoxId box) { return box; }, tree, lists, decision, report);
  report.far_fraction = far_fraction(report);
}

void count_work_of(const std::vector<BoxId>& boxes, const TreeView& tree, const ListsView& lists,
                   const Decision& decision, Report& report) {
  count_boxes(
      static_cast<BoxId>(boxes.size()), [&](BoxId k) { return boxes[static_cast<std::size_t>(k)]; }, tree, lists,
      decision, report);
}

double stage_flops(const std::string& stage, const Report& r) {
  const double d = r.degree + 1, count = static_cast<double>(r.coefficients);
  const double vectors = static_cast<double>(std::max<std::int64_t>(1, r.vectors));
  const double far = static_cast<double>(r.m2l_boxes), boxes = static_cast<double>(r.boxes);
  if (stage == "p2p") return vectors * static_cast<double>(r.near_pairs) * (r.gradient ? 20 : 10);
  if (stage == "m2l") return vectors * far * 2 * (r.m2l == "rotation" ? 2 * d * d * d + 4 * d * d : count * count);
  if (stage == "m2m" || stage == "l2l") return vectors * boxes * 2 * count * count;
  if (stage == "p2m") return vectors * static_cast<double>(r.sources) * 5 * count;
  if (stage == "l2p") return vectors * static_cast<double>(r.targets) * (r.gradient ? 10 : 4) * count;
  return 0;
}

}  // namespace farfield
