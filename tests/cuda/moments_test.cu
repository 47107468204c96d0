// Pair sums with dipoles, Hessians and several densities on the device (p2p, the direct sum, and the judge's sums at a
// few targets) against sums in long double.
#include <functional>
#include <numeric>

#include "backends/cpu/boxes/tree.hpp"
#include "backends/cpu/stages.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/judge/direct_sums.hpp"
#include "backends/cuda/near/p2p_work.hpp"
#include "backends/cuda/stages.hpp"
#include "kernels/laplace3d.hpp"
#include "kernels/moments.hpp"
#include "support/clouds.hpp"
#include "support/gpu.hpp"
#include "support/moments.hpp"

namespace farfield::testing {
namespace {

constexpr int most_densities = 7;

/// Charges and dipoles of all densities one behind the other, numbers of single.
struct Scene {
  std::vector<double> sources, targets;  ///< empty targets: the sources
  std::vector<double> charges, dipoles;
};

Scene scene_of(const Cloud& cloud, std::uint64_t seed, double moment = 0.02) {
  Scene scene{cloud.sources, cloud.targets, {}, {}};
  Stream random(seed);
  const auto draw = [&](double most) { return static_cast<double>(static_cast<float>(random.between(-most, most))); };
  for (std::size_t i = 0; i < most_densities * cloud.sources.size() / 3; ++i) scene.charges.push_back(draw(1));
  for (std::size_t i = 0; i < most_densities * cloud.sources.size(); ++i) scene.dipoles.push_back(draw(moment));
  return scene;
}

struct Ask {
  int parts, moments, densities = 1, first = 0;
};
constexpr Ask asks[] = {
    {1, with_dipole}, {with_gradient, with_dipole}, {with_hessian, with_dipole}, {with_hessian, 1}, {with_gradient, 1}};

/// How p2p goes about it.
struct Form {
  int family_mean = 0;
  bool wide = false;
};

/// Every second point of those with lengths of their own is not softened.
struct Softly {
  Softened as = Softened::no;
  double length = 0;
  double of(std::int64_t i) const { return has_lengths(as) && i % 2 ? 0 : length * static_cast<double>(1 + i % 3); }
};

/// One set of points, in trees or as they are, on the host and on the device.
class Points3d {
 public:
  /// Leaf size 0: no tree.
  explicit Points3d(const Scene& scene, std::int64_t leaf_size = 0) : scene_(scene), has_tree_(leaf_size > 0) {
    const Points sources = points(scene_.sources), targets = points(scene_.targets);
    const Points* apart = scene_.targets.empty() ? nullptr : &targets;
    const Geometry geometry = cpu::survey(sources, apart, 1);
    device_.use(memory_);
    if (has_tree_) {
      cpu::build(host_, sources, apart, geometry, {{}, leaf_size, -1, {}, {}, 1});
      cuda::build(device_, sources, apart, geometry, {{}, leaf_size, -1, {}, {}});
    } else {
      cpu::read_points(host_, sources, apart, geometry, 1);
      cuda::read_points(device_, sources, apart, geometry, true);
    }
    order_.resize(static_cast<std::size_t>(std::max(sources_(), targets_())));
    std::iota(order_.begin(), order_.end(), 0u);
  }
  std::int64_t targets_() const { return host_.target_points().count; }
  std::int64_t sources_() const { return host_.sources.count; }

  /// What the stage leaves in [density][part][target].
  template <class Real>
  std::vector<double> run(const Ask& ask, const Softly& softly = {}, const Form& form = {}) {
    Arrays<Real> arrays(*this, ask, softly);
    cuda::P2pWork near(memory_);
    if (has_tree_) {
      cuda::P2pLimits<Real> limits;
      limits.family_mean = form.family_mean, limits.narrow_mean = form.wide ? 0 : 1 << 20;
      near.build(device_.tree.view(), device_.lists.view(), sources_(), targets_(), nullptr, limits);
      arrays.work.near = near.view();
      cuda::p2p<Laplace3d>(arrays.work);
    } else {
      cuda::direct<Laplace3d>(arrays.work, sources_(), targets_());
    }
    return arrays.results(ask);
  }

