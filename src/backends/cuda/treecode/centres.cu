// Centres of mass: about its centre of mass a multipole has no dipole, and its other terms are smaller, by about two
// degrees at the same error where strengths have one sign. Where they cancel, the centre of mass is no centre of the
// sources and may lie outside the box; the box's own centre then stays.
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/treecode/places.hpp"
#include "expansions/laplace_recentre.hpp"

namespace farfield::cuda {

template <class Real>
struct MoveCentre {
  TreeView tree;
  Acceptance rule;
  int degree, stride;
  Real* multipole;
  Walks walks;

  __device__ void operator()(std::int64_t box) const {
    Real* own = multipole + box * stride;
    BoxPlace& place = walks.place[box];
    if (box == 0) walks.header->moved = degree;
    if (!place.divided() && place.sources() == 0) return;
    place.mass = static_cast<float>(own[0]);
    const double edge = tree.lattice.edge(tree.level[box]);
    if (degree == 2) own[9] = static_cast<Real>(edge * edge);  // behind its nine numbers a row is free: QuadrupoleTerms
    const bool one_sign = walks.header->one_sign(), by_error = one_sign && walks.header->box_error > 0;
    // R_{1,m} are y, z, x; rounded, a centre of mass may lie just outside a box
    const float t[3] = {static_cast<float>(own[3] / own[0]), static_cast<float>(own[1] / own[0]),
                        static_cast<float>(own[2] / own[0])},
                most = one_sign ? 0.51f : 0.5f;
    if (!(fabsf(t[0]) <= most && fabsf(t[1]) <= most && fabsf(t[2]) <= most)) return;
    for (int axis = 0; axis < 3; ++axis) place.centre[axis] += edge * static_cast<double>(t[axis]);
    const float moved = sqrtf(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    if (place.least < INFINITY) {
      const double by_angle = edge * (1 / (by_error ? 1.0 : rule.theta) + static_cast<double>(moved));
      place.least = __double2float_ru(fmax(by_angle, least_beyond_reach(rule, edge, static_cast<double>(moved))));
    }
    if (by_error) {
      const float mass = fabsf(place.mass), wide = static_cast<float>(edge);
      place.weight = weight_of(degree, mass, wide);
      place.mass_weight = fmaxf(place.weight > 0 ? 0.0f : INFINITY, mass_weight_of(mass, wide));
    }
    const Real by[3] = {static_cast<Real>(t[0]), static_cast<Real>(t[1]), static_cast<Real>(t[2])};
    laplace::recentre<Real>(degree, own, by);
  }
};

template <class Kernel, class Real>
bool move_centres(const Work<Real>& work, float4* memory) {
  if constexpr (recentres<typename Kernel::Basis> && sizeof(Real) == 4) {
    const int degree = work.tables.degree;
    if (degree < 1 || degree > laplace::highest_recentred) return false;
    for_each_index(work.tree.boxes,
                   MoveCentre<Real>{work.tree, work.rule, degree, work.tables.stride, work.multipole,
                                    walks_in(memory, work.tree.boxes)},
                   work.stream, "centres of mass");
    return true;
  }
  return false;
}

#define FARFIELD_MOVE_CENTRES(Kernel)                                     \
  template bool move_centres<Kernel, float>(const Work<float>&, float4*); \
  template bool move_centres<Kernel, double>(const Work<double>&, float4*);
FARFIELD_EACH_KERNEL(FARFIELD_MOVE_CENTRES)

}  // namespace farfield::cuda
