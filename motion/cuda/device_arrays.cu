#include <algorithm>
#include <cub/block/block_reduce.cuh>
#include <farfield/error.hpp>
#include <string>

#include "motion/cuda/device_arrays.hpp"

namespace farfield::motion {
namespace {

constexpr int threads = 256;
constexpr std::int64_t most_parts = 1024;  // of the sums: a matter of bits, and so not of the device

void require(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  cudaGetLastError();
  const bool full = code == cudaErrorMemoryAllocation;
  throw Error(full ? ErrorCode::memory : ErrorCode::device, std::string("arrays of bodies on the device: ") + what +
                                                                ": " + cudaGetErrorString(code) +
                                                                (full ? "; move fewer bodies" : "; use backend cpu"));
}

template <class T>
class Block {
 public:
  explicit Block(std::int64_t count) : bytes_(static_cast<std::size_t>(count) * sizeof(T)) {
    require(cudaMalloc(&data_, std::max<std::size_t>(1, bytes_)), "cudaMalloc");
  }
  ~Block() { cudaFree(data_); }
  Block(const Block&) = delete;
  T* data() const { return data_; }
  void read(const std::vector<T>& from, cudaStream_t stream) const {
    require(cudaMemcpyAsync(data_, from.data(), bytes_, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
  }
  void write(T* to, cudaStream_t stream) const {
    require(cudaMemcpyAsync(to, data_, bytes_, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  }

 private:
  std::size_t bytes_;
  T* data_ = nullptr;
};

/// to = to + factor * by, element by element.
__global__ void advance(double* to, double factor, const double* by, std::int64_t count) {
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i < count) to[i] += factor * by[i];
}

struct Bodies {
  const double *x, *v, *m, *u;
  std::int64_t count;
};

struct Together {
  __device__ Sums operator()(Sums a, const Sums& b) const {
    add(a, b);
    return a;
  }
};
using Reduce = cub::BlockReduce<Sums, threads>;

__global__ void __launch_bounds__(threads) sum_bodies(Bodies b, Sums* part) {
  __shared__ typename Reduce::TempStorage shared;
  Sums own;
  for (std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x; i < b.count;
       i += std::int64_t(gridDim.x) * threads)
    add(own, of_body(b.x + 3 * i, b.v + 3 * i, b.m[i], b.u[i]));
  const Sums all = Reduce(shared).Reduce(own, Together());
  if (threadIdx.x == 0) part[blockIdx.x] = all;
}

__global__ void __launch_bounds__(threads) sum_parts(const Sums* part, int count, Sums* to) {
  __shared__ typename Reduce::TempStorage shared;
  Sums own;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) add(own, part[i]);
  const Sums all = Reduce(shared).Reduce(own, Together());
  if (threadIdx.x == 0) *to = all;
}

class Stream {
 public:
  Stream() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace

struct DeviceArrays::State {
  explicit State(const HostArrays& bodies) : State(bodies.count()) {
    lengths = bodies.has_lengths() ? bodies.lengths().data() : nullptr;
  }
  explicit State(std::int64_t n)
      : count(n),
        parts(std::clamp<std::int64_t>((n + threads - 1) / threads, 1, most_parts)),
        positions(3 * n),
        velocities(3 * n),
        masses(n),
        potential(n),
        gradient(3 * n),
        part(parts + 1) {}

  void advance_by(const Block<double>& to, double factor, const Block<double>& by) const {
    const auto blocks = static_cast<unsigned>((3 * count + threads - 1) / threads);
    if (blocks > 0) advance<<<blocks, threads, 0, stream>>>(to.data(), factor, by.data(), 3 * count);
    require(cudaGetLastError(), "a kick or a drift");
  }
  void wait() const { require(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }

  std::int64_t count, parts;
  const double* lengths = nullptr;  ///< of the bodies, in the memory of the host
  Stream stream;
  Block<double> positions, velocities, masses, potential, gradient;
  Block<Sums> part;  ///< their sum is the last
};

DeviceArrays::DeviceArrays(const HostArrays& bodies) : state_(std::make_unique<State>(bodies)) {
  const State& s = *state_;
  s.positions.read(bodies.positions(), s.stream);
  s.velocities.read(bodies.velocities(), s.stream);
  s.masses.read(bodies.masses(), s.stream);
  s.potential.read(bodies.potential(), s.stream);
  s.wait();
}
DeviceArrays::~DeviceArrays() { cudaStreamSynchronize(state_->stream); }

Points DeviceArrays::points() const {
  Points p = farfield::points(static_cast<const double*>(state_->positions.data()), state_->count);
  p.space = MemorySpace::device, p.stream = state_->stream, p.softening = state_->lengths;
  return p;
}
Strengths DeviceArrays::strengths() const {
  Strengths q = farfield::strengths(static_cast<const double*>(state_->masses.data()), state_->count);
  q.space = MemorySpace::device, q.stream = state_->stream;
  return q;
}
Outputs DeviceArrays::outputs() {
  Outputs o{state_->potential.data(), state_->gradient.data()};
  o.space = MemorySpace::device, o.stream = state_->stream;
  return o;
}

void DeviceArrays::kick(double dt) { state_->advance_by(state_->velocities, -dt, state_->gradient); }
void DeviceArrays::drift(double dt) { state_->advance_by(state_->positions, dt, state_->velocities); }

Sums DeviceArrays::sums() const {
  const State& s = *state_;
  Sums* const all = s.part.data() + s.parts;
  sum_bodies<<<static_cast<unsigned>(s.parts), threads, 0, s.stream>>>(
      {s.positions.data(), s.velocities.data(), s.masses.data(), s.potential.data(), s.count}, s.part.data());
  sum_parts<<<1, threads, 0, s.stream>>>(s.part.data(), static_cast<int>(s.parts), all);
  require(cudaGetLastError(), "the sums");
  Sums found;
  require(cudaMemcpyAsync(&found, all, sizeof found, cudaMemcpyDeviceToHost, s.stream), "cudaMemcpyAsync");
  s.wait();
  return found;
}

void DeviceArrays::fetch(HostArrays& bodies) const {
  const State& s = *state_;
  const HostArrays::Own own = bodies.own();
  s.positions.write(own.positions, s.stream);
  s.velocities.write(own.velocities, s.stream);
  s.potential.write(own.potential, s.stream);
  s.wait();
}

}  // namespace farfield::motion
