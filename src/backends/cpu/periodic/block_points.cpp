// p2m and l2p of the blocks of a cell: eight points side by side, one in each lane, which p2m adds up to the end of a
// part. Cost: 5 and, with a gradient, 11 instructions per pair (n, m >= 0) and eight points.
#include "backends/cpu/periodic/block_row.hpp"
#include "expansions/laplace_basis.hpp"

namespace farfield::cpu::FARFIELD_ISA {
namespace {

/// M_i += q R_i(u), by lanes.
struct AddMoments {
  BlockRow weight;
  double* sum;
  BlockRow cosine{}, sine{};
  int order = 0;
  FARFIELD_INLINE void begin(int m, const BlockRow& c, const BlockRow& s) {
    order = m, cosine = weight * c, sine = weight * s;
  }
  FARFIELD_INLINE void term(int n, const BlockRow& q) {
    add(laplace::index(n, order), q * cosine);
    if (order > 0) add(laplace::index(n, -order), q * sine);
  }
  FARFIELD_INLINE void end(int) {}
  FARFIELD_INLINE void add(std::size_t i, const BlockRow& terms) {
    double* const at = sum + i * block_lanes;
    store(block_row(at) + terms, at);
  }
};

/// Sums of L_i R_i(u).
template <int sets>
struct SumLocals {
  const double* const* local;
  BlockRow value[sets] = {};
  BlockRow cosine{}, sine{};
  int order = 0;
  FARFIELD_INLINE void begin(int m, const BlockRow& c, const BlockRow& s) { order = m, cosine = c, sine = s; }
  FARFIELD_INLINE void term(int n, const BlockRow& q) {
    add(laplace::index(n, order), q * cosine);
    if (order > 0) add(laplace::index(n, -order), q * sine);
  }
  FARFIELD_INLINE void end(int) {}
  FARFIELD_INLINE void add(std::size_t i, const BlockRow& function) {
    for (int set = 0; set < sets; ++set) value[set] += local[set][i] * function;
  }
};

template <class Visitor>
FARFIELD_INLINE void visit_row(const BlockRows& points, std::int64_t row, Visitor& visitor) {
  const std::int64_t at = row * block_lanes;
  laplace::columns(points.degree, points.recurrence, block_row(points.u[0] + at), block_row(points.u[1] + at),
                   block_row(points.u[2] + at), visitor);
}

template <int sets>
FARFIELD_INLINE void sum_locals(const BlockL2p& w) {
  for (std::int64_t row = 0; row < w.points.rows; ++row) {
    SumLocals<sets> sum{w.local};
    visit_row(w.points, row, sum);
    for (int set = 0; set < sets; ++set) store(sum.value[set], w.value + (row * sets + set) * block_lanes);
  }
}

}  // namespace

void block_p2m(const BlockP2m& w) {
  for (std::int64_t row = 0; row < w.points.rows; ++row) {
    AddMoments add{block_row(w.weight + row * block_lanes), w.sum};
    visit_row(w.points, row, add);
  }
}

void block_l2p(const BlockL2p& w) { w.sets == 1 ? sum_locals<1>(w) : sum_locals<4>(w); }

}  // namespace farfield::cpu::FARFIELD_ISA
