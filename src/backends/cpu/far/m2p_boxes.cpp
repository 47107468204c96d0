// m2p of a treecode: a target leaf takes hundreds of multipoles and may hold a single target. So lanes hold boxes, not
// targets: their coefficients are transposed into a panel, [coefficient][box], the gradient's expansions are made there
// by the sparse maps of m2p.cpp, one box per lane, and every target of the leaf evaluates the panel, each lane in the
// frame of its own box. Sums over lanes are taken once per target. Lanes share their tables: where these depend on the
// level, a panel holds boxes of one level, which follow one another in a row.
// Cost: 10 flops per coefficient, target and box with gradient, 4 without; 40 per coefficient and box for the panel.
#include <algorithm>

#include "backends/cpu/far/visitors.hpp"
#include "backends/cpu/runtime/blocks.hpp"
#include "backends/cpu/stage_list.hpp"
#include "backends/cpu/tuning.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// out[e] += sum_i panel[e][i] R_i, where every lane has coefficients of its own.
template <class Kernel, class Real, int parts>
struct EvaluatePanel {
  static constexpr int first = first_part(parts), expansions = end_part(parts);
  const Vec<Real>* const* panel;
  Vec<Real> out[expansions] = {};
  int azimuth = 0;
  Vec<Real> cosine{}, sine{}, plus[expansions] = {}, minus[expansions] = {};

  explicit FARFIELD_INLINE EvaluatePanel(const Vec<Real>* const* p) : panel(p) {}
  FARFIELD_INLINE void begin(int m, Vec<Real> c, Vec<Real> s) {
    azimuth = m;
    cosine = c;
    sine = s;
    for (int e = first; e < expansions; ++e) plus[e] = minus[e] = Vec<Real>{};
  }
  FARFIELD_INLINE void term(int n, Vec<Real> value) {
    const int i = Kernel::Basis::Shape::index(n, azimuth), j = Kernel::Basis::Shape::index(n, -azimuth);
    for (int e = first; e < expansions; ++e) {
      plus[e] += panel[e][i] * value;
      minus[e] += panel[e][j] * value;
    }
  }
  FARFIELD_INLINE void end(int m) {
    for (int e = first; e < expansions; ++e) out[e] += m ? plus[e] * cosine + minus[e] * sine : plus[e] * cosine;
  }
};

/// Coordinate x as each lane's box sees it; `against` are the boxes' factors with the opposite sign.
FARFIELD_INLINE Vec<double> seen_from(const double* centre, double x, const double* against, double) {
  return displacement(load(centre), x) * load(against);
}
FARFIELD_INLINE Vec<float> seen_from(const double* centre, double x, const double* against, float) {
  constexpr int half = lanes<double>;
  const Vec<double> low = seen_from(centre, x, against, 0.0), high = seen_from(centre + half, x, against + half, 0.0);
  Vec<float> v;
  for (int i = 0; i < half; ++i) v[i] = static_cast<float>(low[i]), v[half + i] = static_cast<float>(high[i]);
  return v;
}

/// Up to one vector of boxes of a row.
template <class Kernel, class Real, int parts>
class BoxPanel {
  using Basis = typename Kernel::Basis;
  using V = Vec<Real>;
  static constexpr int slots = end_part(parts);
  static constexpr bool has_logarithm = Logarithmic<Basis> && parts != gradient_alone;

 public:
  BoxPanel(const Work<Real>& work, V* memory)
      : work_(work), tables_(&work.tables), pitch_(Basis::coefficient_count(work.tables.degree + (parts > 1))) {
    for (int e = 0; e < slots; ++e) panel_[e] = memory + e * pitch_;
  }
  static std::int64_t numbers(const Work<Real>& work) {
    return slots * Basis::coefficient_count(work.tables.degree + (parts > 1));
  }

  /// Lanes beyond `count` repeat the first box, with no coefficients.
  void fill(const BoxId* boxes, int count) {
    const TreeView& tree = work_.tree;
    tables_ = &tables_of<Basis>(work_, *boxes);
    for (int k = 0; k < lanes<Real>; ++k) {
      const BoxId box = boxes[k < count ? k : 0];
      const BoxFrame frame(tree, box);
      const auto scale = part_scales<Basis, Real>(1 / frame.factor, frame.factor);
      for (int axis = 0; axis < 3; ++axis) centre_[axis][k] = frame.centre[axis];
      against_[k] = -frame.factor;
      potential_scale_[k] = scale.potential, gradient_scale_[k] = scale.gradient;
    }
    transpose_multipoles(boxes, count);
    for (int axis = 0; axis + 1 < slots; ++axis) differentiate(tables_->multipole_gradient[axis], axis + 1);
  }

