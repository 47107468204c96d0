/* Every option, declared once: options.hpp, farfield.h, the C interface, the command line and what it prints are made
 * from these lists. Plain C.
 *
 * An option that is a word has a list of values VALUE(name, NAME, number, word): `name` in C++, `NAME` in C, `number`
 * in both interfaces (never changed), `word` in reports and on the command line.
 *
 * OPTION(type, name, initial, where, sign, help)
 *   type:    flag, whole (32 bits), count (64 bits), seed, real, or the name of a list of words
 *   initial: default value
 *   where:   its group on the command line: general or expert; interface_only: in C and C++ alone
 *   sign:    placeholder for its value in the help: "X"
 *   help:    its line in the help, 45 letters at most
 */
#ifndef FARFIELD_OPTIONS_LIST_H
#define FARFIELD_OPTIONS_LIST_H

#include <farfield/kernels.h>

#define FARFIELD_METHOD(VALUE)             \
  VALUE(automatic, AUTOMATIC, 0, "auto")   \
  VALUE(fmm, FMM, 1, "fmm")                \
  VALUE(direct, DIRECT, 2, "direct")       \
  VALUE(cutoff, CUTOFF, 3, "cutoff")       \
  VALUE(grid, GRID, 4, "grid")             \
  VALUE(treecode, TREECODE, 5, "treecode") \
  VALUE(hermite, HERMITE, 6, "hermite")    \
  VALUE(exponentials, EXPONENTIALS, 7, "exponentials")

#define FARFIELD_PRECISION(VALUE)        \
  VALUE(automatic, AUTOMATIC, 0, "auto") \
  VALUE(single_, SINGLE, 1, "single")    \
  VALUE(double_, DOUBLE, 2, "double")

/* hybrid: method fmm on both halves of a node, near field on the GPU beside the far field on the cores (docs/gpu.md);
 * automatic never means it. */
#define FARFIELD_BACKEND(VALUE)          \
  VALUE(automatic, AUTOMATIC, 0, "auto") \
  VALUE(cpu, CPU, 1, "cpu")              \
  VALUE(cuda, CUDA, 2, "cuda")           \
  VALUE(hybrid, HYBRID, 3, "hybrid")

/* plummer: 1/sqrt(r^2 + softening^2). spline: the cubic spline of GADGET, 1/r from r = 2.8 softening on and
 * 1/softening at r = 0 (docs/mathematics/p2p.md). Cores of vortex particles (docs/biot-savart.md), of one length for
 * all pairs: algebraic, (r^2 + 3/2 softening^2) / (r^2 + softening^2)^(3/2); gauss, erf(r / (sqrt 2 softening)) / r. */
#define FARFIELD_SOFTENING_KIND(VALUE)        \
  VALUE(plummer, PLUMMER, 0, "plummer")       \
  VALUE(spline, SPLINE, 1, "spline")          \
  VALUE(algebraic, ALGEBRAIC, 2, "algebraic") \
  VALUE(gauss, GAUSS, 3, "gauss")

/* Cores of vortices, velocity over that of a point vortex: gauss, 1 - exp(-r^2/R^2); rankine, min(1, r^2/R^2). */
#define FARFIELD_CORE(VALUE)      \
  VALUE(none, NONE, 0, "none")    \
  VALUE(gauss, GAUSS, 1, "gauss") \
  VALUE(rankine, RANKINE, 2, "rankine")

/* Axes along which the points repeat; each is a bit of the number. */
#define FARFIELD_AXES(VALUE)   \
  VALUE(none, NONE, 0, "none") \
  VALUE(x, X, 1, "x")          \
  VALUE(y, Y, 2, "y")          \
  VALUE(xy, XY, 3, "xy")       \
  VALUE(z, Z, 4, "z")          \
  VALUE(xz, XZ, 5, "xz")       \
  VALUE(yz, YZ, 6, "yz")       \
  VALUE(xyz, XYZ, 7, "xyz")

