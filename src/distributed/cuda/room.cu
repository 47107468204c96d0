// Room of a rank on its device, and the account of what it takes there (docs/developer/distributed.md has the table).
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>

#include "backends/cuda/m2l/mirror/mirror_m2l.hpp"
#include "backends/cuda/m2l/tensor/tensor_m2l.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/transfer/scatter.hpp"
#include "distributed/cuda/evaluator.hpp"
#include "kernels/traits.hpp"
#include "model/cost_model.hpp"

namespace farfield::distributed::on_device {
namespace {

constexpr double of_place = 3 * 8 + 4, of_item = 8, of_route = 4;  // a point's coordinates and order in the tree
constexpr double p2p = 55;                                         ///< of a box: candidates, places, tiles and families

/// Where points are gathered into the essential tree: those that arrived, their items and the new places; of the last
/// sums operands and the work of p2p. Points in host memory have a copy.
PhaseBytes building(double scalar, bool on_host, double operands) {
  constexpr double own_box = 51, candidate = 16;
  return {(on_host ? 6 : 3) * scalar + of_route + of_item + of_place, of_place + 2 * 32,
          own_box + candidate + p2p + operands};
}

/// Bytes of a box's operands of m2l, and of the rows of tiles.
double operands_of(const Decision& d) {
  if (d.rotation || traits(d.kernel).factors) return 10;
  const bool single = d.precision == Precision::single_;
  if (single && d.degree <= most_tensor_degree)
    return static_cast<double>(farfield::cuda::TensorM2l::bytes_of_box(d.degree));
  return !single && d.degree <= most_mirror_degree
             ? static_cast<double>(farfield::cuda::MirrorM2l::bytes_of_box(d.degree))
             : 10;
}

/// What results and strengths take beside the sorted ones: copies of host memory, and results on their way, if they
/// travel, as records with those of others, first beside groups.
double carried(const Decision& d, Order order, double scalar, bool on_host, std::int64_t points) {
  const double parts = d.parts(), strengths = on_host ? scalar : 0;
  if (order == Order::owned) return strengths + (on_host ? scalar * parts : 0);
  const auto groups = farfield::cuda::Scatter::bytes_of_groups(points, d.parts(), static_cast<std::int64_t>(scalar));
  const double records = scalar * parts * 2, grouped = static_cast<double>(groups) / static_cast<double>(points);
  return strengths + records + std::max(grouped, on_host ? scalar * parts : 0.0);
}

}  // namespace

RankBytes bytes_of_rank(const Decision& d, Order order, Scalar given, bool on_host, std::int64_t points) {
  const double real = d.precision == Precision::single_ ? 4 : 8, scalar = given == Scalar::float32 ? 4 : 8;
  const double line = 64 / real, coefficients = traits(d.kernel).coefficients(d.degree);
  const double expansions = 2 * std::ceil(coefficients / line) * 64, operands = operands_of(d);
  const double sorted = of_place + real * (1 + d.parts());
  constexpr double trees = 51 + 67 + 4 * 27, links = 4 + 4 + 16 + 4 + 4;  // own, essential; to the tree of all
  constexpr double lists = 3 * 8 + 4 * 33, judge = 16;                    // begins and entries
  return {building(scalar, on_host, operands),
          {sorted + of_route + 0.5 + carried(d, order, scalar, on_host, std::max<std::int64_t>(1, points)),
           sorted + 2 * 4 + 2 * real, trees + links + lists + p2p + judge + expansions + operands}};
}

DeviceRoom room() {
  static std::mutex one_at_a_time;
  static std::map<int, std::uint64_t> known;  // properties take long
  const int device = farfield::cuda::current_device();
  std::size_t free = 0, total = 0;
  farfield::cuda::require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const std::lock_guard lock(one_at_a_time);
  if (!known.contains(device)) {
    cudaDeviceProp properties{};
    farfield::cuda::require(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    std::uint64_t halves[2] = {};
    static_assert(sizeof halves == sizeof properties.uuid);
    std::memcpy(halves, &properties.uuid, sizeof halves);
    known[device] = halves[0] ^ halves[1] * 0x9e3779b97f4a7c15u;
  }
  return {static_cast<std::int64_t>(free), known[device]};
}

}  // namespace farfield::distributed::on_device
