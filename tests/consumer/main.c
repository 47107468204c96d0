#include <farfield/farfield.h>
#include <stdio.h>

int main(void) {
  const double xyz[] = {0, 0, 0, 0, 0, 4}, q[] = {2, 8};
  double potential[2];
  if (farfield_laplace3d(2, xyz, q, 2, NULL, 1e-6, potential, NULL) != FARFIELD_OK) {
    puts(farfield_last_error());
    return 1;
  }
  if (potential[0] != 2 || potential[1] != 0.5) return puts("wrong potential"), 1;
  printf("consumer of farfield %s: ok\n", farfield_version());
  return 0;
}
