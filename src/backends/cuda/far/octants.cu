#include "backends/cuda/far/octants.hpp"

namespace farfield::cuda {

/// Fills OctantView, by one block; `index` lists the coefficients of parity 0, then of 1 ..., ascending within each.
template <class Real>
__global__ void parity_kernel(const Real* sign, int count, std::uint8_t* parity, std::int16_t* index,
                              std::int16_t* begin) {
  const int lane = static_cast<int>(threadIdx.x) % 32, k = static_cast<int>(threadIdx.x) / 32;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += 256)  // reflections of x, y and z: symmetries 1, 2 and 4
    parity[i] = static_cast<std::uint8_t>((sign[count + i] < 0) | (sign[2 * count + i] < 0) << 1 |
                                          (sign[4 * count + i] < 0) << 2);
  __syncthreads();
  int before = 0;  // coefficients of lower parities
  for (int i = lane; i < count; i += 32) before += parity[i] < k;
  for (int other = 16; other > 0; other /= 2) before += __shfl_xor_sync(0xffffffffu, before, other);
  const int degrees = SolidShape::degree_of(count - 1) + 1;
  int found = before;
  for (int n = 0; n < degrees; ++n) {
    if (lane == 0) begin[n * 8 + k] = static_cast<std::int16_t>(found);
    for (int from = SolidShape::first(n); from < SolidShape::count(n); from += 32) {
      const int i = from + lane;
      const bool own = i < SolidShape::count(n) && parity[i] == k;
      const unsigned all = __ballot_sync(0xffffffffu, own);
      if (own) index[found + __popc(all & ((1u << lane) - 1u))] = static_cast<std::int16_t>(i);
      found += __popc(all);
    }
  }
  if (lane == 0) begin[degrees * 8 + k] = static_cast<std::int16_t>(found);
}

template <class Real>
void Octants::build(const TablesView<Real>& tables, cudaStream_t stream) {
  const int count = tables.coefficients;
  parity_.resize(count);
  index_.resize(count);
  begin_.resize(8 * (most_degrees + 1));
  parity_kernel<<<1, 256, 0, stream>>>(tables.rotation.sign, count, parity_.data(), index_.data(), begin_.data());
  require_launch("parity_kernel");
}

template void Octants::build(const TablesView<float>&, cudaStream_t);
template void Octants::build(const TablesView<double>&, cudaStream_t);

}  // namespace farfield::cuda