  /// The judge's sums at these targets.
  template <class Real>
  std::vector<DirectSum> judged(const Ask& ask, const Softly& softly, const std::vector<std::int64_t>& at) {
    Arrays<Real> arrays(*this, ask, softly);
    return cuda::direct_sums(arrays.work, ask.parts, at, Kernel::laplace3d, memory_);
  }

  /// Those of the CPU.
  std::vector<DirectSum> judged_by(const cpu::Stages<double>& stages, const Ask& ask, const Softly& softly,
                                   const std::vector<std::int64_t>& at) const {
    std::vector<double> carried[with_dipole], own;
    for (int c = 0; c < with_dipole; ++c)
      for (std::int64_t s = 0; s < sources_(); ++s) carried[c].push_back(moment(s, 0, c));
    for (std::int64_t i = 0; i < std::ssize(order_); ++i) own.push_back(softly.of(i));
    DirectInput in{};
    for (int a = 0; a < 3; ++a) {
      in.source[a] = host_.sources.axis[a].data(), in.target[a] = host_.target_points().axis[a].data();
      if (ask.moments == with_dipole) in.dipole[a] = carried[1 + a].data();
    }
    in.strength = carried[0].data(), in.sources = sources_(), in.source_order = in.target_order = order_.data();
    in.softening = {softly.length, 0, is_spline(softly.as) ? SofteningKind::spline : SofteningKind::plummer};
    if (has_lengths(softly.as)) in.source_length = in.target_length = own.data();
    in.self_from = host_.alike ? 0 : 1 << 30, in.hessian = ask.parts == with_hessian;
    std::vector<DirectSum> sums(at.size());
    stages.direct_sums(in, at.data(), std::ssize(at), sums.data());
    return sums;
  }

  /// The exact sum at a target of those sources that the stage sums. Softened pairs are the kernel's, in double.
  MomentSum expected(std::int64_t t, int density, int moments, const Softly& softly = {}) const {
    MomentSum sum;
    for_each_source(t, [&](std::int64_t s) {
      long double d[3], p[3] = {}, r2 = 0;
      double exact[3], dipole[3] = {}, out[with_hessian] = {};
      for (int a = 0; a < 3; ++a) {
        d[a] = static_cast<long double>(host_.target_points().axis[a][t]) - host_.sources.axis[a][s];
        r2 += d[a] * d[a], exact[a] = static_cast<double>(d[a]);
        if (moments == with_dipole) p[a] = dipole[a] = moment(s, density, 1 + a);
      }
      if (softly.as == Softened::no) {
        if (r2 > 0) add_moments(sum, d, r2, moment(s, density, 0), p);
      } else if (!host_.alike || s != t) {
        add_softened(softly, t, s, exact, moment(s, density, 0), dipole, out);
        for (int part = 0; part < with_hessian; ++part) sum.part[part] += out[part];
      }
    });
    return sum;
  }

 private:
  static void add_softened(const Softly& softly, std::int64_t t, std::int64_t s, const double (&d)[3], double q,
                           const double (&p)[3], double* out) {
    const auto add = [&](auto as) {
      const double length = has_lengths(as()) ? pair_length<as()>(softly.of(t), softly.of(s)) : softly.length;
      nearest_moments_pair<Laplace3d, with_hessian, with_dipole, as()>(length, d, q, p, out);
    };
    if (softly.as == Softened::plummer) add(std::integral_constant<Softened, Softened::plummer>{});
    if (softly.as == Softened::spline) add(std::integral_constant<Softened, Softened::spline>{});
    if (softly.as == Softened::plummer_lengths) add(std::integral_constant<Softened, Softened::plummer_lengths>{});
    if (softly.as == Softened::spline_lengths) add(std::integral_constant<Softened, Softened::spline_lengths>{});
  }

