/* Farfield for C: u(x_i) = sum_j q_j K(x_i, y_j) and its gradient in linear time, to the accuracy asked for.
 *
 * The structures mirror those of the C++ headers (views.hpp, options.hpp) field for field and value for value.
 *
 * Errors: functions that return int give FARFIELD_OK (0) or a code of farfield_error; the sentence that says what is
 * wrong and what to do is in farfield_last_error(). No function prints, exits or throws.
 * Ownership: arrays belong to the caller, are only used during the call and are never freed by the library; a plan
 * belongs to the caller, who gives it back with farfield_plan_destroy.
 * Threads: distinct plans may be used at the same time; one plan is used from one thread at a time. Functions without a
 * plan may be called from any thread.
 */
#ifndef FARFIELD_FARFIELD_H
#define FARFIELD_FARFIELD_H

#include <farfield/export.h>
#include <farfield/options_list.h>
#include <stddef.h>
#include <stdint.h>

#include <farfield/version.hpp> /* macros only: FARFIELD_VERSION "x.y.z", FARFIELD_VERSION_MAJOR, _MINOR, _PATCH */

#ifdef __cplusplus
extern "C" {
#endif

/* What went wrong. Values are stable across releases and equal the exit codes of the `farfield` command. */
typedef enum farfield_error {
  FARFIELD_OK = 0,
  FARFIELD_ACCURACY = 1, /* the measured error exceeds the tolerance (command line only) */
  FARFIELD_USAGE = 2,    /* an option is wrong or cannot be honoured; an unreachable tolerance included */
  FARFIELD_INPUT = 3,    /* points or strengths are malformed: null, wrong count, NaN, infinity */
  FARFIELD_DEVICE = 4,   /* the backend asked for is missing or failed */
  FARFIELD_MEMORY = 5,   /* not enough memory */
  FARFIELD_OUTPUT = 6,   /* a result could not be written (command line only) */
  FARFIELD_INTERNAL = 7  /* a broken invariant of the library: please report it */
} farfield_error;

/* Values of the int fields below. Where an AUTOMATIC exists it is 0. */
#define FARFIELD_KERNEL_VALUE(name, NAME, Type, number, formula) FARFIELD_KERNEL_##NAME = number,
#define FARFIELD_METHOD_VALUE(name, NAME, number, word) FARFIELD_METHOD_##NAME = number,
#define FARFIELD_SOFTENING_KIND_VALUE(name, NAME, number, word) FARFIELD_SOFTENING_KIND_##NAME = number,
#define FARFIELD_PRECISION_VALUE(name, NAME, number, word) FARFIELD_PRECISION_##NAME = number,
#define FARFIELD_BACKEND_VALUE(name, NAME, number, word) FARFIELD_BACKEND_##NAME = number,
#define FARFIELD_M2L_VALUE(name, NAME, number, word) FARFIELD_M2L_##NAME = number,
#define FARFIELD_CORE_VALUE(name, NAME, number, word) FARFIELD_CORE_##NAME = number,
#define FARFIELD_AXES_VALUE(name, NAME, number, word) FARFIELD_AXES_##NAME = number,
#define FARFIELD_TOLERANCE_FOR_VALUE(name, NAME, number, word) FARFIELD_TOLERANCE_FOR_##NAME = number,
#define FARFIELD_BACKGROUND_VALUE(name, NAME, number, word) FARFIELD_BACKGROUND_##NAME = number,
#define FARFIELD_STENCIL_VALUE(name, NAME, number, word) FARFIELD_STENCIL_##NAME = number,
#define FARFIELD_SIMD_VALUE(name, NAME, number, word) FARFIELD_SIMD_##NAME = number,
enum { FARFIELD_KERNELS(FARFIELD_KERNEL_VALUE) };
enum { FARFIELD_METHOD(FARFIELD_METHOD_VALUE) };
enum { FARFIELD_SOFTENING_KIND(FARFIELD_SOFTENING_KIND_VALUE) };
enum { FARFIELD_PRECISION(FARFIELD_PRECISION_VALUE) };
enum { FARFIELD_BACKEND(FARFIELD_BACKEND_VALUE) };
enum { FARFIELD_M2L(FARFIELD_M2L_VALUE) };
enum { FARFIELD_CORE(FARFIELD_CORE_VALUE) };
enum { FARFIELD_AXES(FARFIELD_AXES_VALUE) };
enum { FARFIELD_TOLERANCE_FOR(FARFIELD_TOLERANCE_FOR_VALUE) };
enum { FARFIELD_BACKGROUND(FARFIELD_BACKGROUND_VALUE) };
enum { FARFIELD_STENCIL(FARFIELD_STENCIL_VALUE) };
enum { FARFIELD_SIMD(FARFIELD_SIMD_VALUE) };
enum { FARFIELD_FLOAT32 = 0, FARFIELD_FLOAT64 = 1 };
enum { FARFIELD_SPACE_HOST = 0, FARFIELD_SPACE_DEVICE = 1 };

/* `count` points in space. Coordinate d of point i is element i * stride behind axis[d]; stride counts scalars, not
 * bytes. Units are the caller's; potentials come back in strength / unit, gradients in strength / unit^2. */
typedef struct farfield_points {
  const void* axis[3];
  int64_t count;
  int64_t stride; /* 3 for interleaved x y z, 1 for three separate arrays; at least 1 where count > 1 */
  int scalar;     /* FARFIELD_FLOAT32 or FARFIELD_FLOAT64 */
  int space;      /* FARFIELD_SPACE_HOST or FARFIELD_SPACE_DEVICE */
  void* stream;   /* the CUDA stream that orders access to device memory; unused for host memory */
  /* One softening length for each point, one after another in host memory, in the units of the coordinates; 0: none.
   * Null: farfield_options.softening for all of them. A pair is softened by the root of the mean square of its points'
   * two lengths (Plummer) or by the longer one (spline). */
  const double* softening;
} farfield_points;

/* One or several strength vectors: the strength of source i in vector v is element v * pitch + i * stride. Sources may
 * also carry dipoles. */
typedef struct farfield_strengths {
  const void* data;
  int64_t count;   /* strengths per vector; must equal the number of sources */
  int64_t vectors; /* number of vectors evaluated in one call */
  int64_t stride;
  int64_t pitch; /* scalars between vectors; 0 means count * stride */
  int scalar;
  int space;
  void* stream;
  /* u(x) = sum_j q_j K(x, y_j) + p_j . grad_y K(x, y_j), where component a of dipole p_i in vector v is element
   * v * dipole_pitch + i * dipole_stride + a; needs farfield_options.dipoles. Null: none. With dipoles `data` may be
   * null: no charges. */
  const void* dipoles;
  int64_t dipole_stride; /* 0 means 3 */
  int64_t dipole_pitch;  /* scalars between vectors; 0 means count * dipole_stride */
} farfield_strengths;

/* Where results go. Arrays are overwritten; a null pointer means "not wanted". Potentials are (vectors, count),
 * gradients (vectors, count, 3), contiguous, last index fastest, in the order of the caller's points. The gradient is
 * the derivative of the potential with respect to the target's coordinates (a force is its negative times a strength).
 * Kernel vortex puts the velocity (u, v, 0) there, cauchy (Re, Im, 0), without farfield_options.gradient; a potential
 * they have only if farfield_options.stream_function asks for it. */
typedef struct farfield_outputs {
  void* potential;        /* at the targets */
  void* gradient;         /* at the targets; needs farfield_options.gradient */
  void* source_potential; /* at the sources; needs farfield_options.at_sources */
  void* source_gradient;  /* at the sources; needs both options */
  int scalar;
  int space;
  void* stream;
  void* hessian;        /* at the targets, (vectors, count, 6): xx yy zz xy xz yz; needs farfield_options.hessian */
  void* source_hessian; /* at the sources; needs farfield_options.hessian and .at_sources */
  double* virial;       /* (vectors, 6): xx yy zz xy xz yz, always in host memory; needs farfield_options.virial */
} farfield_outputs;

/* C types of the option types of options_list.h. An option that is a word is an int with one of the values above. */
typedef double farfield_real;
typedef int farfield_flag, farfield_whole;
typedef int64_t farfield_count;
typedef uint64_t farfield_seed;
typedef int farfield_Kernel, farfield_Method, farfield_Precision, farfield_Backend, farfield_M2l, farfield_Stencil,
    farfield_Simd, farfield_SofteningKind, farfield_Core, farfield_Axes, farfield_Background, farfield_ToleranceFor;

/* What is asked for. Fill it with farfield_options_init, then change what you want. Meaning and default of each field:
 * options_list.h. */
#define FARFIELD_FIELD(type, name, initial, where, sign, help) farfield_##type name;
typedef struct farfield_options {
  size_t struct_size; /* set by farfield_options_init; lets later versions add fields at the end */
  FARFIELD_OPTIONS(FARFIELD_FIELD)
} farfield_options;

/* Of Coulomb sums, beside farfield_options. Fill it with farfield_coulomb_options_init. */
typedef struct farfield_coulomb_options {
  size_t struct_size;
  FARFIELD_COULOMB_OPTIONS(FARFIELD_FIELD)
} farfield_coulomb_options;
#undef FARFIELD_FIELD

/* Everything that does not depend on strengths: tree, lists, translation tables. */
typedef struct farfield_plan farfield_plan;

/* Views of contiguous host arrays: xyz has 3 count elements x0 y0 z0 x1 ..., q has count elements; results as in
 * farfield_outputs. The views copy nothing. */
static inline farfield_points farfield_points_f64(const double* xyz, int64_t count) {
  farfield_points view = {{xyz, xyz ? xyz + 1 : xyz, xyz ? xyz + 2 : xyz}, count, 3, FARFIELD_FLOAT64, 0, NULL, NULL};
  return view;
}
static inline farfield_points farfield_points_f32(const float* xyz, int64_t count) {
  farfield_points view = {{xyz, xyz ? xyz + 1 : xyz, xyz ? xyz + 2 : xyz}, count, 3, FARFIELD_FLOAT32, 0, NULL, NULL};
  return view;
}
static inline farfield_strengths farfield_strengths_f64(const double* q, int64_t count) {
  farfield_strengths view = {q, count, 1, 1, count, FARFIELD_FLOAT64, 0, NULL, NULL, 0, 0};
  return view;
}
static inline farfield_strengths farfield_strengths_f32(const float* q, int64_t count) {
  farfield_strengths view = {q, count, 1, 1, count, FARFIELD_FLOAT32, 0, NULL, NULL, 0, 0};
  return view;
}
static inline farfield_outputs farfield_outputs_f64(double* potential, double* gradient) {
  farfield_outputs view = {potential, gradient, NULL, NULL, FARFIELD_FLOAT64, 0, NULL, NULL, NULL, NULL};
  return view;
}
static inline farfield_outputs farfield_outputs_f32(float* potential, float* gradient) {
  farfield_outputs view = {potential, gradient, NULL, NULL, FARFIELD_FLOAT32, 0, NULL, NULL, NULL, NULL};
  return view;
}

/* Sets every field of *options to its default, struct_size included. Null: does nothing. */
#define farfield_options_init(options) farfield_options_init_sized((options), sizeof(farfield_options))
FARFIELD_API void farfield_options_init_sized(farfield_options* options, size_t struct_size);

/* Builds a plan for these points and stores it in *plan (null when the call fails). `targets` null: the targets are the
 * sources. `options` null: the defaults. Coordinates are copied: the arrays may be freed when the call returns.
 * Errors: USAGE (options, unreachable tolerance), INPUT (null pointers, NaN or infinity, with the index of its point),
 * DEVICE (backend missing), MEMORY. */
FARFIELD_API int farfield_plan_create(farfield_plan** plan, const farfield_points* sources,
                                      const farfield_points* targets, const farfield_options* options);

/* The same over `count` devices of this machine, GPUs by their number from 0 on; one that is named twice does the work
 * of two. Arrays are whole, in host memory; results have the bits of a plan on one device, by the same functions. With
 * backend CPU the numbers name nothing: as many parts share the processors. Errors: also USAGE for no devices and for
 * what is not offered (<farfield/distributed.hpp>: on GPUs periodic axes, virials),
 * DEVICE for a device that there is not and for arrays in device memory. EXPERIMENTAL. */
FARFIELD_API int farfield_plan_create_on_devices(farfield_plan** plan, const farfield_points* sources,
                                                 const farfield_points* targets, const int* devices, int count,
                                                 const farfield_options* options);

/* Sums for every strength vector and fills the arrays that *outputs points to. May be called as often as wanted.
 * Errors: USAGE (an output that the options did not ask for), INPUT (count differs from the sources', NaN), MEMORY. */
FARFIELD_API int farfield_plan_evaluate(farfield_plan* plan, const farfield_strengths* strengths,
                                        const farfield_outputs* outputs);

/* Sets new positions with the same options, for the next time step. The counts may change, and the targets may
 * become the sources (`targets` null) or a set of their own. Errors as for farfield_plan_create. If the points are
 * refused the plan stays as it was. After a later failure (MEMORY, as a rule) the plan has no points, and
 * farfield_plan_evaluate gives USAGE until a move succeeds.
 */
FARFIELD_API int farfield_plan_move(farfield_plan* plan, const farfield_points* sources,
                                    const farfield_points* targets);

/* Another periodic cell with the same axes, for barostats: from the next farfield_plan_move on the points repeat along
 * the vectors a, b, c, nine numbers row by row, zeros for axes that do not repeat. Errors: USAGE (null, no periodic
 * axes, no cell); the plan then stays as it was. If the move is refused the cell still waits. */
FARFIELD_API int farfield_plan_set_cell(farfield_plan* plan, const double* vectors);

/* What evaluations needed beyond what the points tell, a higher degree or double, is kept over a move to about as many
 * points ("kept" among the report's choices). After this the next move decides as a new plan does, and its results have
 * the same bits. Errors: USAGE (null). */
FARFIELD_API int farfield_plan_forget(farfield_plan* plan);
FARFIELD_API int farfield_plan_check_replays(const farfield_plan* plan); /* INPUT: as Plan::check_replays throws */

/* Most bytes that the plan has held at one time, on the first of several GPUs; 0 for null, and for parts on the cores. */
FARFIELD_API int64_t farfield_plan_memory(const farfield_plan* plan);

/* Upper bound in bytes of what a plan for these counts allocates, without running it; targets 0: the sources are the
 * targets. -1 on failure. `options` null: the defaults. */
FARFIELD_API int64_t farfield_memory_bound(int64_t sources, int64_t targets, const farfield_options* options);

/* Relative L2 errors of the last evaluation, measured on farfield_options.check targets; either pointer may be null.
 * Error: USAGE when the options did not ask for a check or nothing has been evaluated. */
FARFIELD_API int farfield_plan_measured_error(const farfield_plan* plan, double* potential, double* gradient);
/* The same of the Hessian. Error: also USAGE without farfield_options.hessian. */
FARFIELD_API int farfield_plan_measured_hessian_error(const farfield_plan* plan, double* hessian);

/* Warning number `index` (0, 1, ...) of the last build and evaluation, for example that the sum is ill-conditioned;
 * null when there is none. Valid until the next call on this plan. */
FARFIELD_API const char* farfield_plan_warning(const farfield_plan* plan, int64_t index);

/* Destroys the plan and frees its memory. Null: does nothing. */
FARFIELD_API void farfield_plan_destroy(farfield_plan* plan);

/* Velocities that vortex particles induce (docs/biot-savart.md): u(x) = sum_j alpha_j x (x - y_j) / (4 pi |x - y_j|^3),
 * alpha_j the particle's vorticity times its volume; farfield_options.softening and .softening_kind regularise it, and
 * farfield_options.hessian asks for its derivatives. A plan like farfield_plan: create once, evaluate as often as
 * wanted, one call at a time. */
typedef struct farfield_biot_savart farfield_biot_savart;

/* As farfield_plan_create; `targets` null: velocities at the particles. Errors: also USAGE for another kernel than
 * laplace3d and for farfield_options.at_sources. */
FARFIELD_API int farfield_biot_savart_create(farfield_biot_savart** sum, const farfield_points* particles,
                                             const farfield_points* targets, const farfield_options* options);

/* strengths: (particles, 3), `particles` as many as there are. velocity: (targets, 3). velocity_gradient: (targets, 3,
 * 3), the derivative of component i along axis j at 9 target + 3 i + j; stretching: (particles, 3), (alpha . grad) u;
 * both need farfield_options.hessian, stretching also that the targets are the particles. A null pointer means "not
 * wanted". Arrays lie in host memory and do not overlap; the f version reads and writes single precision. Errors: USAGE
 * (a result that the options did not ask for), INPUT (another number of particles, NaN), MEMORY. */
FARFIELD_API int farfield_biot_savart_evaluate(farfield_biot_savart* sum, const double* strengths, int64_t particles,
                                               double* velocity, double* velocity_gradient, double* stretching);
FARFIELD_API int farfield_biot_savart_evaluatef(farfield_biot_savart* sum, const float* strengths, int64_t particles,
                                                float* velocity, float* velocity_gradient, float* stretching);

/* New positions for the next time step, as farfield_plan_move. */
FARFIELD_API int farfield_biot_savart_move(farfield_biot_savart* sum, const farfield_points* particles,
                                           const farfield_points* targets);

/* Warning number `index` (0, 1, ...) of the last evaluation; null when there is none. Valid until the next call. */
FARFIELD_API const char* farfield_biot_savart_warning(const farfield_biot_savart* sum, int64_t index);

/* Null: does nothing. */
FARFIELD_API void farfield_biot_savart_destroy(farfield_biot_savart* sum);

/* Coulomb sums of molecules (docs/molecules.md): energy, forces, potential and virial of charges in open space or in
 * the cell of farfield_options.periodic and .cell_x ..., with bonded pairs left out or scaled. A plan like
 * farfield_plan. */
typedef struct farfield_coulomb farfield_coulomb;

#define farfield_coulomb_options_init(options) \
  farfield_coulomb_options_init_sized((options), sizeof(farfield_coulomb_options))
FARFIELD_API void farfield_coulomb_options_init_sized(farfield_coulomb_options* options, size_t struct_size);

/* `options` and `more` null: the defaults. farfield_options.tolerance is the relative L2 error of potential and forces
 * with exclusions applied. Errors as for farfield_plan_create; USAGE also for options that these sums settle themselves
 * (kernel, scale, softening, hessian, dipoles, at_sources). Where the plan runs on a device, so does all the rest. */
FARFIELD_API int farfield_coulomb_create(farfield_coulomb** sum, const farfield_points* positions,
                                         const farfield_options* options, const farfield_coulomb_options* more);

/* Of these `count` pairs of particles, counted from 0, only the fractions kept[count] stay, from 0 to 1; `kept` null:
 * 0. Takes the place of earlier pairs; count 0: none. A pair may stand twice, in any order, with one fraction. Errors:
 * INPUT. */
FARFIELD_API int farfield_coulomb_exclude_pairs(farfield_coulomb* sum, const int64_t* pairs, int64_t count,
                                                const double* kept);
/* The same as compressed rows of all particles: particle i excludes others[starts[i]] to others[starts[i + 1] - 1].
 * Each pair stands in the rows of both, with one fraction. */
FARFIELD_API int farfield_coulomb_exclude_rows(farfield_coulomb* sum, const int64_t* starts, const int64_t* others,
                                               const double* kept);

/* The same of what `count` bonds make neighbours: of pairs one, two and three bonds apart the fractions kept[3] stay,
 * null: 0 (LAMMPS' special_bonds). */
FARFIELD_API int farfield_coulomb_exclude_bonds(farfield_coulomb* sum, const int64_t* bonds, int64_t count,
                                                const double* kept);

/* What an evaluation gives, times farfield_coulomb_options.coulomb_constant. The caller sets the pointers, null: not
 * wanted; the rest is overwritten. */
typedef struct farfield_coulomb_sums {
  double* potential;   /* (particles) phi, exclusions and surface applied */
  double* forces;      /* (particles, 3) */
  double* energies;    /* (particles) q phi / 2 */
  double energy;       /* their sum */
  double virial[6];    /* xx yy zz xy xz yz, LAMMPS' sign, of trace energy; 0 without farfield_options.virial */
  double net_force[3]; /* the sum of the forces, before it was removed */
  double rms_force;    /* root of the mean of |F|^2, likewise */
  double charge;       /* the sum of the charges, in the caller's unit */
  double dipole[3];    /* the one given, or the sum of q x, likewise */
} farfield_coulomb_sums;

/* charges: (particles). dipole: (3), that of whole molecules, for surfaces that are not tin-foil; null: that of the
 * positions as they are, with a warning. Errors: INPUT (another number of charges, NaN, a net charge that has no sum),
 * MEMORY. */
FARFIELD_API int farfield_coulomb_evaluate(farfield_coulomb* sum, const double* charges, int64_t particles,
                                           const double* dipole, farfield_coulomb_sums* sums);

/* New positions for the next time step, as farfield_plan_move. cell: nine numbers, the vectors a, b, c, or null: the
 * present one. */
FARFIELD_API int farfield_coulomb_move(farfield_coulomb* sum, const farfield_points* positions, const double* cell);

/* Warning number `index` (0, 1, ...) of the last evaluation; null when there is none. Valid until the next call. */
FARFIELD_API const char* farfield_coulomb_warning(const farfield_coulomb* sum, int64_t index);

/* Null: does nothing. */
FARFIELD_API void farfield_coulomb_destroy(farfield_coulomb* sum);

/* One-shot sum of 1/r: potential[m] (and gradient[3 m]) at the targets of n sources.
 * xyz: 3 n, interleaved; q: n; targets: 3 m, interleaved, or null for the sources themselves, and then m must equal n.
 * gradient may be null. `tolerance`: as in farfield_options. The f version reads and writes single-precision arrays.
 * Errors as for farfield_plan_create. */
FARFIELD_API int farfield_laplace3d(int64_t n, const double* xyz, const double* q, int64_t m, const double* targets,
                                    double tolerance, double* potential, double* gradient);
FARFIELD_API int farfield_laplace3df(int64_t n, const float* xyz, const float* q, int64_t m, const float* targets,
                                     double tolerance, float* potential, float* gradient);

/* The exact O(N M) sum in the precision of the outputs. `targets` null: the sources; `options` null: the defaults. Uses
 * kernel, scale, softening, gradient, hessian, threads and simd of the options; dipoles need no option. */
FARFIELD_API int farfield_direct_sum(const farfield_points* sources, const farfield_strengths* strengths,
                                     const farfield_points* targets, const farfield_outputs* outputs,
                                     const farfield_options* options);

/* The sentence of this thread's last failed call; "" before the first. Valid until this thread's next failed call. */
FARFIELD_API const char* farfield_last_error(void);

/* "ok", "accuracy", "usage", ...; "unknown" for any other number. Never null, static storage. */
FARFIELD_API const char* farfield_error_name(int error);

/* Version of the library that is linked, "x.y.z"; compare with FARFIELD_VERSION of the headers. Static storage. */
FARFIELD_API const char* farfield_version(void);

#ifdef __cplusplus
}
#endif
#endif
