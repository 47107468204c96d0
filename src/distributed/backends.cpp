#include "distributed/backends.hpp"

#include <farfield/error.hpp>

#include "distributed/agree.hpp"
#include "distributed/evaluator.hpp"
#include "tree/reader.hpp"

#if defined(FARFIELD_CUDA)
#include "distributed/cuda/evaluator.hpp"
#endif

namespace farfield::distributed {

#if !defined(FARFIELD_CUDA)
/// The functions of ranks on devices in a build without CUDA. plan/backends.cpp has refused that backend before.
namespace on_device {
[[noreturn]] static void absent() {
  throw Error(ErrorCode::device, "backend cuda: this build of Farfield has no CUDA; use backend cpu");
}
static void select(int) { absent(); }
static void require_known(int) { absent(); }
static std::shared_ptr<RankPlaced> make_placed(Ranks&) { absent(); }
static std::unique_ptr<Evaluator> make_steps(std::shared_ptr<RankPlaced>, const Decision&, int) { absent(); }
static std::unique_ptr<Evaluator> with_arrays_on_host(std::unique_ptr<Evaluator>) { absent(); }
static DeviceRoom room() { absent(); }
static RankBytes bytes_of_rank(const Decision&, Order, Scalar, bool, std::int64_t) { absent(); }
static Geometry survey(Ranks&, const Points&, const Points*, std::shared_ptr<void>&) { absent(); }
static std::vector<double> coordinates_at(const Points&, const std::vector<std::int64_t>&, int) { absent(); }
}  // namespace on_device
#endif

void select_device(int device) { on_device::select(device); }

void require_known_device(int device) { on_device::require_known(device); }

std::shared_ptr<RankPlaced> make_placed(Ranks& ranks, Backend backend) {
  if (backend == Backend::cuda) return on_device::make_placed(ranks);
  auto placed = std::make_shared<RankPlaced>();
  placed->ranks = &ranks;
  return placed;
}

std::unique_ptr<Evaluator> make_steps(std::shared_ptr<RankPlaced> placed, const Decision& decision, int threads) {
  return decision.backend == Backend::cuda ? on_device::make_steps(std::move(placed), decision, threads)
                                           : make_host_steps(std::move(placed), decision, threads);
}

std::unique_ptr<Evaluator> with_arrays_on_host(Backend backend, std::unique_ptr<Evaluator> evaluator) {
  return backend == Backend::cuda ? on_device::with_arrays_on_host(std::move(evaluator)) : std::move(evaluator);
}

DeviceRoom room_of(Backend backend) { return backend == Backend::cpu ? DeviceRoom() : on_device::room(); }

RankBytes bytes_of_rank(const Decision& decision, Order order, Scalar given, bool on_host, std::int64_t points) {
  return on_device::bytes_of_rank(decision, order, given, on_host, points);
}

std::vector<double> coordinates_at(const Points& points, const std::vector<std::int64_t>& at, int exponent) {
  if (points.space == MemorySpace::device) return on_device::coordinates_at(points, at, exponent);
  const AnyReader read(points, Scaling(exponent));
  std::vector<double> x(3 * at.size());
  for (std::size_t i = 0; i < at.size(); ++i) read.read(at[i], &x[3 * i]);
  return x;
}

Geometry survey_all(Ranks& ranks, Backend backend, const Points& sources, const Points* targets, int threads,
                    std::shared_ptr<void>& kept) {
  if (backend == Backend::cuda) return on_device::survey(ranks, sources, targets, kept);
  OtherRanks others(ranks);
  return farfield::cpu::survey(sources, targets, threads, &others);
}

}  // namespace farfield::distributed