  template <class F>
  void for_each_source(std::int64_t t, const F& f) const {
    const auto all = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t s = begin; s < end; ++s) f(s);
    };
    if (!has_tree_) return all(0, sources_());
    const TreeView tree = host_.tree.view();
    const ListView near = host_.lists.view().near;
    for (BoxId b = 0; b < tree.boxes; ++b)
      if (tree.is_leaf(b) && tree.target_begin[b] <= t && t < tree.target_end[b])
        for (std::int64_t k = near.begin[b]; k < near.begin[b + 1]; ++k)
          all(tree.source_begin[near.items[k]], tree.source_end[near.items[k]]);
  }

  /// A number that source s carries: component 0 its charge, 1 to 3 its dipole.
  double moment(std::int64_t s, int density, int component) const {
    const auto count = static_cast<std::size_t>(sources_()), v = static_cast<std::size_t>(density);
    const std::size_t i = v * count + (has_tree_ ? host_.sources.order[s] : static_cast<std::size_t>(s));
    return component == 0 ? scene_.charges[i] : scene_.dipoles[3 * i + static_cast<std::size_t>(component) - 1];
  }

  /// What a stage reads and writes.
  template <class Real>
  struct Arrays {
    Arrays(Points3d& of, const Ask& ask, const Softly& softly) : pitch(of.sources_() + 5), room(of.targets_() + 3) {
      for (int c = 0; c < ask.moments; ++c) {
        std::vector<Real> sorted(static_cast<std::size_t>(ask.densities * pitch));
        for (int v = 0; v < ask.densities; ++v)
          for (std::int64_t s = 0; s < of.sources_(); ++s)
            sorted[static_cast<std::size_t>(v * pitch + s)] = static_cast<Real>(of.moment(s, ask.first + v, c));
        cuda::upload(moment[c], sorted.data(), std::ssize(sorted), nullptr);
        (c == 0 ? work.strength : work.dipole[c - 1]) = moment[c].data();
      }
      const std::vector<Real> unset(static_cast<std::size_t>(ask.densities * room), Real(7));
      for (int part = 0; part < ask.parts; ++part) {
        cuda::upload(result[part], unset.data(), std::ssize(unset), nullptr);
        work.result.part[part] = result[part].data();
      }
      bind(of, ask);
      soften(of, softly);
    }
    void bind(Points3d& of, const Ask& ask) {
      work.densities = ask.densities, work.strength_pitch = pitch, work.result_pitch = room;
      work.sources = of.sources_(), work.targets = of.targets_(), work.alike = of.device_.alike;
      if (of.has_tree_) work.tree = of.device_.tree.view(), work.lists = of.device_.lists.view();
      for (int a = 0; a < 3; ++a) {
        work.source[a] = of.device_.sources.axis[a].data();
        work.target[a] = of.device_.target_points().axis[a].data();
      }
      if (!of.has_tree_ && sizeof(Real) == 4)
        work.source_curve = of.device_.source_curve.data(), work.target_curve = of.device_.target_order();
      cuda::upload(order, of.order_.data(), std::ssize(of.order_), nullptr);
      work.source_order = work.target_order = order.data();
      work.self_from = of.device_.alike ? 0 : 1 << 30;
    }
    void soften(const Points3d& of, const Softly& softly) {
      work.softening.kind = is_spline(softly.as) ? SofteningKind::spline : SofteningKind::plummer;
      work.softening.length = softly.length;
      if (!has_lengths(softly.as)) return;
      std::vector<double> own;
      for (std::int64_t i = 0; i < std::ssize(of.order_); ++i) own.push_back(softly.of(i));
      cuda::upload(length, own.data(), std::ssize(own), nullptr);
      work.source_length = work.target_length = length.data();
    }
    std::vector<double> results(const Ask& ask) {
      std::vector<double> all;
      std::vector<Real> found(static_cast<std::size_t>(ask.densities * room));
      for (int v = 0; v < ask.densities; ++v)
        for (int part = 0; part < ask.parts; ++part) {
          cuda::download(found.data(), result[part].data(), std::ssize(found), nullptr);
          cuda::require(cudaDeviceSynchronize(), "results");
          all.insert(all.end(), found.begin() + v * room, found.begin() + v * room + room - 3);
          for (std::int64_t k = room - 3; k < room; ++k)  // nobody's
            EXPECT_EQ(found[static_cast<std::size_t>(v * room + k)], Real(7));
        }
      return all;
    }
    std::int64_t pitch, room;
    cuda::DeviceArray<Real> moment[with_dipole], result[most_parts];
    cuda::DeviceArray<double> length;
    cuda::DeviceArray<std::uint32_t> order;
    cuda::NearWork<Real> work;
  };

