// Devices, errors and the plan's memory pool: all that talks to the CUDA runtime beside kernels and copies.
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/kept_blocks.hpp"

namespace farfield::cuda {

void fail(cudaError_t code, const char* what, const std::source_location& place) {
  cudaGetLastError();  // forgets an error that is not sticky
  if (code == cudaErrorMemoryAllocation) fail_memory(0);
  std::string file = place.file_name();
  file = file.substr(file.rfind('/') + 1);
  throw Error(ErrorCode::device, std::string("CUDA: ") + what + " failed with " + cudaGetErrorName(code) + " (" +
                                     cudaGetErrorString(code) + ") at " + file + ":" + std::to_string(place.line()));
}

void fail_memory(std::int64_t wanted) {
  cudaGetLastError();
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) cudaGetLastError();
  const std::string need = wanted > 0 ? std::to_string(wanted) + " bytes are needed" : "an allocation failed";
  throw Error(ErrorCode::memory,
              "not enough device memory: " + need + ", " + std::to_string(free) + " of " + std::to_string(total) +
                  " are free; use fewer points, larger leaves, a larger tolerance, m2l rotation or precision single");
}

/// The process that asked the driver first; 0 if none has. Asking starts the driver, which does not survive a fork.
static std::atomic<pid_t> first_process = 0;

bool lost_by_fork() {
  const pid_t first = first_process;
  return first != 0 && first != getpid();
}

static int device_count() {
  pid_t none = 0;
  first_process.compare_exchange_strong(none, getpid());
  int count = 0;
  if (!lost_by_fork() && cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices;
  int current = 0;
  const int count = device_count();
  if (count > 0) require(cudaGetDevice(&current), "cudaGetDevice");
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp p{};
    require(cudaGetDeviceProperties(&p, i), "cudaGetDeviceProperties");
    DeviceInfo info{p.name, p.major, p.minor, p.multiProcessorCount, static_cast<std::int64_t>(p.totalGlobalMem), 0};
    std::size_t free = 0, total = 0;
    if (cudaSetDevice(i) == cudaSuccess && cudaMemGetInfo(&free, &total) == cudaSuccess)
      info.free_bytes = static_cast<std::int64_t>(free);
    else
      cudaGetLastError();
    devices.push_back(info);
  }
  if (count > 0) require(cudaSetDevice(current), "cudaSetDevice");
  return devices;
}

bool device_present() { return device_count() > 0; }

/// Asked once: the properties of a device take longer than the plan of a small set of points.
static const std::vector<std::string>& device_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    for (int i = 0; i < device_count(); ++i) {
      cudaDeviceProp p{};
      require(cudaGetDeviceProperties(&p, i), "cudaGetDeviceProperties");
      found.emplace_back(p.name);
    }
    return found;
  }();
  return names;
}

std::string require_device() {
  int current = 0;
  const int count = device_count();
  if (lost_by_fork())
    throw Error(ErrorCode::device,
                "backend cuda: this process was forked from one that had used CUDA, which does not survive that; make "
                "the first plan after the fork, or use backend cpu");
  if (count == 0)
    throw Error(ErrorCode::device,
                "backend cuda: this machine has no CUDA device (or no driver for it); use backend cpu");
  require(cudaGetDevice(&current), "cudaGetDevice");
  return device_names().at(static_cast<std::size_t>(current));
}

static DeviceLimits find_limits() {
  DeviceLimits limits;
  int current = 0;
  require(cudaGetDevice(&current), "cudaGetDevice");
  require(cudaDeviceGetAttribute(&limits.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, current),
          "cudaDeviceGetAttribute");
  require(cudaDeviceGetAttribute(&limits.multiprocessors, cudaDevAttrMultiProcessorCount, current),
          "cudaDeviceGetAttribute");
  std::size_t free = 0, total = 0;
  require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  limits.memory_bytes = static_cast<std::int64_t>(total);
  return limits;
}
const DeviceLimits& device_limits() {
  static std::mutex one_at_a_time;
  static std::map<int, DeviceLimits> known;  // by device: a process may use several that differ
  int current = 0;
  require(cudaGetDevice(&current), "cudaGetDevice");
  const std::lock_guard lock(one_at_a_time);
  const auto found = known.find(current);
  return found != known.end() ? found->second : known.emplace(current, find_limits()).first->second;
}

