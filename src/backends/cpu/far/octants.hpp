// Products between a box and its up to eight children, for m2m and l2l.
#pragma once
#include "backends/cpu/far/panel.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// A thread's queue of products with T or, with steps exchanged, its transpose.
template <class Real>
struct ByOctant {
  ByOctant(const TablesView<Real>& tables, Real factor, int row_step, int column_step)
      : op(tables), queue(tables, factor, op) {
    op.matrix = {tables.m2m, row_step, column_step, tables.coefficients, tables.coefficients};
  }
  DenseOperator<Real> op;
  PanelQueue<Real, DenseOperator<Real>> queue;
};

}  // namespace farfield::cpu::FARFIELD_ISA
