// m2l, dense: multipoles of the far list to locals, all levels in one launch. The far lists of all boxes of one octant
// have the same displacements, so that each of the 189 links (109, and 80 at the parent, with the reduced stencil) is
// one matrix for a whole tile of such boxes. Locals are cleared before the launch. Those of levels 0 and 1 and of boxes
// without targets stay 0; the others need no clearing where tensor cores overwrite them. Tensor cores multiply where
// degree and device allow, in single (tensor_m2l.cu) and in double (mirror_m2l.cu).
#include <type_traits>

#include "backends/cuda/m2l/product.hpp"
#include "backends/cuda/planar/stages.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {

template <class Real>
static void from_cousins(const Work<Real>& work) {
  if constexpr (std::is_same_v<Real, float>)
    if (work.tensor.ready) return m2l_by_tensor(work);
  product_of_classes<Real>(work, {&work.tables, &work.tables.far, Reach::cousin, work.multipole, work.local, true}, 2,
                           work.tree.levels);
}

/// With mirror images the tables are those of the rotation: it serves the parents of the reduced stencil.
static void by_mirrors(const Work<double>& work) {
  m2l_by_mirrors(work);
  if (work.reduced) m2l_of_parents_by_rotation(work);
}

template <class Real>
void m2l(const Work<Real>& work) {
  const TreeView& tree = work.tree;
  if (tree.levels <= 2) return;
  if (work.planar.ready) return planar_m2l(work);
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
