// l2l: locals of the boxes of one level receive their parent's. The matrix is the transpose of m2m's (both re-expand R
// about a shifted centre), times the ratio of the edges that locals are scaled with.
#include "backends/cuda/product.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {

template <class Real>
void l2l(const Work<Real>& work, int level) {
  product_of_classes<Real>(work, {&work.tables, &work.tables.l2l, Reach::parent, work.local, work.local, true}, level,
                           level + 1);
}

template void l2l<float>(const Work<float>&, int);
template void l2l<double>(const Work<double>&, int);

}  // namespace farfield::cuda
