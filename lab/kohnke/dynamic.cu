// Variant 2 (section 3.3.2, listings 5-7): the walk over the octree apart from the arithmetic. A parent block per
// target box, 3 x 3 x 3 threads, finds the 26 neighbours of the target's parent and launches a child grid for each: 2 x
// 2 x 2 blocks of (p+1)(p+2) threads, a transformation each, with moments and operator in shared memory.
//
// `dynamic` does just that with CUDA's dynamic parallelism (fire-and-forget launches; the paper's host loop over
// targets is the parents' grid). `persistent` is its modern equivalent: as many blocks as the device holds walk over
// the same (target, neighbour) pairs. Device graph launch was not taken: a graph's shape is fixed when it is uploaded
// and one copy of it runs at a time, which serialises the children; the launches are what the paper found to cost too
// much (figure 19), and a persistent grid has none. For figures 19 and 20 two more take the two costs apart: `launches`
// launches children that do nothing, `children` runs the children's blocks as one grid.
#include "trial.hpp"
#include "triangle.hpp"

namespace farfield::lab {
namespace {

struct Shared {
  float2 *omega, *op;  // squares: element (l, m) at l l + l + m
};

__device__ Shared shared_squares(int degree) {
  extern __shared__ float2 squares[];
  return {squares, squares + (degree + 1) * (degree + 1)};
}

__device__ void unfold(float2* square, const float2* triangle, int degree, int thread, int threads) {
  for (int i = thread; i < (degree + 1) * (degree + 1); i += threads) {
    int l = static_cast<int>(sqrtf(static_cast<float>(i)));
    l -= l * l > i;
    square[i] = element(triangle, l, i - l * l - l);
  }
}

/// Listing 7's split of a target's sum over two threads: which target, which half (k < 0 or k >= 0). Halves are far
/// apart in the block, so that the threads of a warp run the same loop.
struct Share {
  int l, m, half;
};

__device__ Share share_of(int degree, int thread) {
  const int targets = triangle(degree), target = thread % targets;
  int l = static_cast<int>((sqrtf(8.0f * static_cast<float>(target) + 1) - 1) / 2);
  l -= triangle_index(l, 0) > target;
  return {l, target - triangle_index(l, 0), thread / targets};
}

__device__ void reduce(Shared s, int degree, Share share, float2& sum) {
  for (int j = 0; j <= degree; ++j) {
    const float2 *op = s.op + (share.l + j) * (share.l + j + 1) + share.m, *omega = s.omega + j * j + j;
    float2 part{0, 0};
    const int end = share.half ? j : -1;
    for (int k = share.half ? 0 : -j; k <= end; ++k) add_product(part, op[k], omega[k]);
    sum.x += j % 2 ? -part.x : part.x;
    sum.y += j % 2 ? -part.y : part.y;
  }
}

/// One transformation by one block; nothing for neighbours.
__device__ void transform_box(const Level& v, int target_x, int target_y, int target_z, int x, int y, int z, int thread,
                              Share share, float2& sum) {
  const Offset offset{x - target_x, y - target_y, z - target_z};
  if (near(offset)) return;
  const Shared s = shared_squares(v.degree);
  const int threads = (v.degree + 1) * (v.degree + 2);
  unfold(s.omega, v.multipole + static_cast<std::int64_t>(box_index(x, y, z, v.width)) * triangle(v.degree), v.degree,
         thread, threads);
  unfold(s.op, v.operators + operator_index(offset) * triangle(2 * v.degree), 2 * v.degree, thread, threads);
  __syncthreads();
  reduce(s, v.degree, share, sum);
}

__device__ void add_to(const Level& v, int box, Share share, float2 sum) {
  add_atomically(v.local[static_cast<std::int64_t>(box) * triangle(v.degree) + triangle_index(share.l, share.m)], sum,
                 1);
}

/// A block of a child kernel: the transformation of box (x, y, z).
__device__ void child_block(const Level& v, int target, int target_x, int target_y, int target_z, int x, int y, int z) {
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  const Share share = share_of(v.degree, thread);
  float2 sum{0, 0};
  transform_box(v, target_x, target_y, target_z, x, y, z, thread, share, sum);
  add_to(v, target, share, sum);
}

__global__ void child_kernel(Level v, int target, int target_x, int target_y, int target_z, int x, int y, int z) {
  child_block(v, target, target_x, target_y, target_z, x + static_cast<int>(blockIdx.x),
              y + static_cast<int>(blockIdx.y), z + static_cast<int>(blockIdx.z));
}

/// Takes child_kernel's place where only its launches are timed.
__global__ void idle_kernel(Level, int, int, int, int, int, int, int) {}

__host__ __device__ std::size_t shared_bytes(int degree) {
  return sizeof(float2) * ((degree + 1) * (degree + 1) + (2 * degree + 1) * (2 * degree + 1));
}

template <bool works>
__global__ void parent_kernel(Level v) {
  const int target = static_cast<int>(blockIdx.x), x = target % v.width, y = target / v.width % v.width,
            z = target / v.width / v.width;
  const int cell_x = static_cast<int>(threadIdx.x) - 1, cell_y = static_cast<int>(threadIdx.y) - 1,
            cell_z = static_cast<int>(threadIdx.z) - 1;
  if (!cell_x && !cell_y && !cell_z) return;
  const dim3 grid(2, 2, 2), block(v.degree + 1, v.degree + 2);
  const int child_x = 2 * (x / 2 + cell_x), child_y = 2 * (y / 2 + cell_y), child_z = 2 * (z / 2 + cell_z);
  if constexpr (works)
    child_kernel<<<grid, block, shared_bytes(v.degree), cudaStreamFireAndForget>>>(v, target, x, y, z, child_x, child_y,
                                                                                   child_z);
  else
    idle_kernel<<<grid, block, shared_bytes(v.degree), cudaStreamFireAndForget>>>(v, target, x, y, z, child_x, child_y,
                                                                                  child_z);
}

/// Grid: 26 neighbours of 8 children, targets.
__global__ void children_kernel(Level v) {
  const int target = static_cast<int>(blockIdx.y), x = target % v.width, y = target / v.width % v.width,
            z = target / v.width / v.width, child = static_cast<int>(blockIdx.x % 8);
  const int among = static_cast<int>(blockIdx.x / 8), cell = among + (among >= 13);
  child_block(v, target, x, y, z, 2 * (x / 2 + cell % 3 - 1) + (child & 1),
              2 * (y / 2 + cell / 3 % 3 - 1) + (child >> 1 & 1), 2 * (z / 2 + cell / 9 - 1) + (child >> 2));
}

__global__ void persistent_kernel(Level v) {
  const int thread = static_cast<int>(threadIdx.x);
  const Share share = share_of(v.degree, thread);
  for (int item = static_cast<int>(blockIdx.x); item < 26 * v.boxes; item += static_cast<int>(gridDim.x)) {
    const int target = item / 26, cell = item % 26 + (item % 26 >= 13);
    const int x = target % v.width, y = target / v.width % v.width, z = target / v.width / v.width;
    float2 sum{0, 0};
    for (int child = 0; child < 8; ++child) {
      __syncthreads();
      transform_box(v, x, y, z, 2 * (x / 2 + cell % 3 - 1) + (child & 1),
                    2 * (y / 2 + cell / 3 % 3 - 1) + (child >> 1 & 1), 2 * (z / 2 + cell / 9 - 1) + (child >> 2),
                    thread, share, sum);
    }
    add_to(v, target, share, sum);
  }
}

}  // namespace

/// The launches that wait at one time: at most all. The default is 2048.
static void let_wait(int launches) {
  cuda::require(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, static_cast<std::size_t>(launches) + 64),
                "cudaDeviceSetLimit");
}