/* Results that Options::tolerance holds for; all others come with whatever error they then have. */
#define FARFIELD_TOLERANCE_FOR(VALUE) \
  VALUE(all, ALL, 0, "all")           \
  VALUE(gradient, GRADIENT, 1, "gradient")

/* How a multipole expansion becomes a local one. dense: one matrix per offset, O(degree^4). rotation: rotate, shift
 * along z, rotate back, O(degree^3) (Gumerov & Duraiswami 2008, section 2.2.2). */
#define FARFIELD_M2L(VALUE)              \
  VALUE(automatic, AUTOMATIC, 0, "auto") \
  VALUE(dense, DENSE, 1, "dense")        \
  VALUE(rotation, ROTATION, 2, "rotation")

/* m2l translations per box. full: 189. reduced: 119, with the 80 outer source boxes translated to the target's parent
 * (same paper, section 2.2.3). */
#define FARFIELD_STENCIL(VALUE)          \
  VALUE(automatic, AUTOMATIC, 0, "auto") \
  VALUE(full, FULL, 1, "full")           \
  VALUE(reduced, REDUCED, 2, "reduced")

/* Instruction set of the CPU backend. */
#define FARFIELD_SIMD(VALUE)               \
  VALUE(automatic, AUTOMATIC, 0, "auto")   \
  VALUE(baseline, BASELINE, 1, "baseline") \
  VALUE(avx2, AVX2, 2, "avx2")             \
  VALUE(avx512, AVX512, 3, "avx512")

