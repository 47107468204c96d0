#include <cstdio>
#include <farfield/farfield.hpp>
#include <vector>

int main() {
  const std::vector<double> xyz = {0, 0, 0, 0, 0, 4}, q = {2, 8};
  const auto result = farfield::Plan(farfield::points(xyz)).evaluate(q);
  if (result.potential[0] != 2 || result.potential[1] != 0.5) return std::puts("wrong potential"), 1;
  try {
    farfield::Plan(farfield::points(xyz), {.tolerance = -1});
    return std::puts("a negative tolerance was accepted"), 1;
  } catch (const farfield::Error& error) {  // an exception crosses the library's boundary
    if (error.code() != farfield::ErrorCode::usage) return std::puts("wrong code"), 1;
  }
  std::printf("consumer of farfield %s: ok\n", FARFIELD_VERSION);
}
