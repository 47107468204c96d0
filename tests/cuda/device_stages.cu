// Compiled, not run: a device-side set of stages against the backend contract (docs/developer/backends.md). The method
// page, the views, the far list, the recurrences and the pair formulas must all be usable from kernels as they stand.
#include "kernels/laplace3d.hpp"
#include "methods/fmm.hpp"
#include "tree/far.hpp"

namespace farfield {
namespace {

struct Accumulate {
  double q;
  double* sum;
  double cosine = 0, sine = 0;
  int azimuth = 0;
  FARFIELD_HD void begin(int m, double c, double s) { azimuth = m, cosine = q * c, sine = q * s; }
  FARFIELD_HD void term(int n, double value) {
    sum[n * n + n + azimuth] += cosine * value;
    if (azimuth) sum[n * n + n - azimuth] += sine * value;
  }
  FARFIELD_HD void end(int) {}
};

__global__ void p2m(TreeView tree, const double* const* source, const double* q, const double* table, int degree,
                    double* multipole) {
  const BoxId box = static_cast<BoxId>(blockIdx.x * blockDim.x + threadIdx.x);
  if (box >= tree.boxes || !tree.is_leaf(box)) return;
  const double factor = 1 / tree.lattice.edge(tree.level[box]);
  double* out = multipole + static_cast<std::int64_t>(box) * LaplaceBasis::coefficient_count(degree);
  for (std::int64_t i = tree.source_begin[box]; i < tree.source_end[box]; ++i)
    LaplaceBasis::columns(degree, table, (source[0][i] - tree.coordinate(box, 0)) * factor,
                          (source[1][i] - tree.coordinate(box, 1)) * factor,
                          (source[2][i] - tree.coordinate(box, 2)) * factor, Accumulate{q[i], out});
}

__global__ void count_far(TreeView tree, std::int64_t* far) {
  const BoxId box = static_cast<BoxId>(blockIdx.x * blockDim.x + threadIdx.x);
  if (box >= tree.boxes) return;
  std::int64_t count = 0;
  for_each_far<true>(tree, box, [&](BoxId, int, int, int) { ++count; });
  far[box] = count;
}

__global__ void p2p(TreeView tree, ListsView lists, const double* const* x, const double* q, double* u) {
  const BoxId box = static_cast<BoxId>(blockIdx.x);
  for (std::int64_t t = tree.target_begin[box] + threadIdx.x; t < tree.target_end[box]; t += blockDim.x)
    for (std::int64_t k = lists.near.begin[box]; k < lists.near.begin[box + 1]; ++k)
      for (std::int64_t s = tree.source_begin[lists.near.items[k]]; s < tree.source_end[lists.near.items[k]]; ++s) {
        const double dx = x[0][t] - x[0][s], dy = x[1][t] - x[1][s], dz = x[2][t] - x[2][s];
        const double r2 = dx * dx + dy * dy + dz * dz;
        Laplace3d::of_inverse<1>(r2 > 0 ? rsqrt(r2) : 0.0, q[s], dx, dy, dz, u + t);
      }
}

/// Launches are asynchronous on one stream; the page cannot tell.
struct DeviceStages {
  TreeView tree;
  ListsView lists;
  const double *const *points, *strength, *table;
  double *multipole, *potential;
  std::int64_t* far;
  int degree;
  cudaStream_t stream;

  unsigned blocks() const { return static_cast<unsigned>(tree.boxes / 128 + 1); }
  int levels() const { return tree.levels; }
  void p2m() { farfield::p2m<<<blocks(), 128, 0, stream>>>(tree, points, strength, table, degree, multipole); }
  void m2m(int) {}
  void m2l() { count_far<<<blocks(), 128, 0, stream>>>(tree, far); }
  void p2l() {}
  void l2l(int) {}
  void l2p() {}
  void m2p() {}
  void exchange() {}
  void p2p() {
    farfield::p2p<<<static_cast<unsigned>(tree.boxes), 128, 0, stream>>>(tree, lists, points, strength, potential);
  }
};
static_assert(FmmStages<DeviceStages>);

[[maybe_unused]] void run(DeviceStages& stages) {
  fmm(stages, [](const char*, auto&& work) { work(); });
}

}  // namespace
}  // namespace farfield
