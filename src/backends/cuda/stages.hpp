// The stages of the CUDA backend: asynchronous launches in the order of Work::stream, one file each, with the same
// names as on the CPU. m2l needs cleared locals (bound_stages.hpp), p2p overwrites the results; the others add, in the
// order of methods/fmm.hpp.
#pragma once
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

template <class Kernel, class Real>
void p2m(const Work<Real>& work);
template <class Real>
void m2m(const Work<Real>& work, int level);
template <class Real>
void m2l(const Work<Real>& work);
template <class Real>
void m2l_by_rotation(const Work<Real>& work);
/// Dense m2l on tensor cores, without the reduced stencil's translations to parents. Needs Work::tensor, in p2m and m2m
/// too, which write the operands, and strengths of at most 1.
void m2l_by_tensor(const Work<float>& work);
/// Before that, where boxes have the multipoles of others (ImageBoxesView): copies the operands of those that it does
/// not find at home.
void copy_operands(const Work<float>& work);
/// The same in double, with mirror images taken together; needs Work::mirror.
void m2l_by_mirrors(const Work<double>& work);
/// The reduced stencil's translations to parents.
template <class Real>
void m2l_of_parents_by_rotation(const Work<Real>& work);
template <class Kernel, class Real>
void p2l(const Work<Real>& work);
template <class Real>
void l2l(const Work<Real>& work, int level);
/// Does l2l go by octants with so many coefficients? Otherwise it needs Work::classes.
template <class Real>
bool l2l_by_octants(int coefficients);
template <class Kernel, class Real>
void l2p(const Work<Real>& work);
template <class Kernel, class Real>
void m2p(const Work<Real>& work);
template <class Kernel, class Real>
void p2p(const NearWork<Real>& work);
/// p2p and m2p of a treecode (treecode/walk.hpp).
template <class Kernel, class Real>
void walk_near(const NearWork<Real>& work);
template <class Kernel, class Real>
void walk_far(const Work<Real>& work);
/// Moves multipoles to centres of mass where these lie in their boxes, and writes by how much; false: no box is moved,
/// since the kernel or the degree does not offer it.
template <class Kernel, class Real>
bool move_centres(const Work<Real>& work, float4* centre);
/// All pairs, without a tree; overwrites the results.
template <class Kernel, class Real>
void direct(const NearWork<Real>& work, std::int64_t sources, std::int64_t targets);

}  // namespace farfield::cuda

// Stages of pairs and points are compiled once per kernel, in a unit for one or more of them (src/CMakeLists.txt):
// FARFIELD_INSTANTIATE(stage, Arrays, types of further arguments).
#if defined(FARFIELD_KERNELS_OF_UNIT)
#include FARFIELD_KERNELS_OF_UNIT
#define FARFIELD_INSTANCE(Kernel, stage, Arrays, ...)                                  \
  template void stage<Kernel, float>(const Arrays<float>& __VA_OPT__(, ) __VA_ARGS__); \
  template void stage<Kernel, double>(const Arrays<double>& __VA_OPT__(, ) __VA_ARGS__);
#define FARFIELD_INSTANTIATE(...) FARFIELD_EACH_KERNEL(FARFIELD_INSTANCE, __VA_ARGS__)
#endif
