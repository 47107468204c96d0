#include "plan/backends.hpp"

#include <farfield/device.hpp>
#include <farfield/error.hpp>

#include "backends/cpu/evaluator.hpp"
#include "backends/cpu/stages.hpp"
#include "backends/cpu/transfer/crowding.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "backends/hybrid/evaluator.hpp"
#include "kernels/traits.hpp"
#include "model/cost_model.hpp"
#include "model/error_model.hpp"
#include "model/grid/choose.hpp"
#include "model/options/validate.hpp"
#include "plan/boundary.hpp"
#include "tree/crowding.hpp"

#if defined(FARFIELD_CUDA)
#include "backends/cuda/evaluator.hpp"
#include "backends/cuda/molecules/molecules.hpp"
#include "backends/cuda/periodic/box_points.hpp"
#include "backends/cuda/periodic/virial_sum.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/hybrid/on_device.hpp"
#endif

namespace farfield {

#if !defined(FARFIELD_CUDA)
/// The functions of backend cuda in a build without CUDA.
namespace cuda {
static std::vector<DeviceInfo> list_devices() { return {}; }
static bool device_present() { return false; }
static bool lost_by_fork() { return false; }
[[noreturn]] static void absent() {
  throw Error(ErrorCode::device, "backend cuda: this build of Farfield has no CUDA; use backend cpu");
}
static void require_device() { absent(); }
static std::int64_t device_memory() { absent(); }
static Geometry survey(const Points&, const Points*, std::shared_ptr<void>&) { absent(); }
static std::vector<double> draw_points(const Points&, const Geometry&, std::int64_t, std::shared_ptr<void>&) {
  absent();
}
static Joined join(const Points&, const Points&) { absent(); }
static bool is_captured(void*) { absent(); }
static std::unique_ptr<Evaluator> make_evaluator(const Decision&, int) { absent(); }
static std::unique_ptr<BoxPoints> make_box_points(const OtherPoints&) { absent(); }
static std::unique_ptr<VirialSum> make_virial_sum(const Points&, const OtherPoints&) { absent(); }
static std::unique_ptr<MoleculeSums> make_molecules() { absent(); }
static std::int64_t memory_bound(const Decision&, std::int64_t, std::int64_t, bool) { absent(); }
}  // namespace cuda
namespace hybrid {
static std::unique_ptr<Half> make_half_on_device() { cuda::absent(); }
}  // namespace hybrid
#endif

std::vector<DeviceInfo> devices() {
  return guarded([] { return cuda::list_devices(); });
}

bool built_with_cuda() {
#if defined(FARFIELD_CUDA)
  return true;
#else
  return false;
#endif
}

bool devices_lost_by_fork() { return cuda::lost_by_fork(); }

/// Of backend hybrid, which keeps points in host memory and needs a device beside it.
static Machine both_halves(const Options& options, Simd simd, bool points_on_device) {
  const auto refuse = [](const std::string& why) {
    throw Error(ErrorCode::device, "backend hybrid: " + why + "; use backend cpu");
  };
  if (points_on_device)
    throw Error(ErrorCode::device,
                "points are in device memory, but backend hybrid was asked for; pass host memory or use backend cuda");
  if (!built_with_cuda()) refuse("this build of Farfield has no CUDA");
  if (!traits(options.kernel).on_device)
    refuse(std::string("kernel ") + traits(options.kernel).name + " is not offered on devices in this version");
  if (!devices_lost_by_fork() && !cuda::device_present())
    refuse("this machine has no CUDA device (or no driver for it)");
  cuda::require_device();
  return {Backend::hybrid, simd};
}

Machine resolve_machine(const Options& options, bool points_on_device) {
  const Simd simd = cpu::resolve_simd(options.simd);
  if (options.backend == Backend::hybrid) return both_halves(options, simd, points_on_device);
  if (!traits(options.kernel).on_device) {
    if (points_on_device || options.backend == Backend::cuda)
      throw Error(ErrorCode::device, std::string("kernel ") + traits(options.kernel).name +
                                         " is not offered by backend cuda in this version; use backend cpu and host "
                                         "memory");
    return {Backend::cpu, simd};
  }
  if (points_on_device && options.backend == Backend::cpu)
    throw Error(ErrorCode::device,
                "points are in device memory, but backend cpu was asked for; pass host memory or use "
                "backend cuda");
  if (points_on_device && !cuda::device_present() && !devices_lost_by_fork())
    throw Error(ErrorCode::device,
                std::string("points are in device memory, but this ") +
                    (built_with_cuda() ? "machine has no CUDA device" : "build of Farfield has no CUDA") +
                    "; pass host memory");
  if (points_on_device || options.backend == Backend::cuda) {
    cuda::require_device();
    return {Backend::cuda, simd, cuda::device_memory()};
  }
  if (options.backend == Backend::cpu || !cuda::device_present()) return {Backend::cpu, simd};
  return {Backend::automatic, simd, cuda::device_memory()};
}

Geometry survey(const Machine& machine, const Points& sources, const Points* targets, int threads,
                std::shared_ptr<void>& kept) {
  if (machine.backend == Backend::cuda) return cuda::survey(sources, targets, kept);
  return cpu::survey(sources, targets, threads);
}

void survey_crowding(const Machine& machine, const Options& options, const DrawPoints& draw, Geometry& geometry) {
  const bool on_device = machine.backend == Backend::cuda, near = changes_near_pairs(options);
  const bool falls_off = traits(options.kernel).reach;
  if (options.method == Method::direct || !(near || falls_off)) return;
  if (machine.backend == Backend::cpu && !near &&
      takes_no_pairs(begin_choice(options, geometry, machine), options, geometry))
    return;
  // 2^15 take 4 ms of a core: too long for a plan on a device, which is made in a millisecond
  const std::int64_t most = on_device ? (geometry.sources < 1 << 22 ? 1 << 10 : 1 << 11) : near ? 1 << 15 : 1 << 11;
  const std::vector<double> of_sources = draw(0, most),
                            of_targets = geometry.alike ? std::vector<double>{} : draw(1, most);
  find_crowding(geometry, of_sources, geometry.alike ? nullptr : &of_targets);
}

void survey_crowding(const Machine& machine, const Options& options, const Points& sources, const Points* targets,
                     Geometry& geometry, std::shared_ptr<void>& kept) {
  const auto draw = [&](int set, std::int64_t most) {
    const Points& points = set == 0 ? sources : *targets;
    if (points.space == MemorySpace::device) return cuda::draw_points(points, geometry, most, kept);
    return cpu::draw_points(points, geometry, most);
  };
  survey_crowding(machine, options, draw, geometry);
}

Decision decide(const Options& options, const Geometry& geometry, const Machine& machine) {
  if (machine.backend != Backend::automatic) return choose(options, geometry, machine);
  constexpr double cores = nominal_cores, launch = 3e-3;
  Decision cpu = choose(options, geometry, {Backend::cpu, machine.simd});
  Decision gpu = choose(options, geometry, {Backend::cuda, machine.simd, machine.memory, machine.shared});
  const bool use_gpu = gpu.seconds + launch < cpu.seconds / cores;
  Decision& d = use_gpu ? gpu : cpu;
  d.choices.insert(d.choices.begin(),
                   {"backend", use_gpu ? "cuda" : "cpu",
                    use_gpu ? "expected to be faster on the device" : "too little work for a device"});
  return d;
}

/// Interleaved copy in double of `a` followed by `b`; floats are exact in double.
static Joined join_on_host(const Points& a, const Points& b) {
  auto all = std::make_shared<std::vector<double>>();
  all->reserve(static_cast<std::size_t>(3 * (a.count + b.count)));
  for (const Points* p : {&a, &b})
    for (std::int64_t i = 0; i < p->count; ++i)
      for (const void* axis : p->axis)
        all->push_back(p->scalar == Scalar::float32
                           ? static_cast<double>(static_cast<const float*>(axis)[i * p->stride])
                           : static_cast<const double*>(axis)[i * p->stride]);
  const Points joined = points(*all);
  return {joined, all};
}

Joined join(const Machine& machine, const Points& a, const Points& b) {
  if (machine.backend != Backend::cuda) return join_on_host(a, b);
  const auto joined = cuda::join(a, b);
  return {joined.points, joined.owner};
}

bool is_captured(MemorySpace space, void* stream) {
  return space == MemorySpace::device && built_with_cuda() && cuda::is_captured(stream);
}

std::unique_ptr<BoxPoints> make_device_box_points(const OtherPoints& others) { return cuda::make_box_points(others); }
std::unique_ptr<VirialSum> make_device_virial_sum(const Points& points, const OtherPoints& others) {
  return cuda::make_virial_sum(points, others);
}
std::unique_ptr<MoleculeSums> make_device_molecules() { return cuda::make_molecules(); }

std::unique_ptr<Evaluator> make_evaluator(const Decision& decision, int threads) {
  if (decision.backend == Backend::hybrid)
    return hybrid::make_evaluator(decision, threads, hybrid::make_half_on_device());
  return decision.backend == Backend::cuda ? cuda::make_evaluator(decision, threads)
                                           : cpu::make_evaluator(decision, threads);
}

std::int64_t memory_bound(const Decision& d, std::int64_t sources, std::int64_t targets, bool alike) {
  const auto bound = [&](auto of) { return of(d, sources, targets, alike); };
  return (d.backend == Backend::cuda ? 0 : bound(cpu::memory_bound)) +
         (d.backend == Backend::cpu ? 0 : bound(cuda::memory_bound));
}

}  // namespace farfield
