// Step 12: the FMM on a GPU. A block of threads works for a box; a thread for a term of the box's series, or for one of
// its bodies. The tree is full (grid.cuh), so that a block finds all boxes that it needs by arithmetic, without lists.
// On each level, boxes that touch are near; far, for m2l, are those children of the parent's neighbours that do not
// touch: 189 at most. Lengths are in edges e of the box, M_k = sum q ((c - y)/e)^k / k!. So m2l needs derivatives for
// 316 integer offsets, one table for all levels, and a term of degree n changes by 2^-n between a box and its parent.
#include "grid.cuh"

using namespace course;

constexpr int degree = 4, count = terms(degree), threads = 64;

/// What all kernels work on, in device memory.
struct Fmm {
  const float4* bodies;
  const int* first;  // each leaf's first body
  const Term* term;
  const float* derivatives;  // offset_table()
  float *multipoles, *locals, *u;
};

__global__ void p2m(Fmm f, int level) {
  const Cell cell(level, blockIdx.x);
  float sum = 0;
  for (int b = f.first[cell.box()]; b < f.first[cell.box() + 1]; ++b)
    sum += f.bodies[b].w * power(-cell.inside(f.bodies[b]), f.term[threadIdx.x]);
  f.multipoles[cell.place() * count + threadIdx.x] = sum;
}

__global__ void m2m(Fmm f, int level) {
  const Cell cell(level, blockIdx.x);
  float sum = 0;
  for (int o = 0; o < 8; ++o) {
    const float* child = f.multipoles + cell.child(o).place() * count;
    for (int s = 0; s < count; ++s)
      sum += power(-cell.child(o).in_parent(), f.term[threadIdx.x] - f.term[s]) * ldexpf(child[s], -f.term[s].degree());
  }
  f.multipoles[cell.place() * count + threadIdx.x] = sum;
}

/// One term of the local expansion, by the multipole of a far box; 1/r is 1/e times what it is in edges.
__device__ float m2l(const Fmm& f, Cell target, Cell source, Term t) {
  const float* derivative = f.derivatives + target.offset(source) * count;
  float sum = 0;
  for (int s = 0; s < terms(degree - t.degree()); ++s)
    sum += f.multipoles[source.place() * count + s] * derivative[place(t + f.term[s])];
  return sum * target.side();
}

__device__ float l2l(const Fmm& f, Cell cell, Term t) {
  float sum = 0;
  for (int s = 0; s < count; ++s)
    sum += power(cell.in_parent(), f.term[s] - t) * f.locals[cell.parent().place() * count + s];
  return ldexpf(sum, -t.degree());
}

__global__ void downward(Fmm f, int level) {
  const Cell cell(level, blockIdx.x);
  const Term t = f.term[threadIdx.x];
  float sum = level > 2 ? l2l(f, cell, t) : 0;
  for (int k = 0; k < 216; ++k) {
    const Cell other = cell.candidate(k);
    if (other.exists() && !other.touches(cell)) sum += m2l(f, cell, other, t);
  }
  f.locals[cell.place() * count + threadIdx.x] = sum;
}

/// Step 5's loop over the bodies of one box.
__device__ float p2p(const Fmm& f, Cell source, float4 target, float4* tile) {
  float sum = 0;
  for (int j = f.first[source.box()], end = f.first[source.box() + 1]; j < end; j += threads) {
    __syncthreads();
    tile[threadIdx.x] = j + int(threadIdx.x) < end ? f.bodies[j + threadIdx.x] : float4{0, 0, 0, 0};
    __syncthreads();
    for (int k = 0; k < threads; ++k) sum += pair(target, tile[k]);
  }
  return sum;
}

/// l2p and p2p.
__global__ void leaves(Fmm f, int level) {
  __shared__ float4 tile[threads];
  const Cell cell(level, blockIdx.x);
  const int end = f.first[cell.box() + 1];
  for (int i = f.first[cell.box()] + threadIdx.x; i - int(threadIdx.x) < end; i += threads) {
    const float4 target = f.bodies[min(i, end - 1)];  // threads without a target compute along, as in step 5
    float sum = 0;
    for (int t = 0; t < count; ++t) sum += f.locals[cell.place() * count + t] * power(cell.inside(target), f.term[t]);
    for (int k = 0; k < 27; ++k)
      if (cell.neighbour(k).exists()) sum += p2p(f, cell.neighbour(k), target, tile);
    if (i < end) f.u[i] = sum;
  }
}

void launch(const Fmm& f, int deepest) {
  p2m<<<1 << 3 * deepest, count>>>(f, deepest);
  for (int level = deepest - 1; level >= 2; --level) m2m<<<1 << 3 * level, count>>>(f, level);
  for (int level = 2; level <= deepest; ++level) downward<<<1 << 3 * level, count>>>(f, level);
  leaves<<<1 << 3 * deepest, threads>>>(f, deepest);
}

/// Time and error, at some 500 bodies, for a cloud of n: 5e-5, of which rounding is the smaller part.
int trial(std::size_t n, std::uint64_t seed) {
  Bodies bodies = random_bodies(n, seed);
  const int deepest = level_for(n, 64);
  const std::vector<float> series(((std::size_t{8} << 3 * deepest) - 1) / 7 * count);
  const OnDevice<int> first(sort_by_box(bodies, deepest));
  const OnDevice<float4> on_device(single(bodies));
  const OnDevice<Term> term(all_terms(degree));
  const OnDevice<float> table(offset_table(degree)), m(series), l(series), u{std::vector<float>(n)};
  const Fmm f{on_device.data(), first.data(), term.data(), table.data(), m.data(), l.data(), u.data()};
  std::printf("  level %d, %.1e s\n", deepest, device_seconds([&] { launch(f, deepest); }));
  return judge("FMM against step 1", relative_error(u.read(), direct_sum(bodies, n / 500 + 1), n / 500 + 1), 3e-4);
}

int main(int argc, char** argv) {
  const auto [n, seed, figure] = arguments(argc, argv, 20000);
  require_device();
  return trial(n, seed) + trial(2 * n, seed) + trial(4 * n, seed);
}
