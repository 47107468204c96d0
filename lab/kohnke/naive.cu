// Variant 1 (section 3.3.1, listing 4): the ten outer loops of m2l become one thread index, taken apart by divisions;
// the innermost, over k, is the thread's (eq. 21), and partial sums are added atomically.
//
// The loop over z of the boxes is blockIdx.y: all loops in one index exceed 32 bits at depth 4 and p = 20.
#include "trial.hpp"
#include "triangle.hpp"

namespace farfield::lab {

static __global__ void naive_kernel(Level v) {
  const unsigned p1 = static_cast<unsigned>(v.degree) + 1, width = static_cast<unsigned>(v.width);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, pair = i / (p1 * p1 * p1);
  const int mu_x = pair / 216 % width, mu_y = pair / 216 / width, mu_z = blockIdx.y;
  const int om_x = static_cast<int>(pair % 6) + (mu_x / 2 - 1) * 2,
            om_y = static_cast<int>(pair / 6 % 6) + (mu_y / 2 - 1) * 2,
            om_z = static_cast<int>(pair / 36 % 6) + (mu_z / 2 - 1) * 2;
  const int l = i / (p1 * p1) % p1, m = i / p1 % p1, j = i % p1;
  const Offset offset{om_x - mu_x, om_y - mu_y, om_z - mu_z};
  if (mu_y >= v.width || m > l || near(offset)) return;
  const float2* omega =
      v.multipole + static_cast<std::int64_t>(box_index(om_x, om_y, om_z, v.width)) * triangle(v.degree);
  const float2* op = v.operators + operator_index(offset) * triangle(2 * v.degree);
  float2 sum{0, 0};
  for (int k = -j; k <= j; ++k) add_product(sum, element(op, l + j, m + k), element(omega, j, k));
  add_atomically(v.local[static_cast<std::int64_t>(box_index(mu_x, mu_y, mu_z, v.width)) * triangle(v.degree) +
                         triangle_index(l, m)],
                 sum, j % 2 ? -1.0f : 1.0f);
}

void Trial::naive() {
  constexpr unsigned threads = 256;
  const unsigned p1 = static_cast<unsigned>(level_.degree) + 1;
  const unsigned work = static_cast<unsigned>(level_.width * level_.width) * 216 * p1 * p1 * p1;
  naive_kernel<<<dim3((work + threads - 1) / threads, static_cast<unsigned>(level_.width)), threads>>>(level_);
  cuda::require_launch("naive m2l");
}

}  // namespace farfield::lab
