#include <algorithm>
#include <cmath>

#include "backends/cuda/m2l/tensor/passes.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/tuning.hpp"
#include "expansions/solid_shape.hpp"

namespace farfield::cuda {

int graded_degrees(int degree) { return degree < 4 ? 0 : degree < 6 ? 2 : degree < 9 ? 4 : degree < 11 ? 5 : 6; }

int graded_degrees(int degree, double tolerance) {
  struct Rounding {
    int low;
    double error;
  };
  constexpr Rounding most[] = {{0, 2.5e-4}, {2, 2.6e-5}, {4, 1.8e-6}, {5, 4.3e-7}};
  for (const Rounding& r : most)
    if (r.error <= 0.35 * tolerance) return std::min(r.low, graded_degrees(degree));
  return graded_degrees(degree);
}

int group_of(int width, int terms, TensorEngine engine, Fit fit) {
  const bool to_distances = fit == Fit::for_all || fit == Fit::for_gradient;
  if (to_distances && engine == TensorEngine::warpgroup && width >= tuning::least_columns_of_one) return 1;
  const int most = terms == 1 ? 256 : engine == TensorEngine::warpgroup ? 160 : 128;
  int group = 8;
  while (group > 1 && group * width > most) group /= 2;
  return group;
}

int tile_rows_of(std::int64_t parents, int columns, int group, TensorEngine engine, bool large) {
  if (engine != TensorEngine::warpgroup || columns > tuning::most_tall_columns || parents == 0) return 128;
  const double tiles = static_cast<double>(parents) * 8 / group / 256;
  return large || tiles >= tuning::tall_tiles * device_limits().multiprocessors ? 256 : 128;
}

TensorEngine tensor_engine(int degree) {
  constexpr int shared_bytes = 160 << 10;  // two stages of the widest tile
  if (degree < 1 || degree > most_tensor_degree || compute_capability() < 80 ||
      device_limits().shared_bytes < shared_bytes)
    return TensorEngine::none;
#ifdef FARFIELD_SM90A
  if (compute_capability() == 90) return TensorEngine::warpgroup;
#endif
  return TensorEngine::warp;
}

std::int64_t tiles_of(double boxes, int group) {
  return static_cast<std::int64_t>(std::ceil(boxes / (group * 128) + 4.0 / group));
}

int splits_for(std::int64_t tiles, int width) {
  constexpr std::int64_t multiprocessors = 132;
  constexpr int most_splits = 9;
  if (tiles > multiprocessors) return 1;
  const auto cost = [&](int splits) {
    std::int64_t waves = 0;
    for (const std::int64_t quarters : {4, 5, 6})
      waves += (tiles * quarters / 4 * splits + multiprocessors - 1) / multiprocessors;
    const int slots = (colleagues_per_box + splits - 1) / splits;
    return static_cast<double>(waves * slots) / 3 + static_cast<double>(tiles * (splits - 1)) / width;
  };
  int best = 1;
  for (int splits = 2; splits <= most_splits; ++splits)
    if (cost(splits) < cost(best)) best = splits;
  return best;
}

std::int64_t TensorM2l::bytes_of_box(int degree) {
  const int low = graded_degrees(degree), width = tensor_width(SolidShape::count(degree)),
            group = group_of(width, 1, TensorEngine::warpgroup, Fit::for_all);
  return 2 * width + 4 * tensor_width(SolidShape::first(low)) + 10 * (8 / group + 4) / 4;
}
std::int64_t TensorM2l::bytes_of_operators(int degree) {
  const auto bytes = [](std::int64_t width) { return 2 * 64 * colleagues_per_box * width * width; };
  const int low = graded_degrees(degree);
  return bytes(tensor_width(SolidShape::count(degree))) + 2 * bytes(tensor_width(SolidShape::first(low))) +
         2 * static_cast<std::int64_t>(sizeof(TensorInner)) + (1 << 16);
}

/// Of the graded pass beside the other, `shared`: numbers of boxes times parts where tiles are shared.
static std::int64_t graded_bytes(int degree, std::int64_t boxes, std::int64_t shared) {
  const int width = tensor_width(SolidShape::first(graded_degrees(degree)));
  return (2 * shared + std::min(boxes, tuning::most_boxes_beside)) * width * 4;
}

std::int64_t TensorM2l::bytes_of_parts(int degree, std::int64_t boxes, double heard) {
  const int count = SolidShape::count(degree), width = tensor_width(count);
  const int group = group_of(width, 1, TensorEngine::warp);
  std::int64_t most = 0;  // of trees of up to so many boxes
  for (std::int64_t tiles = 1, splits; (splits = splits_for(tiles, width)) > 1; ++tiles) {
    const double filled = static_cast<double>(tiles * group * 128) / heard;
    most = std::max(most, (splits - 1) * static_cast<std::int64_t>(std::min(static_cast<double>(boxes), filled)));
  }
  return most * (count + 16) * 4 + graded_bytes(degree, boxes, most);
}

}  // namespace farfield::cuda
