// m2l, dense: multipoles of the far list to locals, all levels in one launch. Boxes of one octant share their far
// list's displacements, so that each of the 189 links (109, and 80 at the parent, with the reduced stencil) is a matrix
// that a whole tile of them multiplies with. Locals are cleared before: boxes of levels 0 and 1 and those without
// targets stay so; the others need not be where tensor cores write them anew. Tensor cores multiply where degree and
// device allow, in single (tensor_m2l.cu) and in double (mirror_m2l.cu).
#include <type_traits>

#include "backends/cuda/m2l/product.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {

template <class Real>
static void from_cousins(const Work<Real>& work) {
  if constexpr (std::is_same_v<Real, float>)
    if (work.tensor.ready) return m2l_by_tensor(work);
  product_of_classes<Real>(work, {&work.tables, &work.tables.far, Reach::cousin, work.multipole, work.local, true}, 2,
                           work.tree.levels);
}

/// The tables are those of the rotation.
static void by_mirrors(const Work<double>& work) {
  m2l_by_mirrors(work);
  if (work.reduced) m2l_of_parents_by_rotation(work);
}

template <class Real>
void m2l(const Work<Real>& work) {
  const TreeView& tree = work.tree;
  if (tree.levels <= 2) return;
  if constexpr (std::is_same_v<Real, double>)
    if (work.mirror.ready) return by_mirrors(work);
  if (work.rotation) return m2l_by_rotation(work);
  from_cousins(work);
  if (work.reduced)
    product_of_parents<Real>(
        work, {&work.tables, &work.tables.parent, Reach::colleagues_child, work.multipole, work.local, true},
        tree.level_begin[1], tree.level_begin[tree.levels - 1]);
}

template void m2l<float>(const Work<float>&);
template void m2l<double>(const Work<double>&);

}  // namespace farfield::cuda
