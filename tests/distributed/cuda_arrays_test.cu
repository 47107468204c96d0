// Ranks on a device whose points, strengths and results are in device memory: the same bits as from host memory, by
// expansions and by all pairs, in both orders.
#include <gtest/gtest.h>

#include "backends/cuda/runtime/array.hpp"
#include "distributed/clouds.hpp"
#include "distributed/shares.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

using distributed::Order;

template <class T>
cuda::DeviceArray<T> uploaded(const std::vector<T>& values) {
  cuda::DeviceArray<T> array;
  cuda::upload(array, values.data(), std::ssize(values), nullptr);
  return array;
}
template <class T>
std::vector<T> downloaded(const cuda::DeviceArray<T>& array) {
  std::vector<T> values(static_cast<std::size_t>(array.size()));
  cuda::download(values.data(), array.data(), array.size(), nullptr);
  cuda::require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return values;
}

struct Share {
  std::vector<double> x, q;
};
Share share_of(const std::vector<double>& x, const std::vector<double>& q, int rank, int ranks) {
  const std::size_t n = q.size(), first = n * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks),
                    end = n * static_cast<std::size_t>(rank + 1) / static_cast<std::size_t>(ranks);
  return {{x.begin() + static_cast<std::ptrdiff_t>(3 * first), x.begin() + static_cast<std::ptrdiff_t>(3 * end)},
          {q.begin() + static_cast<std::ptrdiff_t>(first), q.begin() + static_cast<std::ptrdiff_t>(end)}};
}

