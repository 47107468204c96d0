// Pair sums with dipoles and Hessians (p2p and the direct sum of the stage table) against sums in long double.
#include <gtest/gtest.h>

#include <farfield/error.hpp>

#include "backends/cpu/boxes/tree.hpp"
#include "backends/cpu/stages.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "kernels/laplace3d.hpp"
#include "kernels/moments.hpp"
#include "support/clouds.hpp"
#include "support/moments.hpp"

namespace farfield::testing {
namespace {

constexpr int moments_of[] = {1, with_dipole}, parts_of[] = {1, with_gradient, with_hessian};

struct Scene {
  std::vector<double> sources, targets;  ///< empty targets: the sources
  std::vector<double> charges, dipoles;
};

Scene scene_of(Cloud cloud, std::uint64_t seed) {
  Scene scene{cloud.sources, cloud.targets, cloud.strengths, {}};
  Stream random(seed);
  for (std::size_t i = 0; i < scene.sources.size(); ++i) scene.dipoles.push_back(random.between(-0.02, 0.02));
  return scene;
}

/// A stage's arrays: sorted and scaled points with or without a tree, and what belongs to the points.
template <class Real>
class Bench {
 public:
  Bench(const Scene& scene, int parts, int moments, bool tree) {
    const Points sources = points(scene.sources), targets = points(scene.targets);
    const Points* apart = scene.targets.empty() ? nullptr : &targets;
    const Geometry geometry = cpu::survey(sources, apart, 1);
    if (tree)
      cpu::build(placed_, sources, apart, geometry, {{}, 20, -1, {}, {}, 1});
    else
      cpu::read_points(placed_, sources, apart, geometry, 1);
    if (tree) work.tree = placed_.tree.view(), work.lists = placed_.lists.view();
    const auto count = static_cast<std::size_t>(placed_.sources.count), padded = count + 64;
    strength_.resize(padded);
    for (std::vector<Real>& axis : dipole_) axis.resize(padded);
    for (std::size_t s = 0; s < count; ++s) {
      const std::size_t from = tree ? placed_.sources.order[s] : s;
      strength_[s] = static_cast<Real>(scene.charges[from]);
      for (std::size_t a = 0; a < 3; ++a) dipole_[a][s] = static_cast<Real>(scene.dipoles[3 * from + a]);
    }
    for (std::size_t a = 0; a < 3; ++a) {
      work.source[a] = placed_.sources.axis[a].data(), work.target[a] = placed_.target_points().axis[a].data();
      if (moments == with_dipole) work.dipole[a] = dipole_[a].data();
    }
    work.strength = strength_.data();
    order_.resize(std::max(padded, static_cast<std::size_t>(this->targets()) + 64));
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<std::uint32_t>(i);
    work.source_order = work.target_order = order_.data();
    work.self_from = apart ? 1 << 30 : 0;
    for (std::size_t part = 0; part < static_cast<std::size_t>(parts); ++part) {
      result_[part].assign(static_cast<std::size_t>(this->targets()) + 64, Real(0));
      work.result.part[part] = result_[part].data();
    }
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  std::int64_t sources() const { return placed_.sources.count; }
  std::int64_t targets() { return placed_.target_points().count; }
  double result(int part, std::int64_t t) const {
    return static_cast<double>(result_[static_cast<std::size_t>(part)][static_cast<std::size_t>(t)]);
  }
  void where(std::int64_t t, double x[3]) const {
    for (int a = 0; a < 3; ++a) x[a] = work.target[a][t];
  }
  /// Sources [begin, end) as the stage has them.
  void append(MomentSources& to, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t s = begin; s < end; ++s) {
      to.charges.push_back(static_cast<double>(work.strength[s]));
      for (int a = 0; a < 3; ++a) {
        to.positions.push_back(work.source[a][s]);
        to.dipoles.push_back(work.dipole[0] ? static_cast<double>(work.dipole[a][s]) : 0);
      }
    }
  }
  cpu::Work<Real> work;