  /// Adds what the boxes give at target t.
  FARFIELD_INLINE void add(std::int64_t t, V* sum) const {
    V x = seen_from(centre_[0], work_.target[0][t], against_, Real{}),
      y = seen_from(centre_[1], work_.target[1][t], against_, Real{}),
      z = seen_from(centre_[2], work_.target[2][t], against_, Real{}), weight, logarithm = {};
    if constexpr (has_logarithm) logarithm = panel_[0][0] * Basis::excess(x, y) + panel_[0][Basis::unit_coefficient];
    const V inverse_r = inverse_sqrt(V(x * x + y * y + z * z));
    const int degree = tables_->degree + (parts > 1);
    const Real* recurrence = parts > 1 ? tables_->recurrence_next : tables_->recurrence;
    EvaluatePanel<Kernel, Real, parts> visit(panel_);
    if constexpr (Inverts<Basis, V>) {
      Basis::invert(x, y, z, weight, inverse_r);
      Basis::columns(degree, recurrence, x, y, z, visit);
    } else {
      weight = V{} + Real(1);
      Basis::singular_columns(degree, recurrence, x, y, z, inverse_r, visit);
    }
    if constexpr (has_logarithm) visit.out[0] += logarithm;
    for (int part = first_part(parts); part < slots; ++part)
      sum[part] += visit.out[part] * weight * (part == 0 ? potential_scale_ : gradient_scale_);
  }

 private:
  void transpose_multipoles(const BoxId* boxes, int count) {
    V row[lanes<Real>];
    for (int j = 0; j < pitch_; j += lanes<Real>) {
      for (int k = 0; k < lanes<Real>; ++k)
        row[k] =
            k < count && j < work_.tables.stride ? load(work_.multipole + boxes[k] * work_.tables.stride + j) : V{};
      transpose(row);
      for (int k = 0; k < lanes<Real> && j + k < pitch_; ++k)
        panel_[0][j + k] = j + k < work_.tables.coefficients ? row[k] : V{};
    }
  }
  /// The expansion of a derivative: y = A x, box by box in lanes.
  void differentiate(const SparseView<Real>& a, int part) {
    for (int i = 0; i < a.rows; ++i) {
      V sum = {};
      for (int k = a.begin[i]; k < a.begin[i + 1]; ++k) sum += a.value[k] * panel_[0][a.column[k]];
      panel_[part][i] = sum;
    }
  }

  const Work<Real>& work_;
  const TablesView<Real>* tables_;  ///< of the boxes
  std::int64_t pitch_;
  V* panel_[slots];
  double centre_[3][lanes<Real>], against_[lanes<Real>];
  V potential_scale_ = {}, gradient_scale_ = {};
};

/// What a thread of m2p_boxes holds.
template <class Real>
struct PanelMemory {
  Scratch<Vec<Real>> panel, sums;
};

/// How many boxes of a row, from `first` on, a panel holds.
template <class Basis, class Real>
static int panel_boxes(const Work<Real>& work, const BoxId* first, std::int64_t left) {
  const int most = static_cast<int>(std::min<std::int64_t>(lanes<Real>, left));
  if constexpr (ScaleInvariant<Basis>) return most;
  const int level = work.tree.level[*first];
  int count = 1;
  while (count < most && work.tree.level[first[count]] == level) ++count;
  return count;
}

template <class Kernel, class Real, int parts>
static void add_row(const Work<Real>& work, BoxId leaf, PanelMemory<Real>& memory) {
  constexpr int slots = end_part(parts);
  const TreeView& tree = work.tree;
  const ListView& row = work.lists.m2p;
  const std::int64_t first = tree.target_begin[leaf], targets = tree.target_count(leaf), end = row.begin[leaf + 1];
  BoxPanel<Kernel, Real, parts> panel(work, memory.panel.need(BoxPanel<Kernel, Real, parts>::numbers(work)));
  Vec<Real>* sums = memory.sums.need(slots * targets);
  std::fill_n(sums, slots * targets, Vec<Real>{});
  for (std::int64_t i = row.begin[leaf]; i < end;) {
    const int count = panel_boxes<typename Kernel::Basis>(work, row.items + i, end - i);
    panel.fill(row.items + i, count);
    i += count;
    for (std::int64_t t = 0; t < targets; ++t) panel.add(first + t, sums + slots * t);
  }
  for (std::int64_t t = 0; t < targets; ++t)
    for (int part = first_part(parts); part < slots; ++part)
      work.result[part][first + t] += sum_lanes<Real>(sums[slots * t + part]);
}

template <class Kernel, class Real>
void m2p_boxes(const Work<Real>& work) {
  const ListView& row = work.lists.m2p;
  for_blocks<PanelMemory<Real>>(
      {0, work.tree.boxes, 1, tuning::leaves_taken}, work.threads, [&](auto& memory, std::int64_t i) {
        const BoxId leaf = static_cast<BoxId>(i);
        if (row.begin[leaf] < row.begin[leaf + 1])
          with_parts_of<Kernel>(work.result.parts(),
                                [&](auto parts) { add_row<Kernel, Real, parts()>(work, leaf, memory); });
      });
}

FARFIELD_INSTANTIATE(m2p_boxes)

}  // namespace farfield::cpu::FARFIELD_ISA
