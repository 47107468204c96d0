// ConditionProbe on vortices with Gaussian cores: what far pairs lack of them, and the sums of the terms, against sums
// in long double.
#include <cmath>
#include <random>

#include "backends/cuda/judge/condition.hpp"
#include "judge/check.hpp"
#include "kernels/traits.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

class CudaCondition : public GpuTest {};

struct Field {
  std::vector<double> x, y, q;
};

Field make_field(std::int64_t count) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(0, 1);
  Field f;
  for (std::int64_t i = 0; i < count; ++i)
    f.x.push_back(number(random)), f.y.push_back(number(random)), f.q.push_back(number(random) - 0.25);
  return f;
}

/// At target t: what pairs beyond `to` lack of their cores, and the magnitudes of all pairs.
TermSums sums_at(const Field& f, std::size_t t, long double radius, long double to) {
  long double lacking[2] = {0, 0}, terms = 0;
  for (std::size_t j = 0; j < f.q.size(); ++j) {
    const long double dx = f.x[t] - f.x[j], dy = f.y[t] - f.y[j], r2 = dx * dx + dy * dy;
    if (r2 == 0) continue;
    const long double of_core = std::exp(-r2 / (radius * radius));
    terms += std::fabs(f.q[j]) * (1 - of_core) / std::sqrt(r2);
    if (r2 <= to * to) continue;
    lacking[0] += f.q[j] * of_core * dx / r2, lacking[1] += f.q[j] * of_core * dy / r2;
  }
  TermSums s;
  s.absolute[1] = static_cast<double>(terms);
  s.lacking[1] = static_cast<double>(lacking[0] * lacking[0] + lacking[1] * lacking[1]);
  return s;
}

template <class Real>
void expect_sums(double radius, double to) {
  const Field f = make_field(20'011);
  const auto count = static_cast<std::int64_t>(f.q.size());
  cuda::DeviceMemory memory;
  cuda::DeviceArray<double> axis[3];
  cuda::DeviceArray<Real> strength;
  const std::vector<double> zeros(f.q.size(), 0);
  const std::vector<double>* const from[] = {&f.x, &f.y, &zeros};
  cuda::NearWork<Real> work;
  for (int a = 0; a < 3; ++a) {
    cuda::upload(axis[a], from[a]->data(), count, nullptr);
    work.source[a] = work.target[a] = axis[a].data();
  }
  const std::vector<Real> q(f.q.begin(), f.q.end());
  cuda::upload(strength, q.data(), count, nullptr);
  work.strength = strength.data();
  work.sources = work.targets = count;
  Options o;
  o.kernel = Kernel::vortex, o.core = Core::gauss, o.core_radius = radius;
  work.parameters = traits(o.kernel).parameters(o);
  cuda::ConditionProbe probe(memory);
  cuda::SideStream side;
  probe.launch(work, o.kernel, to, side);
  side.wait();
  const std::vector<TermSums> found = probe.result();
  const std::vector<std::int64_t> at = condition_targets(count);
  ASSERT_EQ(found.size(), at.size());
  for (std::size_t k = 0; k < at.size(); ++k) {
    const TermSums exact = sums_at(f, static_cast<std::size_t>(at[k]), radius, to);
    // an estimate: two digits are enough; single adds 20,011 terms
    EXPECT_NEAR(found[k].absolute[1], exact.absolute[1], 1e-4 * exact.absolute[1]) << k;
    if (std::isfinite(to)) {
      EXPECT_GT(exact.lacking[1], 0);
      EXPECT_NEAR(std::sqrt(found[k].lacking[1]), std::sqrt(exact.lacking[1]), 1e-3 * std::sqrt(exact.lacking[1])) << k;
    }
  }
}

TEST_F(CudaCondition, MeasuresWhatFarPairsLackOfTheirCores) {
  for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
    expect_sums<float>(0.01, 0.01 * std::sqrt(-std::log(tolerance)));
    expect_sums<double>(0.01, 0.01 * std::sqrt(-std::log(tolerance)));
  }
}

TEST_F(CudaCondition, SumsTermsWithCoresOfAnyRadius) {
  for (const double radius : {1e-12, 1e-3, 0.5}) {
    expect_sums<float>(radius, INFINITY);
    expect_sums<double>(radius, INFINITY);
  }
}

}  // namespace
}  // namespace farfield::testing