 private:
  cpu::CpuTree placed_;
  std::vector<Real> strength_, dipole_[3], result_[most_parts];
  std::vector<std::uint32_t> order_;
};

/// Squares of errors and of exact results by order, over targets.
struct Missed {
  long double error[orders] = {}, size[orders] = {};
  template <class Real>
  void take(const Bench<Real>& bench, int parts, std::int64_t t, const MomentSum& exact) {
    for (int part = 0; part < parts; ++part) {
      const long double d = bench.result(part, t) - exact.part[part];
      error[order_of(part)] += d * d, size[order_of(part)] += exact.part[part] * exact.part[part];
    }
  }
  double relative(int order) const {
    return static_cast<double>(error[order] == 0 ? 0 : std::sqrt(error[order] / size[order]));
  }
};

template <class Real>
double allowed() {
  return sizeof(Real) == 4 ? 4e-6 : 1e-14;
}

/// Every instruction set of this build and machine.
template <class Real, class F>
void at_every_level(F&& f) {
  for (const Simd level : {Simd::baseline, Simd::avx2, Simd::avx512}) try {
      f(cpu::stages<Real>(Kernel::laplace3d, cpu::resolve_simd(level)));
    } catch (const Error&) {
    }
}

template <class Real>
class NearMoments : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NearMoments, Reals);

template <class Real, class F>
void for_each_combination(F&& f) {
  at_every_level<Real>([&](const cpu::Stages<Real>& stages) {
    for (const int moments : moments_of)
      for (const int parts : parts_of) {
        SCOPED_TRACE(std::string(word_of(stages.simd)) + " " + std::to_string(moments) + " " + std::to_string(parts));
        f(stages, moments, parts);
      }
  });
}

TYPED_TEST(NearMoments, NearListsAreSummed) {
  const Scene scenes[] = {scene_of(make_cloud(Kind::uniform, 3000, Signs::mixed), 1),
                          scene_of(make_cloud(Kind::plummer, 2000, Signs::positive), 2),
                          scene_of(make_cloud(Kind::apart, 1500, Signs::mixed), 3)};
  for (const Scene& scene : scenes)
    for_each_combination<TypeParam>([&](const auto& stages, int moments, int parts) {
      Bench<TypeParam> bench(scene, parts, moments, true);
      stages.p2p(bench.work);
      Missed missed;
      const TreeView& tree = bench.work.tree;
      for (BoxId box = 0; box < tree.boxes; ++box) {
        if (!tree.is_leaf(box)) continue;
        MomentSources sources;
        for (std::int64_t i = bench.work.lists.near.begin[box]; i < bench.work.lists.near.begin[box + 1]; ++i) {
          const BoxId from = bench.work.lists.near.items[i];
          bench.append(sources, tree.source_begin[from], tree.source_end[from]);
        }
        for (std::int64_t t = tree.target_begin[box]; t < tree.target_end[box]; t += 7) {
          double x[3];
          bench.where(t, x);
          missed.take(bench, parts, t, moments_at(sources, x));
        }
      }
      for (int order = 0; order < orders; ++order) EXPECT_LE(missed.relative(order), allowed<TypeParam>()) << order;
    });
}

/// Of the direct sum.
template <class Real>
Missed missed_directly(const cpu::Stages<Real>& stages, Bench<Real>& bench, int parts) {
  stages.direct(bench.work, bench.sources(), bench.targets());
  Missed missed;
  MomentSources sources;
  bench.append(sources, 0, bench.sources());
  for (std::int64_t t = 0; t < bench.targets(); ++t) {
    double x[3];
    bench.where(t, x);
    missed.take(bench, parts, t, moments_at(sources, x));
  }
  return missed;
}

TYPED_TEST(NearMoments, DirectSumsOfAnyCount) {
  for (const std::int64_t n : {1, 2, 5, 9, 17, 31, 300, 5000}) {
    Scene scene = scene_of(make_cloud(Kind::apart, n, Signs::mixed), 4);
    scene.targets.resize(std::min<std::size_t>(scene.targets.size(), 3 * 40));
    for (std::size_t keep : {scene.targets.size(), std::size_t{3}}) {
      scene.targets.resize(keep);
      for_each_combination<TypeParam>([&](const auto& stages, int moments, int parts) {
        Bench<TypeParam> bench(scene, parts, moments, false);
        const Missed missed = missed_directly(stages, bench, parts);
        for (int order = 0; order < orders; ++order)
          EXPECT_LE(missed.relative(order), allowed<TypeParam>()) << n << " " << order;
      });
    }
  }
}

/// Targets at a distance of about `apart` from sources, and on them.
Scene close_scene(double apart, std::uint64_t seed) {
  Stream random(seed);
  Scene scene;
  for (int i = 0; i < 60; ++i) {
    const Place y = in_cube(random, -1, 1), d = on_sphere(random);
    const double r = i % 5 ? apart * random.between(0.5, 2) : 0;
    for (std::size_t a = 0; a < 3; ++a) {
      scene.sources.push_back(i == 1 ? 0 : y[a]);
      scene.targets.push_back(scene.sources.back() + r * d[a]);
      scene.dipoles.push_back(random.between(-0.5, 0.5));
    }
    scene.charges.push_back(random.between(-1, 1));
  }
  return scene;
}

TYPED_TEST(NearMoments, ClosePairs) {
  for (const double apart : {0.06, 1e-2, 1e-4, 1e-5, 1e-6, 3e-7, 1e-8, 1e-9, 1e-12})
    for_each_combination<TypeParam>([&](const auto& stages, int moments, int parts) {
      if (sizeof(TypeParam) == 4 && apart < 1e-8) return;  // 1/r^4 is no number
      const Scene scene = close_scene(apart, 5);
      Bench<TypeParam> bench(scene, parts, moments, false);
      const Missed missed = missed_directly(stages, bench, parts);
      for (int order = 0; order < orders; ++order)
        EXPECT_LE(missed.relative(order), allowed<TypeParam>()) << apart << " " << order;
    });
}

TYPED_TEST(NearMoments, TheNearestAreRightOrInfinite) {
  for (const double apart : {1e-11, 1e-30, 1e-49, 1e-52, 1e-70, 1e-90, 1e-150, 1e-307})
    for_each_combination<TypeParam>([&](const auto& stages, int moments, int parts) {
      Scene scene{{0, 0, 0, 1, 1, 1}, {apart, -apart, apart / 2, 1, 0, 1}, {1, 0.5}, {0.5, 0.25, -0.25, 0, 0, 0.125}};
      Bench<TypeParam> bench(scene, parts, moments, false);
      stages.direct(bench.work, 2, 2);
      MomentSources sources;
      bench.append(sources, 0, 2);
      double x[3];
      bench.where(0, x);
      const MomentSum exact = moments_at(sources, x);
      for (int part = 0; part < parts; ++part) {
        const long double most = static_cast<long double>(std::numeric_limits<TypeParam>::max());
        const long double expected = exact.part[part], found = bench.result(part, 0);
        if (std::fabs(expected) > most)
          EXPECT_TRUE(!std::isfinite(found)) << part << " " << apart;
        else
          EXPECT_NEAR(static_cast<double>(found / expected), 1, allowed<TypeParam>()) << part << " " << apart;
      }
    });
}

TYPED_TEST(NearMoments, DensitiesHaveTheBitsThatTheyHaveAlone) {
  const std::size_t n = 2500, pitch = n + 64;
  const Scene scene = scene_of(make_cloud(Kind::plummer, n, Signs::mixed), 8);
  Stream random(9);
  std::vector<TypeParam> strengths(3 * pitch);
  for (TypeParam& q : strengths) q = static_cast<TypeParam>(random.between(-1, 1));
  for_each_combination<TypeParam>([&](const auto& stages, int moments, int parts) {
    for (const int terms : {0, 2, 8}) {
      Bench<TypeParam> bench(scene, parts, moments, true);
      std::vector<TypeParam> results[2][with_hessian], dipoles(3 * pitch, TypeParam(0.25));
      const auto bind = [&](int form, std::size_t v, int densities) {
        bench.work.strength = strengths.data() + v * pitch, bench.work.densities = densities;
        for (std::size_t a = 0; a < 3 && moments == with_dipole; ++a) bench.work.dipole[a] = dipoles.data() + v * pitch;
        bench.work.strength_pitch = pitch, bench.work.result_pitch = n, bench.work.pair_terms = terms;
        for (std::size_t part = 0; part < static_cast<std::size_t>(parts); ++part) {
          results[form][part].resize(3 * n + 1);  // the last one is nobody's
          bench.work.result.part[part] = results[form][part].data() + v * n;
        }
        stages.p2p(bench.work);
      };
      bind(0, 0, 3);
      for (std::size_t v = 0; v < 3; ++v) bind(1, v, 1);
      for (std::size_t part = 0; part < static_cast<std::size_t>(parts); ++part)
        EXPECT_TRUE(results[0][part] == results[1][part]) << part << " " << terms;
    }
  });
}

template <class Real>
MomentSum carefully(const Bench<Real>& bench, const MomentSources& sources, std::int64_t t, bool with_self) {
  MomentSum sum;
  double x[3];
  bench.where(t, x);
  const Softening& softening = bench.work.softening;
  for (std::size_t j = 0; j < sources.count(); ++j) {
    if (!with_self && static_cast<std::int64_t>(j) == t) continue;
    const auto s = static_cast<std::int64_t>(j);
    double d[3], p[3], out[with_hessian] = {};
    for (std::size_t a = 0; a < 3; ++a) d[a] = x[a] - sources.positions[3 * j + a], p[a] = sources.dipoles[3 * j + a];
    const auto add = [&](auto kind) {
      double length = softening.length;
      if constexpr (has_lengths(kind()))
        length = pair_length<kind()>(bench.work.target_length[t], bench.work.source_length[s]);
      nearest_moments_pair<Laplace3d, with_hessian, with_dipole, kind()>(length, d, sources.charges[j], p, out);
    };
    if (bench.work.source_length)
      with_lengths<Laplace3d>(softening.kind, add);
    else
      with_softening<Laplace3d>(softening, add);
    for (int part = 0; part < with_hessian; ++part) sum.part[part] += out[part];
  }
  return sum;
}

/// Of one length for all, and of lengths of their own, some of them 0.
TYPED_TEST(NearMoments, SoftenedDirectSums) {
  Scene scene = scene_of(make_cloud(Kind::uniform, 150, Signs::mixed), 6);
  for (std::size_t i = 0; i < 30; ++i) scene.sources[i] = scene.sources[i + 30];  // ten coincident pairs
  std::vector<double> lengths(150 + 64);
  for (const double length : {1e-9, 1e-3, 0.1, 1.0})
    for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline})
      for (const bool own : {false, true})
        for_each_combination<TypeParam>([&](const auto& stages, int moments, int parts) {
          if (sizeof(TypeParam) == 4 && length < 1e-6) return;  // coincident dipoles' 1/length^3 is 1e27
          if (parts < with_hessian && moments == 1) return;
          Bench<TypeParam> bench(scene, parts, moments, false);
          bench.work.softening = {length, 0, kind};
          for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = length * static_cast<double>(i % 4);
          if (own) bench.work.source_length = bench.work.target_length = lengths.data();
          stages.direct(bench.work, bench.sources(), bench.targets());
          Missed missed;
          MomentSources sources;
          bench.append(sources, 0, bench.sources());
          for (std::int64_t t = 0; t < bench.targets(); ++t)
            missed.take(bench, parts, t, carefully(bench, sources, t, false));
          for (int order = 0; order < orders; ++order)
            EXPECT_LE(missed.relative(order), 2 * allowed<TypeParam>())
                << length << " " << word_of(kind) << " " << own << " " << order;
        });
}

