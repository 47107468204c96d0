// Centres of mass: about its centre of mass a multipole has no dipole, and its other terms are smaller, by about two
// degrees at the same error where strengths have one sign. Where they cancel, the centre of mass is no centre of the
// sources and may lie outside the box; the box's own centre then stays.
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/stages.hpp"
#include "expansions/laplace_recentre.hpp"

namespace farfield::cuda {

template <class Real>
struct MoveCentre {
  TreeView tree;
  int degree, stride;
  Real* multipole;
  float4* centre;

  __device__ void operator()(std::int64_t box) const {
    Real* own = multipole + box * stride;
    centre[box] = {0, 0, 0, 0};
    if (tree.source_count(static_cast<BoxId>(box)) == 0) return;
    // R_{1,m} are y, z, x
    const float t[3] = {static_cast<float>(own[3] / own[0]), static_cast<float>(own[1] / own[0]),
                        static_cast<float>(own[2] / own[0])};
    if (!(fabsf(t[0]) <= 0.5f && fabsf(t[1]) <= 0.5f && fabsf(t[2]) <= 0.5f)) return;
    centre[box] = {t[0], t[1], t[2], sqrtf(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])};
    const Real by[3] = {static_cast<Real>(t[0]), static_cast<Real>(t[1]), static_cast<Real>(t[2])};
    laplace::recentre<Real>(degree, own, by);
  }
};

template <class Kernel, class Real>
bool move_centres(const Work<Real>& work, float4* centre) {
  if constexpr (recentres<typename Kernel::Basis> && sizeof(Real) == 4) {
    const int degree = work.tables.degree;
    if (degree < 1 || degree > laplace::highest_recentred) return false;
    for_each_index(work.tree.boxes, MoveCentre<Real>{work.tree, degree, work.tables.stride, work.multipole, centre},
                   work.stream, "centres of mass");
    return true;
  }
  return false;
}

template bool move_centres<FARFIELD_KERNEL, float>(const Work<float>&, float4*);
template bool move_centres<FARFIELD_KERNEL, double>(const Work<double>&, float4*);

}  // namespace farfield::cuda