  const Scene scene_;
  const bool has_tree_;
  cpu::CpuTree host_;
  cuda::DeviceMemory memory_;
  cuda::CudaTree device_;
  std::vector<std::uint32_t> order_;
};

template <class Real>
constexpr double allowed = sizeof(Real) == 4 ? 4e-6 : 1e-13;

/// Squares of errors and of exact results by order.
struct Missed {
  long double error[orders] = {}, size[orders] = {};
  void take(const std::vector<double>& found, int parts, std::int64_t t, std::int64_t targets, const MomentSum& exact) {
    for (int part = 0; part < parts; ++part) {
      const long double d = found[static_cast<std::size_t>(part * targets + t)] - exact.part[part];
      error[order_of(part)] += d * d, size[order_of(part)] += exact.part[part] * exact.part[part];
    }
  }
  double relative(int order) const {
    return error[order] == 0 ? 0 : static_cast<double>(std::sqrt(error[order] / size[order]));
  }
};

template <class Real>
void expect_sums(Points3d& field, const Softly& softly = {}, std::int64_t step = 1, const Form& form = {}) {
  for (const int moments : {1, with_dipole}) {
    std::vector<MomentSum> exact;
    for (std::int64_t t = 0; t < field.targets_(); t += step) exact.push_back(field.expected(t, 0, moments, softly));
    for (const Ask& ask : asks) {
      if (ask.moments != moments) continue;
      SCOPED_TRACE(std::to_string(sizeof(Real)) + " bytes, parts " + std::to_string(ask.parts) + ", moments " +
                   std::to_string(moments) + ", softened " + std::to_string(static_cast<int>(softly.as)));
      const std::vector<double> found = field.run<Real>(ask, softly, form);
      EXPECT_EQ(field.run<Real>(ask, softly, form), found);  // the same bits
      Missed missed;
      for (std::size_t k = 0; k < exact.size(); ++k)
        missed.take(found, ask.parts, static_cast<std::int64_t>(k) * step, field.targets_(), exact[k]);
      for (int order = 0; order < orders; ++order) EXPECT_LE(missed.relative(order), allowed<Real>) << order;
    }
  }
}

void expect_both(const Scene& scene, std::int64_t leaf_size = 0, const Softly& softly = {}, std::int64_t step = 1,
                 const Form& form = {}) {
  Points3d field(scene, leaf_size);
  expect_sums<float>(field, softly, step, form);
  expect_sums<double>(field, softly, step, form);
}

class CudaMoments : public GpuTest {};

