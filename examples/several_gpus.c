#include <farfield/farfield.h>
#include <math.h>
#include <stdio.h>

enum { n = 100000 };
static double xyz[3 * n], q[n], potential[n];

int main(void) {
  for (int64_t i = 0; i < 3 * n; ++i) xyz[i] = fmod(0.618033988749895 * (double)(i * i), 1.0);
  for (int i = 0; i < n; ++i) q[i] = 1;

  const int devices[2] = {0, 0}; /* two parts on one GPU; {0, 1} on two */
  const farfield_points points = farfield_points_f64(xyz, n);
  const farfield_strengths strengths = farfield_strengths_f64(q, n);
  const farfield_outputs results = farfield_outputs_f64(potential, NULL);
  farfield_plan* plan;
  int error = farfield_plan_create_on_devices(&plan, &points, NULL, devices, 2, NULL);
  if (!error) error = farfield_plan_evaluate(plan, &strengths, &results);
  farfield_plan_destroy(plan);
  if (error) return fprintf(stderr, "%s\n", farfield_last_error()), error;
  printf("the first potential is %.4f\n", potential[0]);
  return 0;
}
