// Variant 3 (sections 3.3.3-3.3.5, listings 8-9): sources are presorted by octant, so that a block of sources of one
// octant shares every operator; operators that differ by mirrors only are applied together: the four products of eq. 29
// once, then added with the signs of eq. 30 to 1, 2, 4 or 8 targets. Moments are stored by element for coalesced
// access. For figure 21 the same kernel applies every operator by itself, as a group of one.
#include <algorithm>

#include "trial.hpp"
#include "triangle.hpp"

namespace farfield::lab {
namespace {

constexpr unsigned most_threads = 512;  ///< of a block; further sources of an octant are blockIdx.z

/// Bit 0: does mirroring change the sign of the real part of M_lm (eq. 24, 26)? Bit 1: of the imaginary part?
__device__ unsigned sign_bits(int flip, int l, int m) {
  const int real = ((flip >> 2) & (l + m) & 1) ^ (flip & m & 1), odd = (flip & 1) ^ (flip >> 1 & 1);
  return static_cast<unsigned>(real | (real ^ odd) << 1);
}

/// Eq. 31; bit `bit` of the word is the sign.
__device__ float signed_by(float x, unsigned word, int bit) {
  return __uint_as_float(__float_as_uint(x) ^ (word << (31 - bit) & 0x80000000u));
}

struct Element {
  float2 reference;  ///< of the group's first operator, (-1)^j included
  unsigned bits;     ///< signs of the others against it: bits 2 c and 2 c + 1 of operator c
};

template <int size>
__device__ void load_operator(Element* shared, const Level& v, const std::int32_t* group, int l, int m) {
  const float2* reference = v.reference + group[0] * triangle(2 * v.degree);
  const int first = group[1];
  for (int i = static_cast<int>(threadIdx.x); i < (v.degree + 1) * (v.degree + 1); i += static_cast<int>(blockDim.x)) {
    int j = static_cast<int>(sqrtf(static_cast<float>(i)));
    j -= j * j > i;
    const int k = i - j * j - j, row = l + j, column = abs(m + k);
    float2 value = element(reference, row, m + k);
    const unsigned own = sign_bits(first, row, column);
    value.x = signed_by(value.x, own ^ static_cast<unsigned>(j & 1), 0);
    value.y = signed_by(value.y, own >> 1 ^ static_cast<unsigned>(j & 1), 0);
    unsigned bits = 0;
    for (int c = 1; c < size; ++c) bits |= sign_bits(first ^ group[1 + c], row, column) << 2 * c;
    shared[i] = {value, bits};
  }
}

/// Eqs. 29 and 30: one moment times the reference, added to every operator's sum.
template <int size>
__device__ void add_products(float2 (&sum)[size], const Element& op, float2 omega) {
  const float ac = op.reference.x * omega.x, bd = op.reference.y * omega.y;
  const float ad = op.reference.x * omega.y, bc = op.reference.y * omega.x;
  sum[0].x += ac - bd;
  sum[0].y += ad + bc;
#pragma unroll
  for (int c = 1; c < size; ++c) {
    sum[c].x += signed_by(ac, op.bits, 2 * c) - signed_by(bd, op.bits, 2 * c + 1);
    sum[c].y += signed_by(ad, op.bits, 2 * c) + signed_by(bc, op.bits, 2 * c + 1);
  }
}

/// Grid: targets (l, m), groups of the octant, slices of sources. `target` and `group` are the octant's.
template <int size>
__global__ void symmetric_kernel(Level v, int octant, const std::int32_t* target, const std::int32_t* group) {
  extern __shared__ Element op[];
  const int lm = static_cast<int>(blockIdx.x), source = static_cast<int>(blockIdx.z * blockDim.x + threadIdx.x);
  int l = static_cast<int>((sqrtf(8.0f * static_cast<float>(lm) + 1) - 1) / 2);
  l -= triangle_index(l, 0) > lm;
  load_operator<size>(op, v, group + blockIdx.y * (1 + size), l, lm - triangle_index(l, 0));
  __syncthreads();
  const float2* moment = v.multipole_of + octant * v.groups + source;
  float2 sum[size] = {};
  for (int j = 0; j <= v.degree; ++j)
    for (int k = -j; k <= j; ++k) {
      float2 omega = moment[static_cast<std::int64_t>(triangle_index(j, abs(k))) * v.boxes];
      if (k < 0) omega = k % 2 ? float2{-omega.x, omega.y} : float2{omega.x, -omega.y};
      add_products<size>(sum, op[j * j + j + k], omega);
    }
  const std::int32_t* to = target + static_cast<std::int64_t>(blockIdx.y) * size * v.groups + source;
#pragma unroll
  for (int c = 0; c < size; ++c)
    add_atomically(v.local_of[static_cast<std::int64_t>(lm) * v.boxes + to[c * v.groups]], sum[c], 1);
}

/// 32 streams that start after what the default stream holds, and which it waits for.
class Streams {
 public:
  Streams() {
    for (cudaStream_t& s : stream_)
      cuda::require(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "cudaStreamCreate");
    for (cudaEvent_t& e : event_)
      cuda::require(cudaEventCreateWithFlags(&e, cudaEventDisableTiming), "cudaEventCreate");
  }
  void fork() {
    cuda::require(cudaEventRecord(event_[count], nullptr), "cudaEventRecord");
    for (cudaStream_t s : stream_) cuda::require(cudaStreamWaitEvent(s, event_[count], 0), "cudaStreamWaitEvent");
  }
  void join() {
    for (int i = 0; i < count; ++i) {
      cuda::require(cudaEventRecord(event_[i], stream_[i]), "cudaEventRecord");
      cuda::require(cudaStreamWaitEvent(nullptr, event_[i], 0), "cudaStreamWaitEvent");
    }
  }
  cudaStream_t operator[](int i) const { return stream_[i]; }

