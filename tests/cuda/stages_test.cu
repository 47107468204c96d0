// Each stage on the device against the same stage of the CPU: the same tree, the same input from the stage before.
#include <algorithm>
#include <functional>

#include "backends/cpu/boxes/tree.hpp"
#include "backends/cpu/far/tables.hpp"
#include "backends/cpu/stages.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/far/octants.hpp"
#include "backends/cuda/far/tables/tables.hpp"
#include "backends/cuda/levels/stages.hpp"
#include "backends/cuda/levels/tables.hpp"
#include "backends/cuda/m2l/rows.hpp"
#include "backends/cuda/near/p2p_work.hpp"
#include "expansions/laplace_basis.hpp"
#include "kernels/laplace3d.hpp"
#include "kernels/registry.hpp"
#include "support/clouds.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

struct Scheme {
  Kind kind;
  int degree;
  bool rotation, reduced, gradient;
  bool large_leaves = false;  ///< the shapes of kernels that large leaves have
  std::int64_t points = 4'001, leaf_size = 20;
  double kappa = 0;  ///< of a screened kernel, scaled
};

/// What stages read and write, on both sides.
template <class Real>
struct ArrayPair {
  const char* name;
  Array<Real>* host;
  cuda::DeviceArray<Real>* device;
};
template <class Real>
void clear(Array<Real>& array, std::int64_t size) {
  array.resize(size);
  std::fill(array.begin(), array.end(), Real(0));
}
constexpr const char* part_names[] = {"potentials", "gradients along x", "gradients along y", "gradients along z"};

template <class K, class Real>
class StagePair {
  static constexpr bool by_level = !ScaleInvariant<typename K::Basis>;
  static constexpr Kernel kernel = by_level ? Kernel::yukawa3d : Kernel::laplace3d;

 public:
  using DeviceWork = std::conditional_t<by_level, cuda::LevelWork<Real>, cuda::Work<Real>>;
  explicit StagePair(const Scheme& scheme) : cpu_stages_(cpu::stages<Real>(kernel, Simd::automatic)) {
    cloud_ = make_cloud(scheme.kind, scheme.points, Signs::mixed);
    const Points sources = points(cloud_.sources), targets = points(cloud_.targets);
    const Points* apart = cloud_.apart() ? &targets : nullptr;
    const Geometry geometry = cpu::survey(sources, apart, 1);
    const ListThresholds thresholds{2, 2};  // m2p and p2l wherever they can be
    cpu::build(host_, sources, apart, geometry, {{}, scheme.leaf_size, -1, thresholds, {}, 1});
    device_.use(memory_);
    cuda::build(device_, sources, apart, geometry, {{}, scheme.leaf_size, -1, thresholds, {}});
    const TreeView tree = host_.tree.view();
    const double root = scheme.kappa * tree.lattice.edge(0);
    host_tables_.build(kernel, scheme.degree, scheme.rotation, scheme.reduced, 1, true,
                       by_level ? cpu::TableScale{root, tree.levels} : cpu::TableScale{});
    device_tables_.build(kernel, scheme.degree, {scheme.rotation, scheme.reduced}, nullptr);
    if constexpr (by_level) {
      level_tables_.build({kernel, scheme.degree, {scheme.rotation, scheme.reduced}, root, tree.levels}, nullptr, 1);
      h_.level_tables = host_tables_.by_level(), d_.levels = level_tables_.view();
    }
    h_.parameters.screening = d_.parameters.screening = scheme.kappa;
    stride_ = host_tables_.view().stride;
    rows_.build(device_.tree.view(), nullptr);
    near_.build<Real>(device_.tree.view(), device_.lists.view(), device_.sources.count, device_.target_points().count,
                      nullptr);
    bind(scheme);
  }

  int levels() const { return host_.tree.levels; }
  const cpu::CpuTree& tree() const { return host_; }
  std::int64_t targets() const { return host_.target_points().count; }

  /// Relative L2 difference of what a stage writes.
  template <class HostStage, class DeviceStage>
  void compare(const char* name, HostStage&& host, DeviceStage&& device) {
    push();
    host(cpu_stages_, h_);
    device(d_);
    for (auto& [what, array, on_device] : arrays_) {
      std::vector<Real> found(static_cast<std::size_t>(array->size()));
      cuda::download(found.data(), on_device->data(), array->size(), nullptr);
      cuda::require(cudaDeviceSynchronize(), name);
      double difference = 0, size = 0;
      for (std::int64_t i = 0; i < array->size(); ++i) {
        const double a = (*array)[i], b = found[static_cast<std::size_t>(i)];
        difference += (a - b) * (a - b);
        size += a * a;
      }
      const double tolerance = (by_level ? 4 : 1) * (sizeof(Real) == 4 ? 2e-6 : 1e-13);
      EXPECT_LE(std::sqrt(difference), tolerance * std::sqrt(size)) << name << ", " << what;
    }
  }

