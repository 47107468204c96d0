// Ranks on one device: what a plan takes at its most is what its account says (docs/developer/distributed.md), and how
// ranks share out points that not all of them have memory for.
#include <gtest/gtest.h>

#include <numeric>

#include "backends/cuda/far/tables/tables.hpp"
#include "backends/cuda/m2l/tensor/tensor_m2l.hpp"
#include "backends/cuda/runtime/array.hpp"
#include "distributed/backends.hpp"
#include "distributed/clouds.hpp"
#include "distributed/shares.hpp"
#include "kernels/traits.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

using distributed::Order;

constexpr int ranks = 2, degree = 5;
constexpr std::size_t points_of_rank = std::size_t(1) << 22;

Options in_single() {
  Options o;
  o.method = Method::fmm, o.backend = Backend::cuda, o.precision = Precision::single_;
  o.degree = degree, o.gradient = true;
  return o;
}

template <class T>
cuda::DeviceArray<T> uploaded(const std::vector<T>& values) {
  cuda::DeviceArray<T> array;
  cuda::upload(array, values.data(), std::ssize(values), nullptr);
  cuda::require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return array;
}

/// In device memory.
struct Arrays {
  cuda::DeviceArray<float> x, q, potential, gradient;
  Arrays(const std::vector<float>& of_x, const std::vector<float>& of_q) : x(uploaded(of_x)), q(uploaded(of_q)) {
    potential.resize(q.size()), gradient.resize(3 * q.size());
  }
  Points points() const {
    Points p = farfield::points(static_cast<const float*>(x.data()), q.size());
    p.space = MemorySpace::device;
    return p;
  }
  void sum(distributed::Plan& plan, Order order) {
    Strengths s = strengths(static_cast<const float*>(q.data()), q.size());
    s.space = MemorySpace::device;
    Outputs o;
    o.potential = potential.data(), o.gradient = gradient.data();
    o.scalar = Scalar::float32, o.space = MemorySpace::device;
    plan.evaluate(s, o, order);
  }
};

/// What one rank took, and what it held.
struct Taken {
  std::int64_t bytes = 0;
  distributed::RankReport held;
};

/// Two steps in this order, of points that are carried to their owners once where it is the owned one.
std::vector<Taken> taken(const std::vector<float>& x, const std::vector<float>& q, Order order) {
  std::vector<Taken> all(ranks);
  distributed::on_devices(std::vector<int>(ranks, 0), [&](distributed::Communicator& communicator) {
    const auto first = static_cast<std::ptrdiff_t>(points_of_rank) * communicator.rank(),
               end = first + static_cast<std::ptrdiff_t>(points_of_rank);
    std::vector<float> own_x(x.begin() + 3 * first, x.begin() + 3 * end), own_q(q.begin() + first, q.begin() + end);
    Arrays given(own_x, own_q);
    distributed::Plan plan(communicator, given.points(), in_single());
    if (order == Order::owned) own_x = plan.to_owned(own_x, 3), own_q = plan.to_owned(own_q);
    Arrays arrays(own_x, own_q);
    for (int step = 0; step < 2; ++step) plan.move(arrays.points(), order), arrays.sum(plan, order);
    const auto rank = static_cast<std::size_t>(communicator.rank());
    all[rank] = {plan.report().plan.memory_bytes, plan.report().ranks[rank]};
  });
  return all;
}

/// The account of what a rank held, and tables, which do not grow with the points.
double account(const distributed::RankReport& held, Order order) {
  constexpr double fixed = 1 << 24;  // sums of blocks, drawn boxes and points
  Decision d;
  d.precision = Precision::single_, d.backend = Backend::cuda, d.method = Method::fmm;
  d.kernel = in_single().kernel, d.degree = degree, d.gradient = true;
  const auto tables = cuda::TensorM2l::bytes_of_operators(degree) +
                      cuda::Tables<float>::bytes(degree, traits(d.kernel).coefficients(degree), false, false);
  return fixed + static_cast<double>(tables) +
         distributed::bytes_of_rank(d, order, Scalar::float32, false, held.owned)
             .of(static_cast<double>(held.owned), static_cast<double>(held.ghosts), static_cast<double>(held.boxes));
}

class CudaMemory : public GpuTest {};

TEST_F(CudaMemory, IsThatOfTheAccount) {
  constexpr double least = 0.6;  // of the account: else it would say nothing
  const std::uint64_t seed = fresh_seed();
  const std::vector<double> numbers = strengths_for(ranks * points_of_rank, seed);
  const std::vector<float> q(numbers.begin(), numbers.end());
  for (const Named& cloud : clouds) {
    const std::string name = cloud.name;
    if (name != "uniform" && name != "plummer") continue;
    const std::vector<double> made = cloud.make(ranks * points_of_rank);
    const std::vector<float> x(made.begin(), made.end());
    for (const Order order : {Order::owned, Order::given})
      for (const Taken& one : taken(x, q, order)) {
        const double bound = account(one.held, order), bytes = static_cast<double>(one.bytes),
                     owned = static_cast<double>(one.held.owned);
        const std::string what = name + (order == Order::owned ? ", owned order" : ", given order");
        std::printf("%s: %.1f bytes a point of %.1f, %.4f boxes and %.4f ghosts a point\n", what.c_str(), bytes / owned,
                    bound / owned, static_cast<double>(one.held.boxes) / owned,
                    static_cast<double>(one.held.ghosts) / owned);
        EXPECT_LE(bytes, bound) << what << ", seed " << seed;
        EXPECT_GE(bytes, least * bound) << what << ", seed " << seed;
      }
  }
}

}  // namespace
}  // namespace farfield::testing
