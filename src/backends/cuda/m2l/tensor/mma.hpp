// Engine of warp instructions (mma.sync m16n8k16, compute capability 8.0 and later): each of eight warps sums 64 rows
// by a quarter of the columns.
#pragma once
#include "backends/cuda/m2l/tensor/kernel.hpp"

namespace farfield::cuda {

template <int columns_, int terms_, int stages_>
class MmaEngine {
 public:
  static constexpr int rows = 128, columns = columns_, terms = terms_, parts = terms_ == 3 ? 2 : 1, stages = stages_,
                       lag = 1, staging_bytes = stages * parts * (rows + columns) * tensor_row_bytes;

  __device__ void see_copies() {}

  __device__ MmaEngine() { zero(sum_); }

  __device__ void start(const unsigned char* stage) {
    if constexpr (terms == 1) {
      multiply(stage, stage + parts * part_a, sum_);
    } else {
      float chunk[row_tiles][column_tiles][4];
      zero(chunk);
      const unsigned char *a = stage, *b = stage + parts * part_a;
      multiply(a + part_a, b, chunk);
      multiply(a, b + part_b, chunk);
      multiply(a, b, chunk);
#pragma unroll
      for (int i = 0; i < row_tiles; ++i)
#pragma unroll
        for (int j = 0; j < column_tiles; ++j)
#pragma unroll
          for (int e = 0; e < 4; ++e) sum_[i][j][e] += chunk[i][j][e];
    }
  }
  __device__ void finish() {}
  __device__ void finish_all() {}

  /// Sums as pairs of neighbouring columns.
  static constexpr int pairs = 4 * (columns / 4 / 8) * 2;
  __device__ static int row(int i) { return first_row() + 16 * (i / 2 / column_tiles) + 8 * (i % 2) + lane() / 4; }
  __device__ static int column(int i) { return first_column() + 8 * (i / 2 % column_tiles) + lane() % 4 * 2; }
  __device__ float2 pair(int i) const {
    const float* sum = sum_[i / 2 / column_tiles][i / 2 % column_tiles] + i % 2 * 2;
    return {sum[0], sum[1]};
  }

 private:
  static constexpr int row_tiles = 4, column_tiles = columns / 4 / 8;
  static constexpr int part_a = rows * tensor_row_bytes, part_b = columns * tensor_row_bytes;
  static_assert(columns % 64 == 0, "a warp loads 16 columns at a time");

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
  __device__ static int first_row() { return warp() / 4 * 64; }
  __device__ static int first_column() { return warp() % 4 * (columns / 4); }

  __device__ static void zero(float (&x)[row_tiles][column_tiles][4]) {
#pragma unroll
    for (int i = 0; i < row_tiles; ++i)
#pragma unroll
      for (int j = 0; j < column_tiles; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) x[i][j][e] = 0;
  }

  /// Loads four 8 x 8 matrices: each lane gives the address of a row of one of them.
  __device__ static void load_matrices(unsigned (&to)[4], const unsigned char* tile, int row, int piece) {
    const unsigned address =
        static_cast<unsigned>(__cvta_generic_to_shared(tile + row * tensor_row_bytes + (piece ^ row % 8) * 16));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
  }

  __device__ static void multiply(const unsigned char* a, const unsigned char* b,
                                  float (&sum)[row_tiles][column_tiles][4]) {
#pragma unroll
    for (int k = 0; k < tensor_chunk / 16; ++k) {
      unsigned left[row_tiles][4], right[column_tiles / 2][4];
#pragma unroll
      for (int i = 0; i < row_tiles; ++i)
        load_matrices(left[i], a, first_row() + 16 * i + lane() % 16, 2 * k + lane() / 16);
#pragma unroll
      for (int j = 0; j < column_tiles / 2; ++j)
        load_matrices(right[j], b, first_column() + 16 * j + lane() / 16 * 8 + lane() % 8, 2 * k + lane() / 8 % 2);
#pragma unroll
      for (int i = 0; i < row_tiles; ++i)
#pragma unroll
        for (int j = 0; j < column_tiles; ++j) {
          float(&d)[4] = sum[i][j];
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
              "{%0, %1, %2, %3};"
              : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
              : "r"(left[i][0]), "r"(left[i][1]), "r"(left[i][2]), "r"(left[i][3]), "r"(right[j / 2][j % 2 * 2]),
                "r"(right[j / 2][j % 2 * 2 + 1]));
        }
    }
  }

  float sum_[row_tiles][column_tiles][4];
};

}  // namespace farfield::cuda