 private:
  void bind(const Scheme& scheme) {
    const std::int64_t targets = host_.target_points().count, boxes = host_.tree.boxes;
    arrays_ = {{"multipoles", &h_multipole_, &multipole_}, {"locals", &h_local_, &local_}};
    clear(h_multipole_, boxes * stride_);
    clear(h_local_, boxes * stride_);
    clear(h_strength_, host_.sources.count + 16);
    for (std::int64_t i = 0; i < host_.sources.count; ++i)
      h_strength_[i] = static_cast<Real>(cloud_.strengths[host_.sources.order[i]]);
    cuda::upload(strength_, h_strength_.data(), host_.sources.count, nullptr);
    h_.tree = host_.tree.view(), d_.tree = device_.tree.view();
    h_.lists = host_.lists.view(), d_.lists = device_.lists.view();
    h_.tables = host_tables_.view(), d_.tables = device_tables_.view();
    for (int a = 0; a < 3; ++a) {
      h_.source[a] = host_.sources.axis[a].data(), d_.source[a] = device_.sources.axis[a].data();
      h_.target[a] = host_.target_points().axis[a].data(), d_.target[a] = device_.target_points().axis[a].data();
    }
    for (int part = 0; part < parts_with(scheme.gradient); ++part) {
      clear(h_result_[part], targets);
      arrays_.push_back({part_names[part], &h_result_[part], &result_[part]});
    }
    h_.strength = h_strength_.data(), d_.strength = strength_.data();
    h_.rotation = d_.rotation = scheme.rotation;
    h_.reduced = d_.reduced = scheme.reduced;
    d_.alike = device_.alike;
    const std::int64_t fold = scheme.large_leaves ? 100 : 1;
    d_.sources = fold * host_.sources.count, d_.targets = fold * targets;
    octants_.build(device_tables_.view(), nullptr);
    d_.octants = octants_.view();
    d_.classes = rows_.classes();
    d_.near = near_.view();
  }

  /// The host's arrays to the device, so that a stage does not inherit differences.
  void push() {
    for (auto& [what, array, on_device] : arrays_) cuda::upload(*on_device, array->data(), array->size(), nullptr);
    h_.multipole = h_multipole_.data(), d_.multipole = multipole_.data();
    h_.local = h_local_.data(), d_.local = local_.data();
    for (int part = 0; part < most_parts; ++part)
      h_.result.part[part] = h_result_[part].data(), d_.result.part[part] = result_[part].data();
  }

  Cloud cloud_;
  cpu::Stages<Real> cpu_stages_;
  cpu::CpuTree host_;
  cpu::Tables<Real> host_tables_;
  cpu::Work<Real> h_;
  Array<Real> h_strength_, h_multipole_, h_local_, h_result_[most_parts];
  cuda::DeviceMemory memory_;
  cuda::CudaTree device_;
  cuda::Tables<Real> device_tables_{memory_};
  cuda::LevelTables<Real> level_tables_{memory_};
  cuda::Octants octants_{memory_};
  cuda::Rows rows_{memory_};
  cuda::P2pWork near_{memory_};
  DeviceWork d_;
  cuda::DeviceArray<Real> strength_, multipole_, local_, result_[most_parts];
  std::vector<ArrayPair<Real>> arrays_;
  std::int64_t stride_ = 0;
};

class CudaStages : public GpuTest {};