int current_device() {
  require_device();
  int device = 0;
  require(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

int compute_capability() {
  int device = 0, major = 0, minor = 0;
  require(cudaGetDevice(&device), "cudaGetDevice");
  require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  require(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "cudaDeviceGetAttribute");
  return 10 * major + minor;
}

/// The driver is asked once per thread, device and kernel: each launch would ask it three times.
void allow_shared_memory(const void* kernel) {
  thread_local std::set<std::pair<int, const void*>> known;
  int device = 0;
  require(cudaGetDevice(&device), "cudaGetDevice");
  if (known.contains({device, kernel})) return;
  cudaFuncAttributes attributes{};
  require(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  const int most = device_limits().shared_bytes - static_cast<int>(attributes.sharedSizeBytes);
  if (attributes.maxDynamicSharedSizeBytes < most) {
    require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "cudaFuncSetAttribute");
    require(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
        "cudaFuncSetAttribute");
  }
  known.emplace(device, kernel);
}

DeviceMemory::DeviceMemory() {
  require(cudaGetDevice(&device), "cudaGetDevice");
  cudaMemPoolProps props{};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = device;
  require(cudaMemPoolCreate(&pool_, &props), "cudaMemPoolCreate");
  std::uint64_t keep = ~0ull;  // freed blocks stay with the plan
  require(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolSetAttribute");
}

DeviceMemory::~DeviceMemory() {
  if (!pool_) return;
  // The pool must outlive kernels using its blocks. Waits for the device: a caller's `stream` may be destroyed already.
  // One plan at a time: where threads ended plans on one device at once, cudaDeviceSynchronize was seen to crash within
  // the driver (CUDA 13, H100).
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  if (cudaDeviceSynchronize() != cudaSuccess) cudaGetLastError();
  give_back_blocks();
  if (cudaMemPoolDestroy(pool_) != cudaSuccess) cudaGetLastError();
}

void DeviceMemory::keep_blocks() { blocks_ = std::make_unique<KeptBlocks>(device_memory() / 2); }

/// To the pool. Not in the order of a stream, which may be gone: calls have waited for theirs.
void DeviceMemory::give_back_blocks() noexcept {
  if (!blocks_) return;
  blocks_->give_back_all([](void* block) {
    if (cudaFree(block) != cudaSuccess) cudaGetLastError();
  });
}

void DeviceMemory::trim(std::int64_t bytes) {
  give_back_blocks();
  require(cudaMemPoolTrimTo(pool_, static_cast<std::size_t>(bytes)), "cudaMemPoolTrimTo");
}

void DeviceMemory::let_read(int other) {
  int can = 0;
  if (other != device) require(cudaDeviceCanAccessPeer(&can, other, device), "cudaDeviceCanAccessPeer");
  if (!can) return;
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = other;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  require(cudaMemPoolSetAccess(pool_, &access, 1), "cudaMemPoolSetAccess");
}

void* DeviceMemory::allocate(DeviceMemory* from, std::int64_t bytes) {
  if (from && from->frozen) throw Error(ErrorCode::internal, "memory was asked for while a graph is captured");
  KeptBlocks* const kept = from ? from->blocks_.get() : nullptr;
  const std::int64_t wanted = kept ? KeptBlocks::rounded(bytes) : bytes;
  void* block = kept ? kept->take(wanted) : nullptr;
  const bool asked = !block;
  const auto ask = [&] {
    const auto size = static_cast<std::size_t>(wanted);
    return from ? cudaMallocFromPoolAsync(&block, size, from->pool_, from->stream) : cudaMalloc(&block, size);
  };
  cudaError_t code = asked ? ask() : cudaSuccess;
  if (code == cudaErrorMemoryAllocation && from) {  // perhaps freed blocks of other sizes are in the way
    cudaGetLastError();
    if (cudaStreamSynchronize(from->stream) == cudaSuccess) {
      from->give_back_blocks();
      if (kept) kept->keep_fewer();
      if (cudaMemPoolTrimTo(from->pool_, 0) == cudaSuccess) code = ask();
    }
  }
  if (code == cudaErrorMemoryAllocation) fail_memory(wanted);
  require(code, from ? "cudaMallocFromPoolAsync" : "cudaMalloc");
  if (kept && asked) kept->add(block, wanted);
  if (from) from->meter.add(bytes);
  return block;
}

void DeviceMemory::release(DeviceMemory* from, void* block, std::int64_t bytes) noexcept {
  const auto give_back = [from](void* freed) {
    if ((from ? cudaFreeAsync(freed, from->stream) : cudaFree(freed)) != cudaSuccess) cudaGetLastError();
  };
  if (from) from->meter.add(-bytes);
  if (from && from->blocks_)
    from->blocks_->keep(block, give_back);
  else
    give_back(block);
}

}  // namespace farfield::cuda
