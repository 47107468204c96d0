#include <farfield/farfield.h>
#include <stdio.h>

int main(void) {
  const double xyz[] = {0, 0, 0, 2, 0, 0, 0, 3, 0}, q[] = {3, -4, 1};
  double potential[3], gradient[9];
  const int error = farfield_laplace3d(3, xyz, q, 3, NULL, 1e-6, potential, gradient);
  if (error) return fprintf(stderr, "%s\n", farfield_last_error()), error;
  for (int i = 0; i < 3; ++i) printf("potential %9.6f   d/dx %9.6f\n", potential[i], gradient[3 * i]);
  return 0;
}
