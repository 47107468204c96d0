// A Fourier transform of our own (cosine.cpp says why).
#pragma once
#include <complex>

namespace farfield::density {

/// out_k = sum_j in_(j stride) exp(-2 pi i j k / n) for k = 0 .. n - 1; n a power of two.
void fourier_transform(const std::complex<double>* in, std::complex<double>* out, std::size_t n,
                       std::size_t stride = 1);

}  // namespace farfield::density