/* clang-format off */
#define FARFIELD_OPTIONS(OPTION)                                                                                       \
  /* Relative L2 error allowed over all targets, for the potential and (if asked for) the gradient alike. */           \
  OPTION(real, tolerance, 1e-6, general, "X", "Relative L2 error allowed (default 1e-6)")                              \
  /* Also compute the derivative of the potential with respect to the target's coordinates. */                         \
  OPTION(flag, gradient, false, general, "", "Compute the gradient, too")                                              \
  /* K(x, y), see kernels.h. */                                                                                        \
  OPTION(Kernel, kernel, Kernel{}, general, "", "K(x, y), see docs; count is a diagnostic")                              \
  /* Constant in front of the kernel: 1 for 1/r, 0.0795774715 for 1/(4 pi r). */                                       \
  OPTION(real, scale, 1.0, general, "X", "Constant in front of the kernel (default 1)")                                \
  /* Softening, a length in the caller's units, one for all pairs: K = scale / sqrt(|x - y|^2 + softening^2), or the   \
   * spline of softening_kind, and the gradient is the derivative of exactly that. 0: none. Where the targets are      \
   * the sources (at_sources included) a particle contributes nothing to itself; other sources at the same place       \
   * contribute strength / softening to the potential and nothing to the gradient. Where the targets are a separate    \
   * set every source contributes. In the fast method boxes stay so wide that far pairs are those of 1/r, to what      \
   * the tolerance allows. For a softening below 1e-37 of the points' extent, strength / softening is infinite in      \
   * precision single. */                                                                                              \
  OPTION(real, softening, 0, general, "EPS", "Length that softens 1/r (default 0: none)")                              \
  OPTION(SofteningKind, softening_kind, SofteningKind{}, general, "", "1/sqrt(r^2 + EPS^2), or others, see docs")      \
  /* Standard deviation of kernel gauss, a length in the caller's units: above 0 for that kernel, 0 for all others.     \
   * Errors of that kernel are relative to the sum of |strengths|, those of its gradient to this sum over the           \
   * bandwidth, at every target. */                                                                                     \
  OPTION(real, bandwidth, 0, general, "H", "Standard deviation of kernel gauss")                                       \
  /* Screening of kernel yukawa3d, the inverse of a length in the caller's units: 0 or more for that kernel, which is     \
   * 1/r with 0; 0 for all others. */                                                                                  \
  OPTION(real, kappa, 0, general, "K", "Screening of yukawa3d, 1/length (default 0)")                                  \
  OPTION(Method, method, Method::automatic, general, "", "auto: the cheapest of the others")                           \
  /* automatic: single only where it can reach the tolerance */                                                        \
  OPTION(Precision, precision, Precision::automatic, general, "", "auto: single where it reaches the tolerance")       \
  OPTION(Backend, backend, Backend::automatic, general, "", "Where to compute")                                        \
  /* 0: as many as OpenMP offers, at most four for each processor. Else 1 to 4096; an error (memory) if the system     \
   * cannot start so many. The results are the same, bit for bit, for any number of threads. */                        \
  OPTION(whole, threads, 0, general, "N", "Threads (default: all); results are the same")                              \
  /* With separate targets: results at the sources as well, in the same call. */                                       \
  OPTION(flag, at_sources, false, interface_only, "", "")                                                              \
  /* Measure the error on this many random targets by direct summation; 0: do not. */                                  \
  OPTION(count, check, 0, general, "N", "Measure the error on N random targets")                                       \
  /* Chooses the targets of `check`. */                                                                                \
  OPTION(seed, seed, 0, general, "S", "Chooses the targets of --check (default 0)")                                    \
  /* Expert options from here on: leave them alone unless you reproduce a table of a paper.                            \
   * Highest degree kept in expansions; -1: from the tolerance. */                                                     \
  OPTION(whole, degree, -1, expert, "N", "Highest degree kept; no promise then")                                       \
  /* Most sources or targets in a leaf; 0: from the cost model. */                                                     \
  OPTION(count, leaf_size, 0, expert, "N", "Most bodies in a leaf of the tree")                                        \
  /* Uniform tree with leaves at this level in a cube of the data's extent (in a larger cube where the points lie      \
   * very far from zero, see Report::choices); -1: adaptive. */                                                        \
  OPTION(whole, depth, -1, expert, "N", "Uniform tree with leaves at this level")                                      \
  OPTION(M2l, m2l, M2l::automatic, expert, "", "How multipole becomes local expansion")                                \
  /* Method treecode: a box is expanded where its edge is at most theta times the distance from its centre to the          \
   * targets, above 0 and at most 1; 0: from the tolerance. */                                                         \
  OPTION(real, theta, 0, expert, "X", "Treecode: edge over distance, no promise")                                     \
  OPTION(Stencil, stencil, Stencil::automatic, expert, "", "189 or 119 translations per box")                          \
  OPTION(Simd, simd, Simd::automatic, expert, "", "Instruction set")                                                   \
  /* Of kernel vortex: also the stream function, as the potential. Without it no logarithm is computed. */             \
  OPTION(flag, stream_function, false, general, "", "Of kernel vortex the stream function, too")                       \
  /* Core of vortices and its radius R, in the caller's units; on the command line --core gauss:R. Far pairs are       \
   * those of point vortices to what the tolerance allows: boxes stay so wide. */                                      \
  OPTION(Core, core, Core{}, interface_only, "", "")                                                                   \
  OPTION(real, core_radius, 0, interface_only, "", "")                                                                 \
  /* Axes along which the cell of the points is repeated without end, and its lengths along these; 0 along others. On  \
   * the command line --cell LX,LY,LZ: a length for each of the axes. Kernels vortex and cauchy: rows along x. Kernel  \
   * laplace3d: any axes, and any cell, whose vectors a = (x, ay, az), b = (bx, y, bz), c = (cx, cy, z) belong to       \
   * axes x, y and z; on the command line --cell with the nine numbers. */                                             \
  OPTION(Axes, periodic, Axes{}, general, "", "Axes along which the points repeat")                                    \
  OPTION(real, cell_x, 0, interface_only, "", "")                                                                      \
  OPTION(real, cell_y, 0, interface_only, "", "")                                                                      \
  OPTION(real, cell_z, 0, interface_only, "", "")                                                                      \
  OPTION(real, cell_ay,0, interface_only, "", "")                                                                      \
  OPTION(real, cell_az,0, interface_only, "", "")                                                                      \
  OPTION(real, cell_bx,0, interface_only, "", "")                                                                      \
  OPTION(real, cell_bz,0, interface_only, "", "")                                                                      \
  OPTION(real, cell_cx,0, interface_only, "", "")                                                                      \
  OPTION(real, cell_cy,0, interface_only, "", "")                                                                      \
  /* Also compute the second derivatives of the potential with respect to the target's coordinates, and the gradient. */ \
  OPTION(flag, hessian, false, general, "", "Compute gradient and Hessian, too")                                       \
  /* Sources may carry dipoles (Strengths::dipoles); the degree is chosen for them. */                                 \
  OPTION(flag, dipoles, false, interface_only, "", "")                                                                 \
  /* How many densities (vectors of strengths) an evaluation will carry, from 1 to 1e6: what is fastest is chosen for  \
   * so many, leaves above all, and never a lower accuracy. Any number may be evaluated. The one-shot functions and    \
   * the command line count for themselves. */                                                                         \
  OPTION(whole, densities, 1, interface_only, "", "")                                                                  \
  /* Of kernel laplace3d, where the targets are the sources and nothing carries dipoles: also the virial of each        \
   * density, half the sum over all pairs and images of d F, F = -q q grad K the force on the first and d its distance   \
   * from the second. It is minus the derivative of the energy by a strain of positions and cell. */                   \
  OPTION(flag, virial, false, general, "", "Compute the virial of the forces, too")                                    \
  /* gradient: the tolerance holds for the gradient (and Hessian) alone, as in molecular dynamics, where the potential   \
   * serves the energy, in which errors of particles average out. Ions at 1e-5: the potential errs by 1e-4. */          \
  OPTION(ToleranceFor, tolerance_for, ToleranceFor{}, general, "", "Results that the tolerance holds for")             \
  /* For time steps, a length in the caller's units: while no point has gone farther than this, and than a tenth of the  \
   * smallest box, from where it was when the tree was built, a move keeps boxes and lists: method fmm, as many points. \
   * Every evaluation is judged as always. Bits of results then depend on the moves before. 0: every tree is new. */     \
  OPTION(real, skin, 0, interface_only, "", "")