template <class Real, class K = Laplace3d>
void compare_all(const Scheme& scheme) {
  SCOPED_TRACE(std::string(name(scheme.kind)) + ", degree " + std::to_string(scheme.degree) +
               (scheme.rotation ? ", rotation" : ", dense") + (scheme.reduced ? ", reduced" : ", full"));
  StagePair<K, Real> pair(scheme);
  ASSERT_GE(pair.levels(), 4);
  pair.compare(
      "p2p", [](auto& s, auto& w) { s.p2p(w); },
      [&](auto& w) {
        auto own = w;
        own.targets = pair.targets();  // not what the shapes of other kernels are to follow
        cuda::p2p<K>(own);
      });
  pair.compare(
      "p2m", [](auto& s, auto& w) { s.p2m(w); }, [](auto& w) { cuda::p2m<K>(w); });
  for (int level = pair.levels() - 2; level >= 2; --level)
    pair.compare(
        "m2m", [&](auto& s, auto& w) { s.m2m(w, level); }, [&](auto& w) { cuda::m2m(w, level); });
  pair.compare(
      "m2l", [](auto& s, auto& w) { s.m2l(w); }, [](auto& w) { cuda::m2l(w); });
  pair.compare(
      "p2l", [](auto& s, auto& w) { s.p2l(w); }, [](auto& w) { cuda::p2l<K>(w); });
  for (int level = 2; level < pair.levels(); ++level)
    pair.compare(
        "l2l", [&](auto& s, auto& w) { s.l2l(w, level); }, [&](auto& w) { cuda::l2l(w, level); });
  pair.compare(
      "l2p", [](auto& s, auto& w) { s.l2p(w); }, [](auto& w) { cuda::l2p<K>(w); });
  pair.compare(
      "m2p", [](auto& s, auto& w) { s.m2p(w); }, [](auto& w) { cuda::m2p<K>(w); });
  if (scheme.kind == Kind::plummer) EXPECT_GT(pair.tree().lists.m2p.entries(), 0);
}

TEST_F(CudaStages, EqualTheCpusInDouble) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere, Kind::apart})
    for (const bool rotation : {false, true})
      for (const bool reduced : {false, true}) compare_all<double>({kind, 6, rotation, reduced, true});
}

TEST_F(CudaStages, EqualTheCpusInSingle) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::outside})
    for (const bool rotation : {false, true})
      for (const bool reduced : {false, true}) compare_all<float>({kind, 5, rotation, reduced, kind != Kind::uniform});
}

/// Kappa times the extent from none to where the coarsest levels are left out.
TEST_F(CudaStages, EqualTheCpusWithScreening) {
  for (const double kappa : {0.0, 1.0, 20.0, 700.0, 3000.0})
    for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::apart})
      for (const bool reduced : {false, true}) {
        const bool rotation = kind != Kind::plummer;
        compare_all<double, Yukawa3d>({kind, 9, rotation, reduced, true, false, 4'001, 20, kappa});
        compare_all<float, Yukawa3d>({kind, 6, rotation, reduced, true, false, 4'001, 20, kappa / 10});
      }
  for (const int degree : {0, 1, 2, 17, 45})
    compare_all<double, Yukawa3d>({Kind::plummer, degree, degree != 2, false, true, false, 4'001, 20, 5});
}

/// Degrees with kernels of their own (LaplaceBasis::highest_fixed), and the first without.
TEST_F(CudaStages, EqualTheCpusInSingleAtEveryDegree) {
  for (int degree = 0; degree <= LaplaceBasis::highest_fixed + 1; ++degree)
    for (const bool large_leaves : {false, true})
      compare_all<float>(
          {Kind::plummer, degree, degree % 2 == 1, false, large_leaves == (degree % 3 > 0), large_leaves});
  compare_all<float>({Kind::apart, 5, false, false, true, true});
  compare_all<float>({Kind::sphere, 7, false, true, true, false});
}

/// So many boxes that a block of m2p or p2l looks at several strips of them.
TEST_F(CudaStages, EqualTheCpusInSingleWithManyBoxes) {
  compare_all<float>({Kind::plummer, 3, false, false, true, false, 50'001, 2});
}

/// Few large leaves, which have a block each in p2m, l2p and m2p; at degree 40 shared memory bounds its warps.
TEST_F(CudaStages, EqualTheCpusInDoubleWithLargeLeaves) {
  for (const Kind kind : {Kind::plummer, Kind::apart})
    for (const int degree : {0, 1, 7, 16}) compare_all<double>({kind, degree, degree > 7, false, true, true});
  compare_all<double>({Kind::uniform, 40, true, false, true, true});
  compare_all<double>({Kind::uniform, 9, false, true, true, false, 60'001, 150});
  compare_all<double, Yukawa3d>({Kind::plummer, 9, true, false, true, true, 4'001, 20, 5});
}

TEST_F(CudaStages, EqualTheCpusAtAnyDegree) {
  for (const int degree : {0, 1, 2, 3, 8, 11, 17})
    compare_all<double>({Kind::plummer, degree, degree % 2 == 1, false, true});
  compare_all<double>({Kind::uniform, 40, true, false, true});
  compare_all<double>({Kind::uniform, 60, true, false, true});
}

}  // namespace
}  // namespace farfield::testing
