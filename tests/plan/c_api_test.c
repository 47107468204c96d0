/* The C interface, in plain C: prints each broken expectation and returns their number. */
#include <farfield/farfield.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define EXPECT(condition)                                                                                     \
  do {                                                                                                        \
    if (!(condition)) {                                                                                       \
      ++failures;                                                                                             \
      printf("%s:%d: expected %s (last error: %s)\n", __FILE__, __LINE__, #condition, farfield_last_error()); \
    }                                                                                                         \
  } while (0)

enum { n = 2000 };
static double xyz[3 * n], q[n], potential[n], gradient[3 * n], exact[n], exact_gradient[3 * n];

/* Knuth's 64-bit congruential generator: the same points everywhere. */
static double uniform(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) * 0x1p-53;
}

static void make_points(void) {
  for (int i = 0; i < 3 * n; ++i) xyz[i] = uniform();
  for (int i = 0; i < n; ++i) q[i] = uniform() - 0.5;
}

static double relative_l2(const double* a, const double* b, int count) {
  double difference = 0, norm = 0;
  for (int i = 0; i < count; ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return sqrt(difference / norm);
}

static void two_charges(void) {
  const double pair[6] = {0, 0, 0, 2, 0, 0}, charges[2] = {3, -4};
  double u[2], g[6];
  EXPECT(farfield_laplace3d(2, pair, charges, 2, NULL, 1e-6, u, g) == FARFIELD_OK);
  EXPECT(u[0] == -2 && u[1] == 1.5);
  EXPECT(g[0] == -1 && g[3] == -0.75 && g[1] == 0 && g[5] == 0); /* d/dx q / |x - y| = -q (x - y) / r^3 */

  const float pair_f[6] = {0, 0, 0, 2, 0, 0}, charges_f[2] = {3, -4};
  float u_f[1];
  const float target_f[3] = {1, 0, 0};
  EXPECT(farfield_laplace3df(2, pair_f, charges_f, 1, target_f, 1e-3, u_f, NULL) == FARFIELD_OK);
  EXPECT(u_f[0] == -1);
}

static void plan_against_direct_sum(void) {
  const farfield_points sources = farfield_points_f64(xyz, n);
  const farfield_strengths strengths = farfield_strengths_f64(q, n);
  const farfield_outputs results = farfield_outputs_f64(potential, gradient);
  const farfield_outputs references = farfield_outputs_f64(exact, exact_gradient);
  farfield_options options;
  farfield_options_init(&options);
  EXPECT(options.struct_size == sizeof options && options.tolerance == 1e-6 && options.scale == 1);
  EXPECT(options.degree == -1 && options.depth == -1);
  options.gradient = 1;
  options.check = 100;

  farfield_plan* plan = NULL;
  double measured = 1, measured_gradient = 1;
  EXPECT(farfield_plan_create(&plan, &sources, NULL, &options) == FARFIELD_OK);
  EXPECT(farfield_plan_measured_error(plan, &measured, NULL) == FARFIELD_USAGE);
  EXPECT(farfield_plan_evaluate(plan, &strengths, &results) == FARFIELD_OK);
  EXPECT(farfield_direct_sum(&sources, &strengths, NULL, &references, &options) == FARFIELD_OK);
  EXPECT(relative_l2(potential, exact, n) <= options.tolerance);
  EXPECT(relative_l2(gradient, exact_gradient, 3 * n) <= options.tolerance);
  EXPECT(farfield_plan_measured_error(plan, &measured, &measured_gradient) == FARFIELD_OK);
  EXPECT(measured <= options.tolerance && measured_gradient <= options.tolerance);
  EXPECT(farfield_plan_memory(plan) > 0);
  EXPECT(farfield_memory_bound(n, 0, &options) >= farfield_plan_memory(plan));
  EXPECT(farfield_plan_warning(plan, -1) == NULL && farfield_plan_warning(plan, 1000) == NULL);

  const farfield_points half = farfield_points_f64(xyz, n / 2);
  const farfield_strengths half_strengths = farfield_strengths_f64(q, n / 2);
  EXPECT(farfield_plan_move(plan, &half, NULL) == FARFIELD_OK);
  EXPECT(farfield_plan_evaluate(plan, &strengths, &results) == FARFIELD_INPUT);
  EXPECT(farfield_plan_evaluate(plan, &half_strengths, &results) == FARFIELD_OK);
  const farfield_points others = farfield_points_f64(xyz + 3 * (n / 2), 100); /* targets apart come, and go again */
  EXPECT(farfield_plan_move(plan, &half, &others) == FARFIELD_OK);
  EXPECT(farfield_plan_evaluate(plan, &half_strengths, &results) == FARFIELD_OK);
  EXPECT(farfield_direct_sum(&half, &half_strengths, &others, &references, &options) == FARFIELD_OK);
  EXPECT(relative_l2(potential, exact, 100) <= options.tolerance);
  EXPECT(farfield_plan_move(plan, &sources, NULL) == FARFIELD_OK);
  EXPECT(farfield_plan_evaluate(plan, &strengths, &results) == FARFIELD_OK);
  farfield_plan_destroy(plan);
}

static void softening(void) {
  const double pair[6] = {0, 0, 0, 0, 3, 0}, charges[2] = {10, 20};
  double u[2], g[6];
  const farfield_points sources = farfield_points_f64(pair, 2);
  const farfield_strengths strengths = farfield_strengths_f64(charges, 2);
  const farfield_outputs results = farfield_outputs_f64(u, g);
  farfield_options options;
  farfield_options_init(&options);
  EXPECT(options.softening == 0);
  options.softening = 4; /* sqrt(3^2 + 4^2) = 5 */
  options.gradient = 1;
  EXPECT(farfield_direct_sum(&sources, &strengths, NULL, &results, &options) == FARFIELD_OK);
  EXPECT(fabs(u[0] - 4) < 1e-14 && fabs(u[1] - 2) < 1e-14);       /* nobody acts on itself */
  EXPECT(fabs(g[1] - 0.48) < 1e-14 && fabs(g[4] + 0.24) < 1e-14); /* -q (x - y) / 125 */

  const double here[3] = {0, 0, 0};
  const farfield_points target = farfield_points_f64(here, 1);
  EXPECT(farfield_direct_sum(&sources, &strengths, &target, &results, &options) == FARFIELD_OK);
  EXPECT(fabs(u[0] - 6.5) < 1e-14); /* 10/4 + 20/5 */

  farfield_plan* plan = NULL;
  EXPECT(farfield_plan_create(&plan, &sources, NULL, &options) == FARFIELD_OK);
  EXPECT(farfield_plan_evaluate(plan, &strengths, &results) == FARFIELD_OK && fabs(u[0] - 4) < 1e-14);
  farfield_plan_destroy(plan);
  options.method = FARFIELD_METHOD_FMM;
  EXPECT(farfield_plan_create(&plan, &sources, NULL, &options) == FARFIELD_OK);
  EXPECT(farfield_plan_evaluate(plan, &strengths, &results) == FARFIELD_OK && fabs(u[0] - 4) < 1e-5);
  farfield_plan_destroy(plan);
  options.softening_kind = FARFIELD_SOFTENING_KIND_SPLINE;
  options.softening = 3 / 2.8; /* the other particle is at the spline's reach */
  EXPECT(farfield_direct_sum(&sources, &strengths, NULL, &results, &options) == FARFIELD_OK);
  EXPECT(fabs(u[0] - 20.0 / 3) < 1e-14 && fabs(g[1] - 20.0 / 9) < 1e-14);
  options.softening_kind = 4;
  EXPECT(farfield_plan_create(&plan, &sources, NULL, &options) == FARFIELD_USAGE);
  EXPECT(strstr(farfield_last_error(), "softening_kind") != NULL);
  farfield_options_init(&options);
  options.softening = NAN;
  EXPECT(farfield_plan_create(&plan, &sources, NULL, &options) == FARFIELD_USAGE);
  farfield_options_init(&options);
  options.struct_size = offsetof(farfield_options, softening); /* of a caller before softening */
  options.softening = NAN;
  EXPECT(farfield_plan_create(&plan, &sources, NULL, &options) == FARFIELD_OK);
  farfield_plan_destroy(plan);
}

static void softening_lengths(void) {
  const double pair[6] = {0, 0, 0, 0, 3, 0}, charges[2] = {10, 20}, lengths[2] = {2, sqrt(28)}, wrong[2] = {2, -1};
  double u[2], g[6];
  farfield_points sources = farfield_points_f64(pair, 2);
  const farfield_strengths strengths = farfield_strengths_f64(charges, 2);
  const farfield_outputs results = farfield_outputs_f64(u, g);
  farfield_options options;
  farfield_options_init(&options);
  options.gradient = 1;
  EXPECT(sources.softening == NULL);
  sources.softening = lengths; /* sqrt(3^2 + (2^2 + 28) / 2) = 5 */
  EXPECT(farfield_direct_sum(&sources, &strengths, NULL, &results, &options) == FARFIELD_OK);
  EXPECT(fabs(u[0] - 4) < 1e-14 && fabs(u[1] - 2) < 1e-14);
  EXPECT(fabs(g[1] - 0.48) < 1e-14 && fabs(g[4] + 0.24) < 1e-14);

  const double here[3] = {0, 0, 0};
  farfield_points target = farfield_points_f64(here, 1); /* of the length that the options name */
  options.softening = 2;
  EXPECT(farfield_direct_sum(&sources, &strengths, &target, &results, &options) == FARFIELD_OK);
  EXPECT(fabs(u[0] - 9) < 1e-14); /* 10/2 + 20/5 */
  options.softening_kind = FARFIELD_SOFTENING_KIND_SPLINE;
  farfield_plan* plan = NULL;
  target.softening = lengths;
  EXPECT(farfield_plan_create(&plan, &sources, &target, &options) == FARFIELD_OK);
  EXPECT(farfield_plan_evaluate(plan, &strengths, &results) == FARFIELD_OK);
  EXPECT(u[0] > 5 + 20 / sqrt(28) / 2 && u[0] < 5 + 20 / sqrt(28)); /* the longer one, within its reach */
  sources.softening = wrong;
  EXPECT(farfield_plan_move(plan, &sources, NULL) == FARFIELD_INPUT);
  EXPECT(strstr(farfield_last_error(), "source 1: softening -1") != NULL);
  EXPECT(farfield_plan_evaluate(plan, &strengths, &results) == FARFIELD_OK); /* stays as it was */
  farfield_plan_destroy(plan);
}

static void errors_have_codes_and_sentences(void) {
  farfield_plan* plan = (farfield_plan*)1;
  const farfield_points sources = farfield_points_f64(xyz, n);
  farfield_options options;

  EXPECT(farfield_plan_create(&plan, NULL, NULL, NULL) == FARFIELD_INPUT && plan == NULL);
  EXPECT(strstr(farfield_last_error(), "sources") != NULL);
  EXPECT(farfield_plan_create(NULL, &sources, NULL, NULL) == FARFIELD_INPUT);
  EXPECT(farfield_plan_evaluate(NULL, NULL, NULL) == FARFIELD_INPUT);
  EXPECT(farfield_laplace3d(n, xyz, q, 0, NULL, 1e-6, potential, NULL) == FARFIELD_INPUT);

  memset(&options, 0, sizeof options);
  EXPECT(farfield_plan_create(&plan, &sources, NULL, &options) == FARFIELD_USAGE);
  EXPECT(strstr(farfield_last_error(), "farfield_options_init") != NULL);
  farfield_options_init(&options);
  options.struct_size = sizeof options + 8;
  EXPECT(farfield_plan_create(&plan, &sources, NULL, &options) == FARFIELD_USAGE);
  farfield_options_init(&options);
  options.method = 99;
  EXPECT(farfield_plan_create(&plan, &sources, NULL, &options) == FARFIELD_USAGE);
  EXPECT(strstr(farfield_last_error(), "method") != NULL);
  farfield_options_init(&options);
  options.struct_size = offsetof(farfield_options, gradient); /* of an older caller that knew the tolerance only */
  EXPECT(farfield_plan_create(&plan, &sources, NULL, &options) == FARFIELD_OK);
  farfield_plan_destroy(plan);

  const double nan_points[6] = {0, 0, 0, 1, NAN, 0}, charges[2] = {1, 1};
  EXPECT(farfield_laplace3d(2, nan_points, charges, 2, NULL, 1e-6, potential, NULL) == FARFIELD_INPUT);
  EXPECT(strchr(farfield_last_error(), '1') != NULL); /* names the point */
}

/* A structure that is filled with zeros and half filled in: stride 0. */
static void forgotten_strides(void) {
  farfield_points sources = farfield_points_f64(xyz, n);
  farfield_strengths strengths = farfield_strengths_f64(q, n);
  const farfield_outputs results = farfield_outputs_f64(potential, NULL);
  farfield_plan* plan = NULL;
  sources.stride = 0;
  EXPECT(farfield_plan_create(&plan, &sources, NULL, NULL) == FARFIELD_INPUT && plan == NULL);
  EXPECT(strstr(farfield_last_error(), "stride") != NULL);
  sources.stride = 3;
  EXPECT(farfield_plan_create(&plan, &sources, NULL, NULL) == FARFIELD_OK);
  strengths.stride = 0;
  EXPECT(farfield_plan_evaluate(plan, &strengths, &results) == FARFIELD_INPUT);
  EXPECT(strstr(farfield_last_error(), "stride") != NULL);
  farfield_plan_destroy(plan);
  EXPECT(farfield_memory_bound(-1, 0, NULL) == -1 && farfield_memory_bound(10, -5, NULL) == -1);
  EXPECT(farfield_memory_bound((int64_t)1 << 62, 0, NULL) == -1);
}

/* A charge of 2 with a dipole of 4 along x at the origin, seen from (2, 0, 0) and (0, 0, 2). */
static void dipole(void) {
  const double origin[3] = {0}, charge[1] = {2}, moment[3] = {4, 0, 0}, places[6] = {2, 0, 0, 0, 0, 2};
  double u[2], g[6], h[12];
  const farfield_points source = farfield_points_f64(origin, 1), targets = farfield_points_f64(places, 2);
  farfield_strengths strengths = farfield_strengths_f64(charge, 1);
  farfield_outputs results = farfield_outputs_f64(u, g);
  farfield_options options;
  strengths.dipoles = moment;
  results.hessian = h;
  farfield_options_init(&options);
  EXPECT(farfield_direct_sum(&source, &strengths, &targets, &results, &options) == FARFIELD_USAGE);
  options.hessian = 1; /* the one-shot sum sees the dipoles, a plan must be told */
  EXPECT(farfield_direct_sum(&source, &strengths, &targets, &results, &options) == FARFIELD_OK);
  EXPECT(fabs(u[0] - 2) < 1e-14 && fabs(u[1] - 1) < 1e-14);
  EXPECT(fabs(g[0] + 1.5) < 1e-14 && fabs(g[3] - 0.5) < 1e-14 && fabs(g[5] + 0.5) < 1e-14);
  EXPECT(fabs(h[0] - 2) < 1e-14 && fabs(h[1] + 1) < 1e-14 && fabs(h[2] + 1) < 1e-14);
  EXPECT(fabs(h[8] - 0.5) < 1e-14 && fabs(h[10] + 0.75) < 1e-14); /* zz, xz */
  farfield_plan* plan = NULL;
  EXPECT(farfield_plan_create(&plan, &source, &targets, &options) == FARFIELD_OK);
  EXPECT(farfield_plan_evaluate(plan, &strengths, &results) == FARFIELD_USAGE);
  EXPECT(strstr(farfield_last_error(), "dipoles") != NULL);
  farfield_plan_destroy(plan);
}

/* r F of two charges at distance 2 along x: -2 / 2. */
static void virial_of_a_pair(void) {
  const double pair[6] = {0, 0, 0, 2, 0, 0}, charges[2] = {2, -1};
  double u[2], w[6];
  const farfield_points points = farfield_points_f64(pair, 2);
  const farfield_strengths strengths = farfield_strengths_f64(charges, 2);
  farfield_outputs results = farfield_outputs_f64(u, NULL);
  farfield_options options;
  farfield_plan* plan = NULL;
  results.virial = w;
  farfield_options_init(&options);
  options.virial = 1;
  EXPECT(farfield_plan_create(&plan, &points, NULL, &options) == FARFIELD_OK);
  EXPECT(farfield_plan_evaluate(plan, &strengths, &results) == FARFIELD_OK);
  EXPECT(fabs(w[0] + 1) < 1e-14 && w[1] == 0 && w[2] == 0 && w[3] == 0 && w[4] == 0 && w[5] == 0);
  EXPECT(fabs(u[0] + 0.5) < 1e-14 && fabs(u[1] - 1) < 1e-14);
  farfield_plan_destroy(plan);
  EXPECT(farfield_plan_create(&plan, &points, &points, &options) == FARFIELD_USAGE);
}

static void names_and_version(void) {
  EXPECT(strcmp(farfield_error_name(FARFIELD_OK), "ok") == 0);
  EXPECT(strcmp(farfield_error_name(FARFIELD_INTERNAL), "internal") == 0);
  EXPECT(strcmp(farfield_error_name(99), "unknown") == 0 && strcmp(farfield_error_name(-1), "unknown") == 0);
  EXPECT(strcmp(farfield_version(), FARFIELD_VERSION) == 0);
  farfield_plan_destroy(NULL);
  farfield_options_init((farfield_options*)NULL);
}

/* A particle of strength (0, 0, a) at the origin turns what lies at distance r along x into y: a q(r/e) / (4 pi r^2),
 * and its derivative along y there is that of a turning, -u_x / r. */
static void vortex_particles(void) {
  const double pair[6] = {0, 0, 0, 2, 0, 0}, strengths[6] = {0, 0, 3, 1, 0, 0}, pi = 3.14159265358979324;
  const farfield_points particles = farfield_points_f64(pair, 2);
  farfield_options options;
  farfield_options_init(&options);
  options.hessian = 1;
  options.softening = 0.5;
  options.softening_kind = FARFIELD_SOFTENING_KIND_ALGEBRAIC;
  farfield_biot_savart* sum;
  double velocity[6], turning[18], stretching[6];
  const double rho2 = 16, speed = 3 / (4 * pi) * 2 * (rho2 + 2.5) / pow(rho2 + 1, 2.5) / 0.125;
  EXPECT(farfield_biot_savart_create(&sum, &particles, NULL, &options) == FARFIELD_OK);
  EXPECT(farfield_biot_savart_evaluate(sum, strengths, 2, velocity, turning, stretching) == FARFIELD_OK);
  EXPECT(fabs(velocity[4] - speed) < 1e-12 && velocity[3] == 0 && velocity[5] == 0);
  EXPECT(fabs(turning[9 + 3 * 0 + 1] + speed / 2) < 1e-12); /* du_x / dy = -u_y / r */
  EXPECT(fabs(stretching[4] - turning[9 + 3 * 1 + 0]) < 1e-15);
  EXPECT(farfield_biot_savart_warning(sum, 0) == NULL);
  EXPECT(farfield_biot_savart_evaluate(sum, strengths, 3, velocity, NULL, NULL) == FARFIELD_INPUT);
  EXPECT(farfield_biot_savart_move(sum, &particles, &particles) == FARFIELD_OK);
  EXPECT(farfield_biot_savart_evaluate(sum, strengths, 2, velocity, NULL, stretching) == FARFIELD_USAGE);
  farfield_biot_savart_destroy(sum);

  const float pair_f[6] = {0, 0, 0, 2, 0, 0}, strengths_f[6] = {0, 0, 3, 1, 0, 0};
  const farfield_points single = farfield_points_f32(pair_f, 2);
  float velocity_f[6], turning_f[18];
  EXPECT(farfield_biot_savart_create(&sum, &single, NULL, NULL) == FARFIELD_OK);
  EXPECT(farfield_biot_savart_evaluatef(sum, strengths_f, 2, velocity_f, NULL, NULL) == FARFIELD_OK);
  EXPECT(fabs(velocity_f[4] - 3 / (16 * pi)) < 1e-6);
  EXPECT(farfield_biot_savart_evaluatef(sum, strengths_f, 2, velocity_f, turning_f, NULL) == FARFIELD_USAGE);
  EXPECT(strstr(farfield_last_error(), "farfield_options.hessian") != NULL);
  farfield_biot_savart_destroy(sum);
  farfield_biot_savart_destroy(NULL);
  EXPECT(farfield_biot_savart_create(&sum, NULL, NULL, NULL) == FARFIELD_INPUT && sum == NULL);
}

/* Four charges whose energy in the unit cube is known; a bond between the first and the last. */
static void coulomb_sums(void) {
  const double x[12] = {.1, .2, .3, .45, .75, .15, .8, .35, .6, .25, .5, .85}, charges[4] = {1, -2, 1.5, -.5};
  const farfield_points positions = farfield_points_f64(x, 4);
  farfield_options options;
  farfield_options_init(&options);
  options.tolerance = 1e-9;
  options.periodic = FARFIELD_AXES_XYZ;
  options.cell_x = options.cell_y = options.cell_z = 1;
  options.virial = 1;
  farfield_coulomb_options more;
  farfield_coulomb_options_init(&more);
  EXPECT(more.surface == 0 && more.coulomb_constant == 1 && more.background == FARFIELD_BACKGROUND_NEUTRALIZE);
  more.coulomb_constant = 2;
  farfield_coulomb* sum;
  double potential_of[4], forces[12], energies[4];
  farfield_coulomb_sums sums = {potential_of, forces, energies, 0, {0}, {0}, 0, 0, {0}};
  EXPECT(farfield_coulomb_create(&sum, &positions, &options, &more) == FARFIELD_OK);
  EXPECT(farfield_coulomb_evaluate(sum, charges, 4, NULL, &sums) == FARFIELD_OK);
  EXPECT(fabs(sums.energy + 2 * 7.432377394252) < 1e-7 && fabs(forces[0] - 2 * 6.00290017463) < 1e-7);
  EXPECT(fabs(sums.virial[3] - 2 * 0.232751970744) < 1e-7 && fabs(sums.dipole[2] - 0.475) < 1e-15);
  EXPECT(fabs(energies[0] + energies[1] + energies[2] + energies[3] - sums.energy) < 1e-12);
  EXPECT(sums.charge == 0 && sums.rms_force > 1 && fabs(energies[1] + potential_of[1]) < 1e-12);

  /* the bond crosses the border: (-.15, -.3, .45) */
  const double whole = sums.energy, bond = -2 * .5 * (1 - .25) / sqrt(.15 * .15 + .3 * .3 + .45 * .45);
  const int64_t pair[2] = {3, 0}, starts[5] = {0, 1, 1, 1, 2}, others[2] = {3, 0};
  const double kept[3] = {.25, .25, 0};
  EXPECT(farfield_coulomb_exclude_pairs(sum, pair, 1, kept) == FARFIELD_OK);
  sums.potential = NULL;
  EXPECT(farfield_coulomb_evaluate(sum, charges, 4, NULL, &sums) == FARFIELD_OK);
  EXPECT(fabs(sums.energy - whole + bond) < 1e-7);
  const double once = sums.energy;
  EXPECT(farfield_coulomb_exclude_rows(sum, starts, others, kept) == FARFIELD_OK);
  EXPECT(farfield_coulomb_evaluate(sum, charges, 4, NULL, &sums) == FARFIELD_OK && sums.energy == once);
  EXPECT(farfield_coulomb_exclude_bonds(sum, pair, 1, kept) == FARFIELD_OK);
  EXPECT(farfield_coulomb_evaluate(sum, charges, 4, NULL, &sums) == FARFIELD_OK && sums.energy == once);
  EXPECT(farfield_coulomb_exclude_pairs(sum, NULL, 0, NULL) == FARFIELD_OK);
  const double longer[9] = {1, 0, 0, 0, 1, 0, 0, 0, 8};
  EXPECT(farfield_coulomb_move(sum, &positions, longer) == FARFIELD_OK);
  EXPECT(farfield_coulomb_evaluate(sum, charges, 4, NULL, &sums) == FARFIELD_OK);
  EXPECT(fabs(sums.energy + 2 * 6.5735951001917) < 1e-7);

  EXPECT(farfield_coulomb_exclude_pairs(sum, pair, -1, NULL) == FARFIELD_INPUT);
  EXPECT(farfield_coulomb_exclude_rows(sum, starts, NULL, NULL) == FARFIELD_INPUT);
  EXPECT(farfield_coulomb_evaluate(sum, charges, 3, NULL, &sums) == FARFIELD_INPUT);
  EXPECT(farfield_coulomb_evaluate(sum, charges, 4, NULL, NULL) == FARFIELD_INPUT);
  farfield_coulomb_destroy(sum);
  more.surface = 1;
  EXPECT(farfield_coulomb_create(&sum, &positions, &options, &more) == FARFIELD_OK);
  EXPECT(farfield_coulomb_evaluate(sum, charges, 4, NULL, &sums) == FARFIELD_OK);
  EXPECT(strstr(farfield_coulomb_warning(sum, 0), "whole molecules") != NULL);
  EXPECT(farfield_coulomb_evaluate(sum, charges, 4, sums.dipole, &sums) == FARFIELD_OK);
  EXPECT(farfield_coulomb_warning(sum, 0) == NULL);
  farfield_coulomb_destroy(sum);
  farfield_coulomb_destroy(NULL);
  more.background = 7;
  EXPECT(farfield_coulomb_create(&sum, &positions, &options, &more) == FARFIELD_USAGE && sum == NULL);
  memset(&more, 0, sizeof more);
  EXPECT(farfield_coulomb_create(&sum, &positions, &options, &more) == FARFIELD_USAGE);
  EXPECT(strstr(farfield_last_error(), "farfield_coulomb_options_init") != NULL);
}

static void cell_and_virial_of_several_devices(const farfield_points* sources, const farfield_strengths* strengths,
                                               farfield_options* options) {
  const int devices[3] = {0, 0, 0};
  const double cell[9] = {1.1, 0, 0, 0.1, 1, 0, 0, 0, 1};
  double virial[2][6];
  farfield_plan* plan[2] = {NULL, NULL};
  farfield_outputs outputs[2] = {farfield_outputs_f64(exact, NULL), farfield_outputs_f64(potential, NULL)};
  options->virial = 1;
  EXPECT(farfield_plan_create(&plan[0], sources, NULL, options) == FARFIELD_OK);
  EXPECT(farfield_plan_create_on_devices(&plan[1], sources, NULL, devices, 3, options) == FARFIELD_OK);
  for (int k = 0; k < 2; ++k) {
    outputs[k].virial = virial[k];
    EXPECT(farfield_plan_set_cell(plan[k], cell) == FARFIELD_OK);
    EXPECT(farfield_plan_move(plan[k], sources, NULL) == FARFIELD_OK);
    EXPECT(farfield_plan_evaluate(plan[k], strengths, &outputs[k]) == FARFIELD_OK);
    farfield_plan_destroy(plan[k]);
  }
  EXPECT(memcmp(potential, exact, sizeof exact) == 0 && memcmp(virial[0], virial[1], sizeof virial[0]) == 0);
}

static void several_devices(void) {
  const farfield_points sources = farfield_points_f64(xyz, n), targets = farfield_points_f64(xyz, 30);
  const farfield_strengths strengths = farfield_strengths_f64(q, n);
  const farfield_outputs ones = farfield_outputs_f64(exact, exact_gradient),
                         all = farfield_outputs_f64(potential, gradient);
  const int devices[3] = {0, 0, 0};
  double cell[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, error = 1;
  farfield_options options;
  farfield_plan *one = NULL, *plan = NULL;
  farfield_options_init(&options);
  options.backend = FARFIELD_BACKEND_CPU;
  options.gradient = 1;
  options.check = 50;
  options.method = FARFIELD_METHOD_FMM;
  EXPECT(farfield_plan_create(&one, &sources, NULL, &options) == FARFIELD_OK);
  EXPECT(farfield_plan_evaluate(one, &strengths, &ones) == FARFIELD_OK);
  EXPECT(farfield_plan_create_on_devices(&plan, &sources, NULL, devices, 3, &options) == FARFIELD_OK);
  EXPECT(farfield_plan_evaluate(plan, &strengths, &all) == FARFIELD_OK);
  EXPECT(memcmp(potential, exact, sizeof exact) == 0 && memcmp(gradient, exact_gradient, sizeof exact_gradient) == 0);
  EXPECT(farfield_plan_measured_error(plan, &error, NULL) == FARFIELD_OK && error < 1e-6);
  EXPECT(farfield_plan_warning(plan, 0) == NULL);

  EXPECT(farfield_plan_move(one, &sources, &targets) == FARFIELD_OK);
  EXPECT(farfield_plan_evaluate(one, &strengths, &ones) == FARFIELD_OK);
  EXPECT(farfield_plan_forget(plan) == FARFIELD_OK);
  EXPECT(farfield_plan_move(plan, &sources, &targets) == FARFIELD_OK);
  EXPECT(farfield_plan_evaluate(plan, &strengths, &all) == FARFIELD_OK);
  EXPECT(memcmp(potential, exact, 30 * sizeof(double)) == 0);
  EXPECT(farfield_plan_set_cell(plan, cell) == FARFIELD_USAGE);
  farfield_plan_destroy(one);
  farfield_plan_destroy(plan);

  EXPECT(farfield_plan_create_on_devices(&plan, &sources, NULL, NULL, 0, &options) == FARFIELD_USAGE && plan == NULL);
  EXPECT(strstr(farfield_last_error(), "no devices were named") != NULL);
  EXPECT(farfield_plan_create_on_devices(&plan, &sources, NULL, NULL, 2, &options) == FARFIELD_INPUT);
  EXPECT(farfield_plan_create_on_devices(&plan, &sources, NULL, devices, -1, &options) == FARFIELD_INPUT);
  options.periodic = FARFIELD_AXES_XYZ;
  options.cell_x = options.cell_y = options.cell_z = 1;
  options.skin = 0.1;
  EXPECT(farfield_plan_create_on_devices(&plan, &sources, NULL, devices, 3, &options) == FARFIELD_USAGE);
  EXPECT(strstr(farfield_last_error(), "a skin is not offered with periodic axes") != NULL);
  options.skin = 0;
  cell_and_virial_of_several_devices(&sources, &strengths, &options);
}

int main(void) {
  make_points();
  two_charges();
  vortex_particles();
  coulomb_sums();
  plan_against_direct_sum();
  softening();
  softening_lengths();
  several_devices();
  dipole();
  virial_of_a_pair();
  errors_have_codes_and_sentences();
  forgotten_strides();
  names_and_version();
  if (failures == 0) printf("all expectations hold\n");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
