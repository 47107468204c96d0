// Transforms over the grid of a cell's blocks on a device (expansions/periodic/blocks/grid_transform.hpp): a block of
// threads for each coefficient, its stages in shared memory.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

#include "expansions/periodic/blocks/grid_transform.hpp"

namespace farfield::cuda {

/// Of the multipoles to frequencies: of the blocks, and of their images that are points.
struct MultipoleWaves {
  convolution::GridTransform grid[2];
  int blocks[3];
  const double* weight;  ///< of images that are points
  const double* scaled;  ///< [block][coefficient] complex, `count` of them
  int count, orders;
  convolution::Wave* to[2];    ///< [frequency][order m >= 0]
  convolution::Wave* scratch;  ///< of scratch_of_waves; null: none is needed
};
void transform_multipoles(const MultipoleWaves& w, cudaStream_t stream);

/// A function of displacements, [place][order m >= 0], to the part of its transform that is not 0.
struct TableWaves {
  convolution::GridTransform grid;
  bool turns;  ///< see wave_m2l.hpp
  const convolution::Complex* from;
  int orders;
  bool spread;  ///< writes SpreadTables to degree `degree`, else [order m >= 0]
  int degree;
  convolution::Complex* to;  ///< [frequency][...]
  convolution::Wave* scratch;
};
void transform_tables(const TableWaves& w, cudaStream_t stream);

/// From frequencies back to what blocks get.
struct LocalWaves {
  convolution::GridTransform grid;
  const convolution::Wave* from;  ///< [frequency][order]
  int orders;
  convolution::Complex* to;  ///< [block][order]
  convolution::Wave* scratch;
};
void restore_locals(const LocalWaves& w, cudaStream_t stream);

/// Numbers of type Wave that so many blocks of threads need where their stages do not fit in shared memory; 0: they do.
/// `..._back`: from frequencies.
std::int64_t scratch_of_waves(const convolution::GridTransform& grid, int blocks);
std::int64_t scratch_of_waves_back(const convolution::GridTransform& grid, int blocks);

}  // namespace farfield::cuda
