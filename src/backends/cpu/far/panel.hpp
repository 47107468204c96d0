// Panels: translations are applied to many boxes at once, one box per lane.
//
// A panel is [coefficient][4 vectors of boxes]. A group is one vector of boxes that share a symmetry g with its signed
// permutation P (LaplaceBasis::symmetry): the translation by the offset g t is K(g t) = P K(t) P^T, so that only K of
// the canonical offset t is needed. Packing reads each box's contiguous coefficients, transposes them in registers and
// stores row j at row index[j] (P^T M). Unpacking is the reverse (P Y) and adds to the results. Packing and unpacking
// each cost about one operation per coefficient and box, the product 2 count (dense) or 6 degree (rotation).
#pragma once
#include "backends/cpu/runtime/simd.hpp"
#include "backends/cpu/work.hpp"

namespace farfield::cpu::FARFIELD_ISA {

inline constexpr int groups_per_panel = 4;
template <class Real>
inline constexpr std::int64_t panel_pitch = groups_per_panel* lanes<Real>;

template <class Real>
struct Group {
  const Real* in[lanes<Real>];  ///< unused lanes point at zeros
  Real* out[lanes<Real>];
  int valid = 0, symmetry = 0;
};

template <class Real>
inline void pack(const Group<Real>& group, const TablesView<Real>& tables, Real* panel) {
  const SymmetryView<Real>& p = tables.symmetry[group.symmetry];
  Vec<Real> row[lanes<Real>];
  for (int j = 0; j < tables.coefficients; j += lanes<Real>) {
    for (int lane = 0; lane < lanes<Real>; ++lane) row[lane] = load(group.in[lane] + j);
    transpose(row);
    for (int k = 0; k < lanes<Real> && j + k < tables.coefficients; ++k)
      store(panel + p.index[j + k] * panel_pitch<Real>, p.sign[j + k] * row[k]);
  }
}

/// out += factor * P Y
template <class Real>
inline void unpack(const Group<Real>& group, const TablesView<Real>& tables, const Real* panel, Real factor) {
  const SymmetryView<Real>& p = tables.symmetry[group.symmetry];
  Vec<Real> row[lanes<Real>];
  for (int j = 0; j < tables.coefficients; j += lanes<Real>) {
    for (int k = 0; k < lanes<Real>; ++k)
      row[k] = j + k < tables.coefficients ? factor * p.sign[j + k] * load(panel + p.index[j + k] * panel_pitch<Real>)
                                           : Vec<Real>{};
    transpose(row);
    for (int lane = 0; lane < group.valid; ++lane) store(group.out[lane] + j, load(group.out[lane] + j) + row[lane]);
  }
}

/// A small matrix: element (row, column) at data[row * row_step + column * column_step].
template <class Real>
struct MatrixView {
  const Real* data;
  std::int64_t row_step, column_step;
  int rows, columns;
};

/// The n rows of out = A in from row `first` on: row i of `out` is panel row out_row[i], row j of `in` is in_row[j].
template <int n, int vectors, class Real>
FARFIELD_INLINE void multiply_rows(const MatrixView<Real>& a, int first, const Real* in, const std::int32_t* in_row,
                                   Real* out, const std::int32_t* out_row) {
  Vec<Real> sum[n][vectors] = {};
  const Real* element = a.data + first * a.row_step;
  for (int j = 0; j < a.columns; ++j, element += a.column_step) {
    const Real* x = in + in_row[j] * panel_pitch<Real>;
    Vec<Real> coefficient[n];
    for (int i = 0; i < n; ++i) coefficient[i] = broadcast(element[i * a.row_step]);
    for (int v = 0; v < vectors; ++v) {
      const Vec<Real> operand = load(x + v * lanes<Real>);
      for (int i = 0; i < n; ++i) sum[i][v] += coefficient[i] * operand;
    }
  }
  for (int i = 0; i < n; ++i)
    for (int v = 0; v < vectors; ++v) store(out + out_row[first + i] * panel_pitch<Real> + v * lanes<Real>, sum[i][v]);
}

template <int n, int vectors, class Real>
FARFIELD_INLINE void multiply_rest(const MatrixView<Real>& a, int first, const Real* in, const std::int32_t* in_row,
                                   Real* out, const std::int32_t* out_row) {
  if constexpr (n > 0) {
    if (a.rows - first == n) return multiply_rows<n, vectors>(a, first, in, in_row, out, out_row);
    multiply_rest<n - 1, vectors>(a, first, in, in_row, out, out_row);
  }
}

/// out = A in on `vectors` vectors of boxes.
template <int vectors, class Real>
inline void multiply(const MatrixView<Real>& a, const Real* in, const std::int32_t* in_row, Real* out,
                     const std::int32_t* out_row) {
  int first = 0;
  for (; first + register_rows <= a.rows; first += register_rows)
    multiply_rows<register_rows, vectors>(a, first, in, in_row, out, out_row);
  multiply_rest<register_rows - 1, vectors>(a, first, in, in_row, out, out_row);
}

template <class Real>
inline void multiply(int vectors, const MatrixView<Real>& a, const Real* in, const std::int32_t* in_row, Real* out,
                     const std::int32_t* out_row) {
  switch (vectors) {
    case 1:
      return multiply<1>(a, in, in_row, out, out_row);
    case 2:
      return multiply<2>(a, in, in_row, out, out_row);
    case 3:
      return multiply<3>(a, in, in_row, out, out_row);
    default:
      return multiply<4>(a, in, in_row, out, out_row);
  }
}

/// Collects groups and applies the operator to full panels. Operator: op(vectors, in panel) returns the out panel.
template <class Real, class Operator>
class PanelQueue {
 public:
  PanelQueue(const TablesView<Real>& tables, Real factor, Operator& op) : tables_(tables), op_(op), factor_(factor) {
    zeros_ = zero_.need(tables.stride);
    for (std::int64_t i = 0; i < tables.stride; ++i) zeros_[i] = 0;
    in_ = panel_.need(tables.coefficients * panel_pitch<Real>);
  }

