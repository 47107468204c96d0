#include <algorithm>

#include "backends/cuda/periodic/blocks/convolution.hpp"
#include "backends/cuda/periodic/blocks/wave_m2l.hpp"

namespace farfield::cuda {

using convolution::Complex, convolution::GridTransform;

static convolution::Wave* waves_in(FieldArrays& arrays, std::int64_t count) {
  return reinterpret_cast<convolution::Wave*>(arrays.room(4 * count));
}
static const double* numbers_of(const std::complex<double>* from) { return reinterpret_cast<const double*>(from); }

DeviceConvolution::DeviceConvolution(const BlockConvolution& c, int degree)
    : degree_(degree), orders_(convolution::orders(degree)) {
  std::copy(c.count, c.count + 3, blocks_);
  const std::vector<Complex> circle = c.waves();
  circle_ = reinterpret_cast<const Complex*>(
      arrays_.copy(reinterpret_cast<const double*>(circle.data()), 2 * std::ssize(circle)));
  of_blocks_ = c.of_blocks(), of_points_ = c.of_points();
  of_blocks_.waves = of_points_.waves = circle_;
  const std::int64_t frequencies = of_blocks_.frequencies();
  const std::int64_t scratch =
      std::max(scratch_of_waves(of_points_, 2 * orders_), scratch_of_waves_back(of_blocks_, orders_));
  if (scratch > 0) scratch_ = waves_in(arrays_, scratch);
  alone_ = transformed(c.alone, c.of_alone(), false);
  for (std::size_t set = 0; set < c.images.size(); ++set) {
    images_.push_back(transformed(c.images[set], c.of_images(), set > 0));
    weights_.push_back(arrays_.copy(c.weights[set].data(), std::ssize(c.weights[set])));
  }
  for (convolution::Wave*& multipole : multipole_) multipole = waves_in(arrays_, frequencies * orders_);
  sum_ = waves_in(arrays_, frequencies * orders_);
}

/// Waits.
Complex* DeviceConvolution::transformed(const SolidConvolution::Numbers& numbers, GridTransform grid, bool turns) {
  const int orders = convolution::orders(2 * degree_);
  const bool spread = wave_tables_spread(degree_);
  const std::int64_t size = spread ? convolution::SpreadTable::size(2 * degree_) : orders;
  FieldArrays given;
  const double* const from = given.copy(numbers_of(numbers.data()), 2 * std::ssize(numbers));
  auto* const to = reinterpret_cast<Complex*>(arrays_.room(2 * grid.frequencies() * size));
  grid.waves = circle_;
  const std::int64_t scratch = scratch_of_waves(grid, orders);
  convolution::Wave* const room = scratch > 0 ? waves_in(given, scratch) : nullptr;
  transform_tables({grid, turns, reinterpret_cast<const Complex*>(from), orders, spread, 2 * degree_, to, room},
                   nullptr);
  require(cudaStreamSynchronize(nullptr), "tables of blocks");
  return to;
}

void DeviceConvolution::apply(std::size_t set, const double* scaled, double* to, cudaStream_t stream) const {
  transform_multipoles({{of_blocks_, of_points_},
                        {blocks_[0], blocks_[1], blocks_[2]},
                        weights_[set],
                        scaled,
                        SolidShape::count(degree_),
                        orders_,
                        {multipole_[0], multipole_[1]},
                        scratch_},
                       stream);
  wave_m2l({degree_, of_blocks_.frequencies(), set > 0, {images_[set], alone_}, {multipole_[0], multipole_[1]}, sum_},
           stream);
  translated_.record(stream);
  restore_locals({of_blocks_, sum_, orders_, reinterpret_cast<Complex*>(to), scratch_}, stream);
}

}  // namespace farfield::cuda
