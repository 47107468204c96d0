/* Two molecules of water in a periodic cube: nm, elementary charges, kJ/mol. */
#include <farfield/farfield.h>
#include <stdio.h>

int main(void) {
  const double x[18] = {0.10, 0.10, 0.10, 0.20, 0.10, 0.10, 0.07, 0.19, 0.10,  /* O H H */
                        0.45, 0.10, 0.15, 0.50, 0.18, 0.15, 0.50, 0.02, 0.15}; /* O H H */
  const double q[6] = {-0.82, 0.41, 0.41, -0.82, 0.41, 0.41};
  const int64_t bonds[8] = {0, 1, 0, 2, 3, 4, 3, 5};
  const farfield_points positions = farfield_points_f64(x, 6);
  farfield_options options;
  farfield_options_init(&options);
  options.tolerance = 1e-8;
  options.periodic = FARFIELD_AXES_XYZ;
  options.cell_x = options.cell_y = options.cell_z = 1;
  options.virial = 1;
  farfield_coulomb_options more;
  farfield_coulomb_options_init(&more);
  more.coulomb_constant = 138.93545764438198;

  farfield_coulomb* sum;
  double forces[18];
  farfield_coulomb_sums sums = {0};
  sums.forces = forces;
  int error = farfield_coulomb_create(&sum, &positions, &options, &more);
  if (!error) error = farfield_coulomb_exclude_bonds(sum, bonds, 4, NULL);
  if (!error) error = farfield_coulomb_evaluate(sum, q, 6, NULL, &sums);
  if (error) return fprintf(stderr, "%s\n", farfield_last_error()), error;
  printf("energy %.6f kJ/mol, force on the first atom %.4f %.4f %.4f, trace of the virial %.6f\n", sums.energy,
         forces[0], forces[1], forces[2], sums.virial[0] + sums.virial[1] + sums.virial[2]);
  farfield_coulomb_destroy(sum);
  return 0;
}