TEST_F(CudaMoments, DirectSumsOfAnyCount) {
  for (const Kind kind : {Kind::uniform, Kind::apart})
    for (const std::int64_t n : {1, 2, 5, 33, 130, 600, 1'500})
      expect_both(scene_of(make_cloud(kind, n, Signs::mixed), 1), 0, {}, 1 + n / 200);
  expect_both(scene_of(make_cloud(Kind::plummer, 9'000, Signs::mixed), 2), 0, {}, 101);
}

TEST_F(CudaMoments, SoftenedDirectSums) {
  for (const Softened as : {Softened::plummer, Softened::spline, Softened::plummer_lengths, Softened::spline_lengths})
    for (const Kind kind : {Kind::uniform, Kind::apart})
      for (const double length : {1e-3, 0.05}) {
        Cloud cloud = make_cloud(kind, 400, Signs::mixed);
        for (std::size_t i = 0; i < 60; ++i) cloud.sources[i] = cloud.sources[60 + i];
        if (cloud.apart()) std::copy(cloud.sources.begin(), cloud.sources.begin() + 300, cloud.targets.begin());
        expect_both(scene_of(cloud, 3), 0, {as, length}, 3);
      }
}

TEST_F(CudaMoments, NearListsAreSummed) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere, Kind::apart, Kind::outside})
    for (const std::int64_t leaf_size : {3, 12, 50, 300})
      for (const bool wide : {false, true})
        expect_both(scene_of(make_cloud(kind, 2'500, Signs::mixed), 4), leaf_size, {}, 23, {0, wide});
}

/// Sources at small distances from targets, on them, and many in one place.
TEST_F(CudaMoments, CloseAndCoincidentPoints) {
  for (const double apart : {0.06, 1e-2, 1e-4, 1e-6, 1e-7})
    for (const std::int64_t leaf_size : {0, 30}) {
      Cloud cloud = make_cloud(Kind::apart, 300, Signs::mixed);
      Stream random(5);
      for (std::size_t i = 0; i < 900; ++i)
        cloud.sources[i] = i < 60 ? 0.25 : cloud.targets[i] + (i % 5 ? apart * random.between(-1, 1) : 0);
      for (std::size_t i = 0; i < 3; ++i) cloud.targets[i] = 0.25;
      expect_both(scene_of(cloud, 6, apart), leaf_size);
    }
}

/// In double, at distances whose powers leave the range of double.
TEST_F(CudaMoments, TheNearestAreRightOrInfinite) {
  for (const double apart : {1e-11, 1e-30, 1e-49, 1e-52, 1e-70, 1e-90, 1e-150})
    for (const Ask& ask : asks) {
      if (ask.parts == with_gradient && ask.moments == 1) continue;
      Scene scene{{0, 0, 0, 1, 1, 1}, {apart, -apart, apart / 2, 1, 0, 1}, {1, 0.5}, {0.5, 0.25, -0.25, 0, 0, 0.125}};
      Points3d field(scene);
      const std::vector<double> found = field.run<double>(ask);
      const MomentSum exact = field.expected(0, 0, ask.moments);
      for (int part = 0; part < ask.parts; ++part) {
        const double value = found[static_cast<std::size_t>(2 * part)];
        if (std::fabs(exact.part[part]) > 1.7e308L)
          EXPECT_FALSE(std::isfinite(value)) << part << " " << apart;
        else
          EXPECT_NEAR(static_cast<double>(value / exact.part[part]), 1, 1e-13) << part << " " << apart;
      }
    }
}

template <class Real>
void expect_own_bits(Points3d& field, const Softly& softly, const Form& form) {
  for (const Ask& ask : asks) {
    std::vector<double> alone;
    for (int v = 0; v < most_densities; ++v) {
      const std::vector<double> one = field.run<Real>({ask.parts, ask.moments, 1, v}, softly, form);
      alone.insert(alone.end(), one.begin(), one.end());
    }
    const std::size_t each = alone.size() / most_densities;
    for (const int first : {0, 2})
      for (const int densities : {2, 3, 5, 7}) {
        if (first + densities > most_densities) continue;
        const std::vector<double> found = field.run<Real>({ask.parts, ask.moments, densities, first}, softly, form);
        EXPECT_TRUE(std::equal(found.begin(), found.end(), alone.begin() + std::ptrdiff_t(std::size_t(first) * each)))
            << ask.parts << " " << ask.moments << " " << densities << " from " << first;
      }
  }
}

TEST_F(CudaMoments, DensitiesHaveTheBitsThatTheyHaveAlone) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::apart})
    for (const std::int64_t leaf_size : {0, 8, 40, 200})
      for (const Form& form : {Form{0, false}, Form{0, true}, Form{cuda::tuning::family_leaf, false}}) {
        Points3d field(scene_of(make_cloud(kind, 2'000, Signs::mixed), 7), leaf_size);
        expect_own_bits<float>(field, {}, form);
        expect_own_bits<double>(field, {}, form);
        if (leaf_size == 0) expect_own_bits<float>(field, {Softened::plummer, 0.01}, form);
      }
}

/// The sums of which measured errors and conditions are made: results as above, sizes of terms as on the CPU.
TEST_F(CudaMoments, TheJudgesSums) {
  const cpu::Stages<double>& stages = cpu::stages<double>(Kernel::laplace3d, Simd::automatic);
  for (const Kind kind : {Kind::uniform, Kind::apart})
    for (const Softly& softly : {Softly{}, Softly{Softened::plummer, 0.03}, Softly{Softened::spline, 0.1},
                                 Softly{Softened::plummer_lengths, 0.03}, Softly{Softened::spline_lengths, 0.1}}) {
      const Scene scene = scene_of(make_cloud(kind, 700, Signs::mixed), 8);
      Points3d field(scene);
      const std::vector<std::int64_t> at = {0, 3, 77, field.targets_() - 1};
      for (const Ask& ask : asks) {
        const std::vector<DirectSum> sums = field.judged<double>(ask, softly, at);
        const std::vector<DirectSum> host = field.judged_by(stages, ask, softly, at);
        for (std::size_t k = 0; k < at.size(); ++k) {
          const MomentSum exact = field.expected(at[k], 0, ask.moments, softly);
          for (int part = 0; part < ask.parts; ++part)
            EXPECT_NEAR(sums[k].part[part], static_cast<double>(exact.part[part]),
                        1e-12 * (1 + host[k].absolute[order_of(part)]));
          if (ask.parts < with_hessian && ask.moments == 1) continue;       // the condition's kernel has those
          for (int order = 0; order <= order_of(ask.parts - 1); ++order) {  // the CPU sums those that are asked for
            EXPECT_NEAR(sums[k].absolute[order] / host[k].absolute[order], 1, 1e-12);
            EXPECT_NEAR(sums[k].square[order] / host[k].square[order], 1, 1e-12);
          }
        }
      }
    }
}

/// More targets than the judge sums at a time.
TEST_F(CudaMoments, TheJudgesSumsAtManyTargets) {
  Points3d field(scene_of(make_cloud(Kind::apart, 1'500, Signs::mixed), 10));
  const Ask ask{with_hessian, with_dipole};
  std::vector<std::int64_t> at(1'500);
  std::iota(at.begin(), at.end(), 0);
  const std::vector<DirectSum> all = field.judged<double>(ask, {}, at), last = field.judged<double>(ask, {}, {1'499});
  const std::vector<double> found = field.run<double>(ask);
  for (std::size_t t = 0; t < at.size(); ++t)
    for (std::size_t part = 0; part < most_parts; ++part)
      EXPECT_NEAR(all[t].part[part], found[part * at.size() + t],
                  1e-13 * (1 + all[t].absolute[order_of(static_cast<int>(part))]));
  for (int part = 0; part < most_parts; ++part) EXPECT_EQ(all.back().part[part], last[0].part[part]);
}

/// For compute-sanitizer.
TEST_F(CudaMoments, EveryPathOnSmallSets) {
  for (const Kind kind : {Kind::uniform, Kind::apart}) {
    const Scene scene = scene_of(make_cloud(kind, 300, Signs::mixed), 9);
    for (const bool wide : {false, true}) expect_both(scene, 12, {}, 29, {0, wide});
    for (const Softened as : {Softened::no, Softened::plummer, Softened::spline_lengths})
      expect_both(scene, 0, {as, as == Softened::no ? 0 : 0.05}, 29);
    Points3d field(scene, 20), all(scene);
    for (const int densities : {3, 7})
      for (const int family_mean : {0, cuda::tuning::family_leaf}) {
        field.run<float>({with_gradient, 1, densities}, {}, {family_mean});
        field.run<double>({with_gradient, 1, densities}, {}, {family_mean});
      }
    all.run<float>({with_gradient, 1, 3});
    all.judged<double>({with_hessian, with_dipole}, {}, {0, 9});
  }
}

}  // namespace
}  // namespace farfield::testing
