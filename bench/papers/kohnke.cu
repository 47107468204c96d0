// Farfield's own m2l for figures 15, 16 and 18 of Kohnke et al. 2021, beside the paper's variants of lab/kohnke: depths
// 3 and 4, p = 1 ... 20 (the paper's p is the highest degree), single precision. One JSON line per row. Settings
// chosen, dense and rotation have an open tree where the paper's is periodic, and all its levels count, so the lines
// give the transformations done, 189 at most per box, and the figures scale to 8^depth x 189. Setting periodic has as
// many points in a periodic cube, in the tree that Farfield makes of them and their near images. Usage: kohnke [largest
// p]
#include <cstdlib>

#include "measure.hpp"

namespace farfield::papers {
namespace {

void run(const Cloud& cloud, const char* setting, int depth, int degree, M2l scheme) {
  Options o = fmm_options(degree + 1, depth, false);
  o.m2l = scheme;
  o.stencil = Stencil::full;
  measure("kohnke", "15, 16, 18", setting, degree, cloud, o);
}

void run_periodic(const Cloud& cloud, int depth, int degree) {
  Options o = fmm_options(degree + 1, -1, true);
  o.periodic = Axes::xyz;
  o.cell_x = o.cell_y = o.cell_z = 1;
  o.tolerance = 1e-3;
  measure("kohnke", std::to_string(depth), "periodic", degree, cloud, o);
}

}  // namespace
}  // namespace farfield::papers

int main(int count, char** arguments) {
  using namespace farfield;
  const int largest = count > 1 ? std::atoi(arguments[1]) : 20;
  return papers::run_program([&] {
    for (const int depth : {3, 4}) {
      const std::int64_t n = std::int64_t(32) << (3 * depth);
      const papers::Cloud& cloud = papers::uniform_cloud(n, n);
      for (int degree = 1; degree <= largest; ++degree) {
        papers::run(cloud, "chosen", depth, degree, M2l::automatic);
        papers::run(cloud, "dense", depth, degree, M2l::dense);
        papers::run(cloud, "rotation", depth, degree, M2l::rotation);
        papers::run_periodic(cloud, depth, degree);
      }
    }
  });
}
