/* What docs/quickstart.md shows of C, letter for letter between the two marks; around it what it takes for granted. */
#include <farfield/farfield.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  const int n = 3;
  const double xyz[] = {0, 0, 0, 2, 0, 0, 0, 3, 0}, q[] = {3, -4, 1};
  double potential[3] = {0}, gradient[9] = {0};

  /* shown */
  farfield_options options;
  farfield_options_init(&options);
  options.gradient = 1;

  farfield_points sources = farfield_points_f64(xyz, n);
  farfield_strengths strengths = farfield_strengths_f64(q, n);
  farfield_outputs outputs = farfield_outputs_f64(potential, gradient);

  farfield_plan* plan;
  if (farfield_plan_create(&plan, &sources, NULL, &options) || /* NULL: the targets are the sources */
      farfield_plan_evaluate(plan, &strengths, &outputs))
    fputs(farfield_last_error(), stderr);
  farfield_plan_destroy(plan);
  /* end */

  const int right = fabs(potential[0] + 5.0 / 3) < 1e-12 && fabs(gradient[0] + 1) < 1e-12;
  puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
