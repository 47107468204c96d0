#include <algorithm>
#include <farfield/error.hpp>

#include "backends/cuda/runtime/array.hpp"
#include "orbit_kernel.hpp"
#include "plane_m2l.hpp"

namespace farfield::lab {
namespace {

std::vector<Tile> tiles_of(int last_level) {
  std::vector<Tile> tiles;
  int base = 0;
  for (int level = 2; level <= last_level; base += 1 << (2 * level++)) {
    const int side = 1 << level;
    for (int y = 0; y < side / 2; y += tile_height)
      for (int x = 0; x < side / 2; x += tile_width) tiles.push_back({base, side, x, y});
  }
  std::reverse(tiles.begin(), tiles.end());  // those with all their boxes first
  return tiles;
}

/// [child][source][k][l]: (-1)^l C(k+l, l) t^-(k+l+1).
std::vector<float2> matrices(int p) {
  std::vector<float2> all;
  for (int child = 0; child < 4; ++child)
    for (const Orbit& o : singles_of(child))
      for (int k = 0; k < p; ++k)
        for (int l = 0; l < p; ++l) {
          const Complex2 power = inverse_power(o.x, o.y, k + l);
          all.push_back({static_cast<float>(pascal(l, k) * power.x), static_cast<float>(pascal(l, k) * power.y)});
        }
  return all;
}

using Kernel = void (*)(const float2*, float2*, const Tile*, const float2*);

/// Registers for 512 threads and more on a multiprocessor at p = 12 and 16, for 1,024 at p = 8.
template <int P, int Groups>
Kernel kernel_of(const std::string& name) {
  constexpr int blocks = (P == 8 ? 8 : 4) / Groups;
  if (name == "orbits") return orbit_kernel<P, Groups, blocks, Form::orbits>;
  if (name == "pascal") return orbit_kernel<P, Groups, blocks, Form::pascal>;
  return orbit_kernel<P, Groups, blocks, Form::matrix>;
}

}  // namespace

struct PlaneM2l::Device {
  explicit Device(const PlaneLevels& levels)
      : p(levels.p()), host(static_cast<std::int64_t>(levels.multipoles().size())), back(host_size(levels)) {
    std::copy(levels.multipoles().begin(), levels.multipoles().end(), host.data());
    const std::vector<Tile> all = tiles_of(levels.last_level());
    const std::vector<float2> entries = matrices(p);
    cuda::upload(tiles, all.data(), static_cast<std::int64_t>(all.size()), nullptr);
    cuda::upload(matrix, entries.data(), static_cast<std::int64_t>(entries.size()), nullptr);
    multipole.resize(levels.boxes() * p), local.resize(levels.boxes() * p);
    cuda::require(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
  }
  static std::int64_t host_size(const PlaneLevels& levels) { return 2 * levels.boxes() * levels.p(); }

  template <int P, int Groups>
  void launch(const std::string& name, cudaStream_t stream) {
    constexpr int bytes = shared_numbers<P, Groups>() * static_cast<int>(sizeof(float2));
    const Kernel kernel = kernel_of<P, Groups>(name);
    cuda::require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "shared memory");
    kernel<<<static_cast<unsigned>(tiles.size()), 128 * Groups, bytes, stream>>>(multipole.data(), local.data(),
                                                                                 tiles.data(), matrix.data());
    cuda::require_launch("orbit_kernel");
  }
  template <int P>
  void launch(const PlaneVariant& v, cudaStream_t stream) {
    if (v.groups == 1) return launch<P, 1>(v.name, stream);
    if (v.groups == 2) return launch<P, 2>(v.name, stream);
    launch<P, 4>(v.name, stream);
  }

  int p;
  cuda::PinnedArray<float> host, back;
  cuda::DeviceArray<float2> multipole, local, matrix;
  cuda::DeviceArray<Tile> tiles;
};

PlaneM2l::PlaneM2l(const PlaneLevels& levels) {
  if (levels.p() != 8 && levels.p() != 12 && levels.p() != 16)
    throw Error(ErrorCode::usage, "the paper's tables have p = 8, 12 and 16; choose one of them");
  device_ = std::make_unique<Device>(levels);
  copy_multipoles_to_device();
}
PlaneM2l::~PlaneM2l() = default;

std::vector<PlaneVariant> PlaneM2l::variants() {
  std::vector<PlaneVariant> all;
  for (const char* name : {"orbits", "pascal", "matrix"})
    for (const int groups : {1, 2, 4}) all.push_back({name, groups});
  return all;
}

void PlaneM2l::run(const PlaneVariant& variant, void* stream) {
  const auto s = static_cast<cudaStream_t>(stream);
  if (device_->p == 8) return device_->launch<8>(variant, s);
  if (device_->p == 12) return device_->launch<12>(variant, s);
  device_->launch<16>(variant, s);
}

void PlaneM2l::copy_multipoles_to_device() {
  Device& d = *device_;
  cuda::require(cudaMemcpy(d.multipole.data(), d.host.data(), static_cast<std::size_t>(d.multipole.size()) * 8,
                           cudaMemcpyHostToDevice),
                "cudaMemcpy");
}

void PlaneM2l::copy_locals_to_host() {
  Device& d = *device_;
  cuda::require(
      cudaMemcpy(d.back.data(), d.local.data(), static_cast<std::size_t>(d.local.size()) * 8, cudaMemcpyDeviceToHost),
      "cudaMemcpy");
}

std::vector<float> PlaneM2l::locals() const {
  return {device_->back.data(), device_->back.data() + 2 * device_->local.size()};
}

void PlaneM2l::clear() {
  Device& d = *device_;
  cuda::require(cudaMemset(d.local.data(), 0, static_cast<std::size_t>(d.local.size()) * 8), "cudaMemset");
}

}  // namespace farfield::lab