/// Potentials of the ranks' shares, one behind the other, whatever the order of the sums.
std::vector<double> sums_in_device_memory(const std::vector<double>& x, const std::vector<double>& q, int ranks,
                                          const Options& o, Order order) {
  std::vector<std::vector<double>> parts(static_cast<std::size_t>(ranks));
  const std::vector<int> devices(static_cast<std::size_t>(ranks), 0);
  distributed::on_devices(devices, [&](distributed::Communicator& communicator) {
    Share own = share_of(x, q, communicator.rank(), ranks);
    const cuda::DeviceArray<double> positions = uploaded(own.x);
    Points p = points(static_cast<const double*>(positions.data()), std::ssize(own.q));
    p.space = MemorySpace::device;
    distributed::Plan plan(communicator, p, o);
    if (order == Order::owned) own.q = plan.to_owned(own.q);
    const cuda::DeviceArray<double> numbers = uploaded(own.q);
    cuda::DeviceArray<double> potential;
    potential.resize(std::ssize(own.q));
    Strengths s = strengths(static_cast<const double*>(numbers.data()), numbers.size());
    s.space = MemorySpace::device;
    Outputs outputs;
    outputs.potential = potential.data(), outputs.space = MemorySpace::device;
    plan.evaluate(s, outputs, order);
    std::vector<double> values = downloaded(potential);
    if (order == Order::owned) values = plan.to_given(values);
    parts[static_cast<std::size_t>(communicator.rank())] = values;
  });
  std::vector<double> all;
  for (const std::vector<double>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

class CudaArrays : public GpuTest {};

TEST_F(CudaArrays, HaveTheBitsOfHostMemory) {
  const std::vector<double> x = plummer(6'000), q = strengths_for(6'000, fresh_seed());
  for (const Method method : {Method::fmm, Method::direct})
    for (const Order order : {Order::given, Order::owned}) {
      Options o;
      o.method = method, o.backend = Backend::cuda, o.tolerance = 1e-6;
      const Sums<double> one = single_sums<double>(x, q, 1, o);
      for (const int ranks : {1, 3}) EXPECT_EQ(sums_in_device_memory(x, q, ranks, o, order), one.potential);
    }
}

/// Softened sums with dipoles and Hessians, at the points of the rank; all arrays but the lengths in device memory.
struct Moments {
  std::vector<double> x, q, p, lengths;
};
std::vector<double> moments_of_rank(distributed::Communicator& communicator, const Moments& all, const Options& o,
                                    MemorySpace space) {
  const auto r = static_cast<std::size_t>(communicator.rank()), ranks = static_cast<std::size_t>(communicator.size());
  const std::size_t n = all.q.size(), first = n * r / ranks, end = n * (r + 1) / ranks;
  const auto part = [&](const std::vector<double>& from, std::size_t width) {
    return std::vector<double>(from.begin() + static_cast<std::ptrdiff_t>(width * first),
                               from.begin() + static_cast<std::ptrdiff_t>(width * end));
  };
  const std::vector<double> x = part(all.x, 3), q = part(all.q, 1), dipoles = part(all.p, 3);
  const cuda::DeviceArray<double> x_there = uploaded(x), q_there = uploaded(q), p_there = uploaded(dipoles);
  const bool there = space == MemorySpace::device;
  const auto count = static_cast<std::int64_t>(end - first);
  Points own = points(there ? static_cast<const double*>(x_there.data()) : x.data(), count);
  own.softening = all.lengths.empty() ? nullptr : all.lengths.data() + first, own.space = space;
  distributed::Plan plan(communicator, own, o);
  Strengths s = with_dipoles(strengths(there ? static_cast<const double*>(q_there.data()) : q.data(), count),
                             there ? static_cast<const double*>(p_there.data()) : dipoles.data());
  s.space = space;
  std::vector<double> hessian(6 * q.size());
  cuda::DeviceArray<double> hessian_there;
  hessian_there.resize(std::ssize(hessian));
  Outputs outputs;
  outputs.hessian = there ? hessian_there.data() : hessian.data(), outputs.space = space;
  plan.evaluate(s, outputs);
  return there ? downloaded(hessian_there) : hessian;
}

TEST_F(CudaArrays, OfDipolesAndHessians) {
  const std::vector<double> x = plummer(3'000);
  std::vector<double> lengths = strengths_for(3'000, fresh_seed());
  for (double& one : lengths) one = 1e-3 * std::fabs(one);
  Moments all{x, strengths_for(3'000, fresh_seed() + 1), strengths_for(9'000, fresh_seed() + 2), lengths};
  for (const Method method : {Method::direct, Method::fmm}) {
    Options o;
    if (method == Method::fmm) all.lengths.clear(), o.softening = 1e-3;  // Hessians with lengths want all pairs
    o.method = method, o.backend = Backend::cuda, o.dipoles = o.hessian = true;
    distributed::on_devices(std::vector<int>{0, 0, 0}, [&](distributed::Communicator& communicator) {
      EXPECT_EQ(moments_of_rank(communicator, all, o, MemorySpace::device),
                moments_of_rank(communicator, all, o, MemorySpace::host));
    });
  }
}

TEST_F(CudaArrays, HaveTheBitsOfHostMemoryInACell) {
  std::vector<double> x = uniform(6'000);
  for (double& at : x) at *= 2;  // in several images
  const std::vector<double> q = strengths_for(6'000, fresh_seed());
  for (const Order order : {Order::given, Order::owned}) {
    Options o;
    o.method = Method::fmm, o.tolerance = 1e-5;  // device memory decides on the backend
    o.periodic = Axes::xyz, o.cell_x = 1, o.cell_y = 1.2, o.cell_bx = 0.1, o.cell_z = 0.9;
    Options on_device = o;
    on_device.backend = Backend::cuda;
    const Sums<double> one = single_sums<double>(x, q, 1, on_device);
    for (const int ranks : {1, 3}) EXPECT_EQ(sums_in_device_memory(x, q, ranks, o, order), one.potential);
  }
}

TEST_F(CudaArrays, ADeviceThatIsNotThereIsOneSentence) {
  try {
    distributed::on_devices(std::vector<int>{0, 99}, [](distributed::Communicator&) { FAIL(); });
    FAIL() << "device 99 was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::device);
    EXPECT_NE(std::string(error.what()).find("there is no device 99"), std::string::npos) << error.what();
  }
}

TEST_F(CudaArrays, WhatARankThrowsIsThrown) {
  const auto body = [](distributed::Communicator& communicator) {
    if (communicator.rank() == 1) throw std::runtime_error("by rank 1");
    char own = 0, all[2];
    communicator.all_gather(&own, 1, all);
  };
  try {
    distributed::on_devices(std::vector<int>{0, 0}, body);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "by rank 1");
  }
}

}  // namespace
}  // namespace farfield::testing