  /// Adds one translation; starts a new group when the symmetry changes or the vector is full.
  void push(const Real* in, Real* out, int symmetry) {
    Group<Real>* group = count_ ? &groups_[count_ - 1] : nullptr;
    if (!group || group->symmetry != symmetry || group->valid == lanes<Real>) {
      if (count_ == groups_per_panel) flush();
      group = &groups_[count_++];
      group->symmetry = symmetry;
      group->valid = 0;
      for (int lane = 0; lane < lanes<Real>; ++lane) group->in[lane] = zeros_;
    }
    group->in[group->valid] = in;
    group->out[group->valid++] = out;
  }

  /// Applies the operator to the groups collected so far. Call before the operator changes and at the end.
  void flush() {
    if (count_ == 0) return;
    for (int g = 0; g < count_; ++g) pack(groups_[g], tables_, in_ + g * lanes<Real>);
    const Real* result = op_(count_, in_);
    for (int g = 0; g < count_; ++g) unpack(groups_[g], tables_, result + g * lanes<Real>, factor_);
    count_ = 0;
  }

 private:
  const TablesView<Real>& tables_;
  Operator& op_;
  Real factor_;
  Group<Real> groups_[groups_per_panel];
  int count_ = 0;
  Scratch<Real> zero_, panel_;
  Real *zeros_, *in_;
};

/// A dense matrix as an Operator; `matrix` may be exchanged between flushes.
template <class Real>
class DenseOperator {
 public:
  explicit DenseOperator(const TablesView<Real>& tables) {
    out_ = panel_.need(tables.coefficients * panel_pitch<Real>);
    rows_ = identity_.need(tables.coefficients);
    for (int i = 0; i < tables.coefficients; ++i) rows_[i] = i;
  }
  const Real* operator()(int vectors, const Real* in) {
    multiply(vectors, matrix, in, rows_, out_, rows_);
    return out_;
  }
  MatrixView<Real> matrix{};

 private:
  Scratch<Real> panel_;
  Scratch<std::int32_t> identity_;
  Real* out_;
  std::int32_t* rows_;
};

}  // namespace farfield::cpu::FARFIELD_ISA
