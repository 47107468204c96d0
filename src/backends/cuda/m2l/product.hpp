// product: out(row) = sum over the row's links of matrix(link)^T in(source of the link), the kernel of dense m2l by FMA
// and of m2m and l2l at degrees too high for octants.hpp. Rows are boxes. All rows of a class have the same links, so
// that a tile of rows is one matrix product with gathered rows: no temporaries, no atomics, each output written by one
// block in a fixed order.
#pragma once
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

/// Where the source of a link is.
enum class Reach {
  child,             ///< the row's own child `octant`
  parent,            ///< the row's parent
  colleagues_child,  ///< child `octant` of the row's colleague `slot`
  cousin             ///< child `octant` of colleague `slot` of the row's parent
};

template <class Real>
struct Product {
  const TablesView<Real>* tables;
  const Operators<Real>* operators;
  Reach reach;
  const Real* in;
  Real* out;
  bool add = false;  ///< add to `out`, else overwrite it
};

/// Rows: the classes of levels [first_level, last_level).
template <class Real>
void product_of_classes(const Work<Real>& work, const Product<Real>& product, int first_level, int last_level);

/// Rows: boxes [first, last) that are no leaves, of one class.
template <class Real>
void product_of_parents(const Work<Real>& work, const Product<Real>& product, BoxId first, BoxId last);

/// Columns of a matrix are padded to a multiple of this.
inline constexpr int product_columns = 32;

}  // namespace farfield::cuda
