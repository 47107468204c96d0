// m2l at all frequencies of the grid of a cell's blocks on a device (expansions/periodic/blocks/wave_m2l.hpp).
#pragma once
#include <cuda_runtime.h>

#include "expansions/periodic/blocks/wave_m2l.hpp"

namespace farfield::cuda {

/// Of two convolutions, added up: of blocks with images(d), and of images that are points with -S(d).
struct WaveM2l {
  int degree, frequencies;
  bool turns;                             ///< the first table
  const convolution::Complex* table[2];   ///< [frequency][SpreadTable where wave_tables_spread, else order m >= 0]
  const convolution::Wave* multipole[2];  ///< [frequency][order]
  convolution::Wave* sum;                 ///< [frequency][order]
};
void wave_m2l(const WaveM2l& w, cudaStream_t stream);

/// Are tables of this degree read where they lie, since they do not fit in shared memory?
bool wave_tables_spread(int degree);

}  // namespace farfield::cuda