/* clang-format on */

/* Of a net charge in a cell with three periodic axes: neutralize spreads its opposite evenly over the cell; error
 * refuses it. */
#define FARFIELD_BACKGROUND(VALUE)               \
  VALUE(neutralize, NEUTRALIZE, 0, "neutralize") \
  VALUE(refuse, REFUSE, 1, "error")

/* clang-format off */
/* Options of Coulomb sums (coulomb.hpp) beside those of their plans. */
#define FARFIELD_COULOMB_OPTIONS(OPTION)                                                                               \
  /* Dielectric constant of the medium around a sphere of cells, with three periodic axes and neutral systems; 1:      \
   * vacuum; 0, or infinity: it conducts (tin-foil), as Ewald sums have it. */                                         \
  OPTION(real, surface, 0, general, "EPS", "Medium outside: tinfoil, vacuum, constant")                                \
  OPTION(Background, background, Background{}, general, "", "What to do with a net charge")                            \
  /* Of the energies: 332.06371 for charges in e, Angstrom and kcal/mol (docs/molecules.md has more). */               \
  OPTION(real, coulomb_constant, 1.0, interface_only, "", "")                                                          \
  /* Take an equal share of what the forces add up to off each of them. */                                             \
  OPTION(flag, remove_net_force, false, general, "", "Make the forces add up to 0")                                    \
  /* Above 0 `tolerance` is the accuracy of LAMMPS' kspace_style: the rms error of forces over this force, that of two \
   * unit charges 1 Angstrom apart in the units of the forces. 0: relative to what comes out. */                       \
  OPTION(real, two_charge_force, 0, interface_only, "", "")
/* clang-format on */

#endif