/// The formula of a pair that is softened, q K + p . grad_y K and its derivatives, by differences of charges' results.
template <Softened softened>
void expect_derivatives(double length) {
  Stream random(7);
  for (int i = 0; i < 400; ++i) {
    const Place d = on_sphere(random);
    const double r = length * random.between(0, 3.5), h = 1e-5 * length;
    double at[3], p[3], none[3] = {};
    for (int a = 0; a < 3; ++a) at[a] = r * d[static_cast<std::size_t>(a)], p[a] = random.between(-1, 1);
    const auto sum = [&](const double(&shift)[3], double q, const double(&dipole)[3], double* out) {
      const double where[3] = {at[0] + shift[0], at[1] + shift[1], at[2] + shift[2]};
      nearest_moments_pair<Laplace3d, with_hessian, with_dipole, softened>(length, where, q, dipole, out);
    };
    double dipole[10] = {}, charge[10] = {}, by_difference[10] = {};
    sum({0, 0, 0}, 0, p, dipole);
    sum({0, 0, 0}, 1, none, charge);
    for (const int side : {1, -1}) {  // the source moves by h p: the difference by -h p
      double out[10] = {};
      sum({-side * h * p[0], -side * h * p[1], -side * h * p[2]}, 1, none, out);
      for (int part = 0; part < 10; ++part) by_difference[part] += side * out[part] / (2 * h);
    }
    for (int part = 0; part < 10; ++part)
      EXPECT_NEAR(dipole[part] * std::pow(length, 2 + order_of(part)),
                  by_difference[part] * std::pow(length, 2 + order_of(part)), 2e-4)
          << r / length << " " << part;
    for (int k = 0; k < 6; ++k) {
      const int a = hessian_axis(k, 0), b = hessian_axis(k, 1);
      double change = 0, slope = 0;
      for (const int side : {1, -1}) {
        double shift[3] = {}, out[10] = {};
        shift[b] = side * h;
        sum(shift, 1, none, out);
        change += side * out[1 + a] / (2 * h), slope += side * out[0] / (2 * h);
      }
      EXPECT_NEAR(charge[4 + k] * std::pow(length, 3), change * std::pow(length, 3), 1e-6) << r / length;
      EXPECT_NEAR(charge[1 + b] * std::pow(length, 2), slope * std::pow(length, 2), 1e-8) << r / length;
    }
    double gradient[4] = {};
    nearest_softened_pair<Laplace3d, 4, softened>(length, at[0], at[1], at[2], 1, gradient);
    for (int part = 0; part < 4; ++part)
      EXPECT_NEAR(charge[part], gradient[part], 1e-14 * std::fabs(gradient[0])) << r / length << " " << part;
  }
}

TEST(SoftenedMoments, AreDerivatives) {
  expect_derivatives<Softened::plummer>(0.5);
  expect_derivatives<Softened::spline>(2);
}

TEST(SoftenedMoments, PointsThatCoincide) {
  const double none[3] = {}, p[3] = {1, 2, 3}, eps = 0.25;
  double out[10] = {};
  nearest_moments_pair<Laplace3d, with_hessian, with_dipole, Softened::plummer>(eps, none, 2, p, out);
  EXPECT_EQ(out[0], 2 / eps);
  for (int a = 0; a < 3; ++a) EXPECT_EQ(out[1 + a], p[a] / (eps * eps * eps));
  for (int k = 0; k < 6; ++k) EXPECT_EQ(out[4 + k], k < 3 ? -2 / (eps * eps * eps) : 0);
}

}  // namespace
}  // namespace farfield::testing