void Trial::dynamic() {
  let_wait(26 * level_.boxes);
  parent_kernel<true><<<static_cast<unsigned>(level_.boxes), dim3(3, 3, 3)>>>(level_);
  cuda::require_launch("dynamic m2l");
}

void Trial::launches() {
  let_wait(26 * level_.boxes);
  parent_kernel<false><<<static_cast<unsigned>(level_.boxes), dim3(3, 3, 3)>>>(level_);
  cuda::require_launch("the launches of the dynamic m2l");
}

void Trial::children() {
  const unsigned edge = static_cast<unsigned>(level_.degree) + 1;
  children_kernel<<<dim3(8 * 26, static_cast<unsigned>(level_.boxes)), dim3(edge, edge + 1),
                    shared_bytes(level_.degree)>>>(level_);
  cuda::require_launch("the blocks of the dynamic m2l");
}

void Trial::persistent() {
  const int threads = (level_.degree + 1) * (level_.degree + 2);
  int device = 0, processors = 0, resident = 0;
  cuda::require(cudaGetDevice(&device), "cudaGetDevice");
  cuda::require(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  cuda::require(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, persistent_kernel, threads, shared_bytes(level_.degree)),
      "the occupancy of a persistent m2l");
  persistent_kernel<<<static_cast<unsigned>(processors * resident), static_cast<unsigned>(threads),
                      shared_bytes(level_.degree)>>>(level_);
  cuda::require_launch("persistent m2l");
}

}  // namespace farfield::lab
