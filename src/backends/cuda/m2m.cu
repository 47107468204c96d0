// m2m: multipoles of the parents of one level from their children, M_parent = sum over children of T_octant M_child, as
// one product with eight links per row. Cost: (d+1)^4 multiply-adds per child.
#include "backends/cuda/product.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {

template <class Real>
void m2m(const Work<Real>& work, int level) {
  product_of_parents<Real>(work, {&work.tables, &work.tables.m2m, Reach::child, work.multipole, work.multipole, false},
                           work.tree.level_begin[level], work.tree.level_begin[level + 1]);
}

template void m2m<float>(const Work<float>&, int);
template void m2m<double>(const Work<double>&, int);

}  // namespace farfield::cuda
