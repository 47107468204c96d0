#include <algorithm>

#include "hermite_device.hpp"

namespace farfield::lab {
namespace {

constexpr int threads = 256;

/// All series in shared memory, rows of a multiple of four numbers.
template <int P>
constexpr int row_length = (P + 3) / 4 * 4;

/// The sums of series_at (hermite_series.hpp) for several points, whose coefficients are read once.
template <int P, int Points>
__device__ __forceinline__ void add_series(const float* shared, const float (&x)[Points], const float (&y)[Points],
                                           float (&sum)[Points]) {
  float along_x[Points][P], before[Points], now[Points];
#pragma unroll
  for (int i = 0; i < Points; ++i) {
    along_x[i][0] = __expf(-(x[i] * x[i] + y[i] * y[i]));
#pragma unroll
    for (int n = 1; n < P; ++n)
      along_x[i][n] = x[i] * along_x[i][n - 1] - (n > 1 ? 0.5f * static_cast<float>(n - 1) * along_x[i][n - 2] : 0);
    before[i] = 0, now[i] = 1;
  }
#pragma unroll
  for (int b = 0; b < P; ++b) {
    float coefficient[row_length<P>];
#pragma unroll
    for (int a = 0; a < row_length<P>; a += 4)
      *reinterpret_cast<float4*>(coefficient + a) = *reinterpret_cast<const float4*>(shared + b * row_length<P> + a);
#pragma unroll
    for (int i = 0; i < Points; ++i) {
      float row = coefficient[0] * along_x[i][0];
#pragma unroll
      for (int a = 1; a < P; ++a) row += coefficient[a] * along_x[i][a];
      sum[i] += row * now[i];
      const float next = y[i] * now[i] - 0.5f * static_cast<float>(b) * before[i];
      before[i] = now[i], now[i] = next;
    }
  }
}

template <int P, int Points>
__global__ __launch_bounds__(threads) void series_kernel(const float* __restrict__ coefficient,
                                                         const float* __restrict__ x, const float* __restrict__ y,
                                                         float* __restrict__ result, int count) {
  extern __shared__ float4 aligned[];
  float* shared = reinterpret_cast<float*>(aligned);
  for (int i = static_cast<int>(threadIdx.x); i < cluster_count * P * row_length<P>; i += threads) {
    const int a = i % row_length<P>, row = i / row_length<P>;
    shared[i] = a < P ? coefficient[row * P + a] : 0;
  }
  __syncthreads();
  for (int first = static_cast<int>(blockIdx.x) * threads * Points; first < count;
       first += static_cast<int>(gridDim.x) * threads * Points) {
    float px[Points], py[Points], sum[Points];
#pragma unroll
    for (int i = 0; i < Points; ++i) {
      const int at = first + i * threads + static_cast<int>(threadIdx.x);
      px[i] = at < count ? x[at] : 0, py[i] = at < count ? y[at] : 0, sum[i] = 0;
    }
#pragma unroll 1
    for (int c = 0; c < cluster_count; ++c) {
      float dx[Points], dy[Points];
#pragma unroll
      for (int i = 0; i < Points; ++i)
        dx[i] = px[i] - (static_cast<float>(c % clusters_along) + 0.5f),
        dy[i] = py[i] - (static_cast<float>(c / clusters_along) + 0.5f);
      add_series<P, Points>(shared + c * P * row_length<P>, dx, dy, sum);
    }
#pragma unroll
    for (int i = 0; i < Points; ++i) {
      const int at = first + i * threads + static_cast<int>(threadIdx.x);
      if (at < count) result[at] = sum[i];
    }
  }
}

/// As many blocks as fit on the device at once: each reads the series once.
template <int P, int Points>
void launch_for(const float* coefficient, const float* x, const float* y, float* result, int count,
                cudaStream_t stream) {
  constexpr int bytes = cluster_count * P * row_length<P> * static_cast<int>(sizeof(float));
  static const int most = [] {
    int device = 0, processors = 0, blocks = 0;
    cuda::require(cudaGetDevice(&device), "cudaGetDevice");
    cuda::require(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "multiprocessors");
    cuda::require(cudaFuncSetAttribute(series_kernel<P, Points>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                  "shared memory");
    cuda::require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, series_kernel<P, Points>, threads, bytes),
                  "occupancy");
    return processors * blocks;
  }();
  const int blocks = std::min(most, (count + threads * Points - 1) / (threads * Points));
  series_kernel<P, Points><<<static_cast<unsigned>(blocks), threads, bytes, stream>>>(coefficient, x, y, result, count);
  cuda::require_launch("series_kernel");
}

template <int P>
void launch(int points, const float* coefficient, const float* x, const float* y, float* result, int count,
            cudaStream_t stream) {
  if (points == 1) return launch_for<P, 1>(coefficient, x, y, result, count, stream);
  if (points == 2) return launch_for<P, 2>(coefficient, x, y, result, count, stream);
  launch_for<P, 4>(coefficient, x, y, result, count, stream);
}

}  // namespace

DeviceSeries::DeviceSeries(const SeriesCase& from) : p_(from.p) {
  const auto size = [](const std::vector<float>& v) { return static_cast<std::int64_t>(v.size()); };
  cuda::upload(coefficient_, from.coefficient.data(), size(from.coefficient), nullptr);
  cuda::upload(x_, from.x.data(), size(from.x), nullptr);
  cuda::upload(y_, from.y.data(), size(from.y), nullptr);
  sum_.resize(size(from.x));
}

void DeviceSeries::run(int points, cudaStream_t stream) {
  const auto count = static_cast<int>(x_.size());
  const float *a = coefficient_.data(), *x = x_.data(), *y = y_.data();
  if (p_ == 5) return launch<5>(points, a, x, y, sum_.data(), count, stream);
  if (p_ == 9) return launch<9>(points, a, x, y, sum_.data(), count, stream);
  launch<12>(points, a, x, y, sum_.data(), count, stream);
}

std::vector<float> DeviceSeries::result() const {
  std::vector<float> all(static_cast<std::size_t>(sum_.size()));
  cuda::download(all.data(), sum_.data(), sum_.size(), nullptr);
  cuda::require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return all;
}

}  // namespace farfield::lab