 private:
  static constexpr int count = 32;
  cudaStream_t stream_[count] = {};
  cudaEvent_t event_[count + 1] = {};
};

constexpr int groups_of[4] = {7, 21, 21, 7};  // eq. 27

}  // namespace

/// The transformations of one kind, `size` of a group together: all, or one.
template <int kind, int size>
void Trial::launch_groups(int octant, cudaStream_t stream) {
  constexpr int transformations = groups_of[kind] << kind, groups = transformations / size;
  const unsigned threads = std::min<unsigned>(most_threads, static_cast<unsigned>(level_.groups));
  const dim3 grid(static_cast<unsigned>(triangle(level_.degree)), groups,
                  static_cast<unsigned>(level_.groups) / threads);
  const std::size_t bytes = sizeof(Element) * (level_.degree + 1) * (level_.degree + 1);
  const auto& lists = size == 1 ? single_[kind] : group_[kind];
  symmetric_kernel<size><<<grid, threads, bytes, stream>>>(
      level_, octant, target_[kind].data() + static_cast<std::int64_t>(octant) * transformations * level_.groups,
      lists.data() + static_cast<std::int64_t>(octant) * groups * (1 + size));
  cuda::require_launch("symmetric m2l");
}

/// Listing 8, with one of these launches after the other for each octant.
void Trial::over_octants(std::initializer_list<Launch> launches) {
  static Streams streams;  // kept to the end of the program, since making them takes longer than a small m2l
  streams.fork();
  int stream = 0;
  for (int octant = 0; octant < 8; ++octant)
    for (const Launch launch : launches) (this->*launch)(octant, streams[stream++]);
  streams.join();
}

void Trial::symmetric() {
  over_octants({&Trial::launch_groups<0, 1>, &Trial::launch_groups<1, 2>, &Trial::launch_groups<2, 4>,
                &Trial::launch_groups<3, 8>});
}

void Trial::apart() {
  over_octants({&Trial::launch_groups<0, 1>, &Trial::launch_groups<1, 1>, &Trial::launch_groups<2, 1>,
                &Trial::launch_groups<3, 1>});
}

template <int kind>
void Trial::group() {
  over_octants({&Trial::launch_groups<kind, 1 << kind>});
}

template <int kind>
void Trial::group_apart() {
  over_octants({&Trial::launch_groups<kind, 1>});
}

template void Trial::group<1>();
template void Trial::group<2>();
template void Trial::group<3>();
template void Trial::group_apart<1>();
template void Trial::group_apart<2>();
template void Trial::group_apart<3>();

}  // namespace farfield::lab
