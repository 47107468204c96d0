// The oracle of the trial: its operators against 1/r, then every variant against eq. 15 as a plain loop in double.
#include <cmath>
#include <cstdio>
#include <random>

#include "support/gpu.hpp"
#include "trial.hpp"

namespace farfield::testing {
namespace {

using namespace farfield::lab;

/// Rounding errors of a sum of n terms grow as sqrt(n) of the terms' sizes, in any order; 4 for luck and for the
/// products' own roundings.
double rounding(int degree) { return 4 * std::sqrt(189.0 * (degree + 1) * (degree + 1)) * std::pow(2.0, -24); }

double chain_error(int degree) {
  const double from[3] = {0.3, -0.4, 0.2}, to[3] = {-0.2, 0.1, 0.45}, offset[3] = {3, -1, 2};
  Moments multipole = regular(degree, from[0], from[1], from[2]), local(multipole.size());
  for (auto& x : multipole) x = std::conj(x);
  transform(degree, multipole, irregular(2 * degree, offset[0], offset[1], offset[2]), local);
  const Moments at = regular(degree, to[0], to[1], to[2]);
  double potential = 0, square = 0;
  for (int l = 0; l <= degree; ++l)
    for (int m = -l; m <= l; ++m) potential += (element(local, l, m) * std::conj(element(at, l, m))).real();
  for (int a = 0; a < 3; ++a) square += std::pow(offset[a] + from[a] - to[a], 2);
  return std::abs(potential * std::sqrt(square) - 1);
}

TEST(KohnkeMoments, OneChargeChainConverges) {
  // (distance of the charge + of the target) / distance of the centres = (0.539 + 0.502) / 3.742 per degree
  for (const int degree : {4, 8, 12, 20})
    EXPECT_LT(chain_error(degree), 4 * std::pow(1.041 / 3.742, degree + 1)) << degree;
}

TEST(KohnkeGroups, AreThoseOfTheEquation) {
  EXPECT_EQ(references().size(), std::size_t(reference_count));
  for (int octant = 0; octant < 8; ++octant) {
    EXPECT_EQ(symmetry_groups(octant, 1).size(), 7u);
    EXPECT_EQ(symmetry_groups(octant, 2).size(), 21u);
    EXPECT_EQ(symmetry_groups(octant, 4).size(), 21u);
    EXPECT_EQ(symmetry_groups(octant, 8).size(), 7u);
  }
}

class KohnkeVariants : public GpuTest {
 protected:
  static void compare(const Trial& trial, const std::vector<float2>& found, const char* name,
                      int kind = Trial::all_kinds) {
    const int terms = triangle(trial.level().degree), boxes = trial.level().boxes;
    for (const int box : {0, 1, boxes / 2 - 3, boxes - 1}) {
      std::vector<double> size;
      const Moments exact = trial.exact(box, size, kind);
      ASSERT_GT(size[0], 0) << name;
      for (std::size_t i = 0; i < exact.size(); ++i) {
        const float2 x = found[static_cast<std::size_t>(box) * terms + i];
        ASSERT_LE(std::abs(exact[i] - std::complex<double>(x.x, x.y)), size[i] * rounding(trial.level().degree))
            << name << ", degree " << trial.level().degree << ", box " << box << ", moment " << i;
      }
    }
  }
};

TEST_F(KohnkeVariants, AgreeWithThePlainLoop) {
  for (const int depth : {2, 3})
    for (const int degree : {0, 1, 2, 3, 6, 9, 20}) {
      Trial trial(depth, degree, 7);
      void (Trial::*const runs[])() = {&Trial::naive, &Trial::dynamic, &Trial::children, &Trial::persistent};
      const char* const names[] = {"naive", "dynamic", "children", "persistent"};
      for (int i = 0; i < 4; ++i) {
        trial.clear();
        (trial.*runs[i])();
        compare(trial, trial.locals(), names[i]);
      }
      trial.clear();
      trial.symmetric();
      compare(trial, trial.symmetric_locals(), "symmetric");
      trial.clear();
      trial.apart();
      compare(trial, trial.symmetric_locals(), "apart");
    }
}

TEST_F(KohnkeVariants, OfOneKindOfGroupAgreeWithThePlainLoop) {
  const std::uint64_t seed = std::random_device{}();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  void (Trial::*const together[])() = {&Trial::group<1>, &Trial::group<2>, &Trial::group<3>};
  void (Trial::*const apart[])() = {&Trial::group_apart<1>, &Trial::group_apart<2>, &Trial::group_apart<3>};
  for (const int depth : {2, 3})
    for (const int degree : {0, 1, 2, 5, 9}) {
      Trial trial(depth, degree, seed);
      for (int kind = 1; kind <= 3; ++kind) {
        trial.clear();
        (trial.*together[kind - 1])();
        compare(trial, trial.symmetric_locals(), "a kind of groups together", kind);
        trial.clear();
        (trial.*apart[kind - 1])();
        compare(trial, trial.symmetric_locals(), "a kind of groups apart", kind);
      }
    }
}

TEST_F(KohnkeVariants, LaunchesAloneAddNothing) {
  Trial trial(2, 3, 1);
  trial.clear();
  trial.launches();
  for (const float2 x : trial.locals()) ASSERT_TRUE(x.x == 0 && x.y == 0);
}

TEST_F(KohnkeVariants, AgreeOnEveryBoxOfTheLargerDepth) {
  Trial trial(4, 5, 3);
  trial.clear();
  trial.persistent();
  const std::vector<float2> a = trial.locals();
  trial.symmetric();
  const std::vector<float2> b = trial.symmetric_locals();
  const int terms = triangle(5);
  std::vector<double> largest(static_cast<std::size_t>(terms));
  for (std::size_t i = 0; i < a.size(); ++i)
    largest[i % terms] = std::max(largest[i % terms], double(std::hypot(a[i].x, a[i].y)));
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_LE(std::hypot(a[i].x - b[i].x, a[i].y - b[i].y), largest[i % terms] * rounding(5)) << i;
}

TEST_F(KohnkeVariants, BoundsRun) {
  Trial trial(2, 3, 1);
  trial.memory_bound();
  trial.compute_bound();
  cuda::require(cudaDeviceSynchronize(), "the bounds");
}

}  // namespace
}  // namespace farfield::testing
