#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/transfer/lengths.hpp"
#include "tree/geometry.hpp"

namespace farfield::cuda {
namespace {

struct GatherLengths {
  const double* length;
  const std::uint32_t* order;
  double factor;
  Scaling scale;
  double* to;
  __device__ void operator()(std::int64_t i) const { to[i] = scale(length[order[i]] * factor); }
};

}  // namespace

void gather_lengths(const Points& points, const std::uint32_t* order, double factor, int exponent,
                    DeviceArray<double>& sorted, DeviceMemory& memory) {
  DeviceArray<double> given(memory);
  upload(given, points.softening, points.count, memory.stream);
  sorted.resize(points.count);
  for_each_index(points.count, GatherLengths{given.data(), order, factor, Scaling(exponent), sorted.data()},
                 memory.stream, "gather_lengths");
}

}  // namespace farfield::cuda
