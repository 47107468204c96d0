// Coulomb sums of molecules in device memory: what is made of a field against the host's arithmetic, number by number;
// then whole sums of device arrays against those of host arrays, on either backend.
#include <cuda_runtime.h>

#include <numeric>
#include <random>

#include "backends/cuda/molecules/molecules.hpp"
#include "cuda/graphs.hpp"
#include "cuda/ion_arrays.hpp"
#include "periodic/molecules.hpp"
#include "plan/composed/host_molecules.hpp"
#include "support/gpu.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

constexpr Axes xyz{true, true, true}, xy{true, true, false}, open{false, false, false};

unsigned new_seed() {
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  return seed;
}

UnitCell unit_cell(const Rows& rows, const Axes& axes) {
  std::array<Vector3, 3> vectors;
  for (std::size_t i = 0; i < 3; ++i) vectors[i] = {rows[i][0], rows[i][1], rows[i][2]};
  return {vectors, axes};
}

double length_of(const std::vector<double>& v) {
  return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
}

/// Results of one way of summing.
template <class T>
struct Found {
  MoleculeTotals totals;
  std::array<double, 6> virial{};
  std::vector<T> potential, forces, energies;
  explicit Found(std::size_t count) : potential(count), forces(3 * count), energies(count) {}
  CoulombOutputs outputs() {
    return {potential.data(), forces.data(), energies.data(), scalar_of<T>, MemorySpace::host, nullptr};
  }
};

/// Of a field that no plan gave: what is made of it depends on it alone.
struct Given {
  Molecules molecules;
  std::vector<double> x, potential, gradient;
};
/// Along periodic axes atoms of a molecule lie in any cells.
Given given(std::int64_t count, const Rows& cell, const Axes& axes, Stream& random) {
  Given g{molecules(static_cast<int>(count), cell, 0.2, -1, random), {}, {}, {}};
  g.x = flat(g.molecules.x);
  for (std::size_t i = 0; i < g.molecules.q.size(); ++i) {
    g.potential.push_back(random.between(-9, 9));
    for (std::size_t v = 0; v < 3; ++v) {
      const auto times = axes[v] ? static_cast<double>(random.below(7) - 3) : 0;
      for (std::size_t a = 0; a < 3; ++a) g.x[3 * i + a] += times * cell[v][a];
    }
  }
  for (std::size_t k = 0; k < g.x.size(); ++k) g.gradient.push_back(random.between(-50, 60));
  return g;
}

template <class T>
Found<T> finished(MoleculeSums& sums, const Given& g, const Exclusions& pairs, const MoleculeTask& task) {
  Found<T> found(g.potential.size());
  sums.exclude(pairs);
  sums.read(points(g.x));
  sums.accept();
  sums.take(strengths(g.molecules.q), found.outputs());
  const Outputs field = sums.field();
  const auto stream = static_cast<cudaStream_t>(field.stream);
  require(cudaMemcpyAsync(field.potential, g.potential.data(), 8 * g.potential.size(), cudaMemcpyDefault, stream));
  require(cudaMemcpyAsync(field.gradient, g.gradient.data(), 8 * g.gradient.size(), cudaMemcpyDefault, stream));
  found.virial = {1, 2, 3, 4, 5, 6};
  found.totals = sums.finish(task, found.outputs(), found.virial);
  return found;
}

/// Within rounding of `size`, which no sum in between exceeds much.
void expect_near(const std::vector<double>& found, const std::vector<double>& exact, double size, const char* what) {
  for (std::size_t i = 0; i < exact.size(); ++i) ASSERT_NEAR(found[i], exact[i], 1e-12 * size) << what << " " << i;
}

void expect_same(const Found<double>& found, const Found<double>& exact, const std::string& of) {
  SCOPED_TRACE(of);
  const MoleculeTotals &a = found.totals, &b = exact.totals;
  for (const auto member : {&MoleculeTotals::potential, &MoleculeTotals::field, &MoleculeTotals::net_potential,
                            &MoleculeTotals::net_forces, &MoleculeTotals::rms_force})
    EXPECT_NEAR(a.*member, b.*member, 1e-12 * b.*member);
  EXPECT_EQ(a.largest_charge, b.largest_charge);
  const double count = static_cast<double>(exact.potential.size()), q = b.largest_charge;
  EXPECT_NEAR(a.charge, b.charge, 1e-13 * q * count);
  EXPECT_NEAR(a.energy, b.energy, 1e-13 * q * std::sqrt(count) * b.net_potential);
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_NEAR(a.dipole[d], b.dipole[d], 1e-12 * q * count);
    EXPECT_NEAR(a.net_force[d], b.net_force[d], 1e-12 * b.rms_force * count);
  }
  double virial = 0;
  for (const double value : exact.virial) virial = std::max(virial, std::fabs(value));
  for (std::size_t s = 0; s < 6; ++s) EXPECT_NEAR(found.virial[s], exact.virial[s], 1e-11 * virial) << s;
  expect_near(found.potential, exact.potential, length_of(exact.potential), "potential");
  expect_near(found.energies, exact.energies, length_of(exact.energies), "energy");
  expect_near(found.forces, exact.forces, length_of(exact.forces), "force");
}

class CudaMolecules : public GpuTest {};

/// Any cell and number of atoms, with and without pairs, surface and net force: to rounding.
TEST_F(CudaMolecules, TheHostsNumbersOfAField) {
  Stream random(new_seed());
  const auto device = cuda::make_molecules();
  HostMolecules host;
  const std::vector<std::pair<Rows, Axes>> cells = {
      {box(1, 1, 1), open}, {box(1, 1, 8), xyz}, {triclinic, xyz}, {triclinic, xy}};
  for (const auto& [rows, axes] : cells)
    for (const std::int64_t count : {1, 11, 700, 60000}) {
      const Given g = given(count, rows, axes, random);
      const Exclusions pairs = g.molecules.exclusions(), none;
      std::optional<UnitCell> cell;
      if (axes != open) cell.emplace(unit_cell(rows, axes));
      for (int variant = 0; variant < 4; ++variant) {
        MoleculeTask task{cell ? &*cell : nullptr, 2};
        task.constant = variant == 0 ? 1 : 138.9;
        task.surface = variant < 2 ? 0 : 0.7;
        if (variant == 3) task.dipole = {1, -2, 30};
        task.remove_net_force = variant % 2 == 1;
        const Exclusions& excluded = variant == 1 ? none : pairs;
        const auto exact = finished<double>(host, g, excluded, task);
        const std::string of = std::to_string(axes[0] + axes[1] + axes[2]) + " axes, " + std::to_string(count) +
                               " molecules, variant " + std::to_string(variant);
        const auto found = finished<double>(*device, g, excluded, task);
        expect_same(found, exact, of);
        const auto single = finished<float>(*device, g, excluded, task);
        EXPECT_EQ(single.virial, found.virial) << of;
        EXPECT_EQ(single.potential, as<float>(found.potential)) << of;
        EXPECT_EQ(single.forces, as<float>(found.forces)) << of;
        EXPECT_EQ(single.energies, as<float>(found.energies)) << of;
      }
    }
}

/// Forces of a pair are opposite to the last bit, where two images are equally long, too.
TEST_F(CudaMolecules, PairsPullAlike) {
  const UnitCell cell = unit_cell(box(1, 1, 1), xyz);
  Given g;
  g.x = {0.1, 0.2, 0.3, 0.6, 0.7, 0.3, 0.95, 0.2, 0.3, 0.05, 0.2, 0.3};
  g.molecules.q = {1, -2, 0.5, 4}, g.potential.assign(4, 0), g.gradient.assign(12, 0);
  const std::vector<std::int64_t> ends{0, 1, 2, 3};
  const MoleculeTask task{&cell};
  const auto found = finished<double>(*cuda::make_molecules(), g, Exclusions::of_pairs(4, ends), task);
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_EQ(found.forces[a], -found.forces[3 + a]);
    EXPECT_EQ(found.forces[6 + a], -found.forces[9 + a]);
  }
  EXPECT_NEAR(found.forces[6], 0.5 * 4 / (0.1 * 0.1), 1e-10);  // across the border
  EXPECT_NEAR(found.potential[3], -0.5 / 0.1, 1e-12);
}

/// Positions, charges and results of one type in device memory.
template <class T>
class OwnArrays {
 public:
  OwnArrays(const std::vector<double>& x, const std::vector<double>& q, cudaStream_t stream)
      : x_(as<T>(x)),
        q_(as<T>(q)),
        potential_(std::vector<T>(q.size(), T(-1))),
        forces_(std::vector<T>(x.size(), T(-1))),
        energies_(std::vector<T>(q.size(), T(-1))),
        count_(std::ssize(q)),
        stream_(stream) {}
  Points positions() const {
    Points p = points(static_cast<const T*>(x_.data()), count_);
    p.space = MemorySpace::device, p.stream = stream_;
    return p;
  }
  Strengths charges() const {
    Strengths s = strengths(static_cast<const T*>(q_.data()), count_);
    s.space = MemorySpace::device, s.stream = stream_;
    return s;
  }
  CoulombOutputs outputs() const {
    return {potential_.data(), forces_.data(), energies_.data(), scalar_of<T>, MemorySpace::device, stream_};
  }
  void set_positions(const std::vector<double>& x) const { x_.write(as<T>(x)); }
  /// What the last call, or a replay of it, has written.
  CoulombSums written() const {
    CoulombSums found;
    found.potential = wide(potential_), found.forces = wide(forces_), found.energies = wide(energies_);
    return found;
  }
  /// With vectors, as from host memory.
  CoulombSums evaluate(Coulomb& sum, const std::optional<std::array<double, 3>>& dipole = {}) const {
    CoulombSums found = sum.evaluate(charges(), outputs(), dipole);
    EXPECT_TRUE(found.potential.empty() && found.forces.empty() && found.energies.empty());
    found.potential = wide(potential_), found.forces = wide(forces_), found.energies = wide(energies_);
    return found;
  }

 private:
  static std::vector<double> wide(const OnDevice<T>& array) {
    const std::vector<T> values = array.read();
    return {values.begin(), values.end()};
  }
  OnDevice<T> x_, q_, potential_, forces_, energies_;
  std::int64_t count_;
  cudaStream_t stream_;
};

Options sum_in(const Rows& cell, const Axes& axes, double tolerance, Backend backend) {
  Options o = in_cell(cell, axes, tolerance);
  o.backend = backend, o.virial = true;
  return o;
}

void expect_equal(const CoulombSums& a, const CoulombSums& b) {
  EXPECT_EQ(a.potential, b.potential);
  EXPECT_EQ(a.forces, b.forces);
  EXPECT_EQ(a.energies, b.energies);
  EXPECT_EQ(a.energy, b.energy);
  EXPECT_EQ(a.virial, b.virial);
  EXPECT_EQ(a.net_force, b.net_force);
  EXPECT_EQ(a.rms_force, b.rms_force);
  EXPECT_EQ(a.charge, b.charge);
  EXPECT_EQ(a.dipole, b.dipole);
}

/// Both kinds of arrays have the same bits; those of the CPU are as near as both tolerances allow.
TEST_F(CudaMolecules, ArraysOfEitherMemory) {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Stream random(new_seed());
  for (const auto& [axes, surface] : {std::pair{open, 0.0}, {xyz, 0.0}, {xyz, 2.0}, {xy, 0.0}})
    for (const double tolerance : {1e-4, 1e-9}) {
      const Rows cell = random_cell(random, 0.2);
      const Molecules m = molecules(1500, cell, 0.03, -1, random);
      const std::vector<double> x = flat(m.x);
      const CoulombOptions more{.surface = surface, .coulomb_constant = 138.9, .remove_net_force = true};
      Coulomb of_host(points(x), sum_in(cell, axes, tolerance, Backend::cuda), more, m.exclusions());
      const CoulombSums& host = of_host.evaluate(m.q, std::array<double, 3>{1, 2, 3});
      EXPECT_EQ(host.report.backend, "cuda");
      const OwnArrays<double> arrays(x, m.q, stream);
      Coulomb of_device(arrays.positions(), sum_in(cell, axes, tolerance, Backend::automatic), more, m.exclusions());
      expect_equal(arrays.evaluate(of_device, std::array<double, 3>{1, 2, 3}), host);
      Coulomb of_cpu(points(x), sum_in(cell, axes, tolerance, Backend::cpu), more, m.exclusions());
      const CoulombSums& cpu = of_cpu.evaluate(m.q, std::array<double, 3>{1, 2, 3});
      EXPECT_LE(difference_of(host.potential, cpu.potential), 2 * tolerance);
      EXPECT_LE(difference_of(host.forces, cpu.forces), 2 * tolerance);
      const double energy = length_of(m.q) * length_of(cpu.potential);
      EXPECT_LE(std::fabs(host.energy - cpu.energy), tolerance * energy);
      for (std::size_t s = 0; s < 6; ++s) EXPECT_NEAR(host.virial[s], cpu.virial[s], 30 * tolerance * energy) << s;
      EXPECT_EQ(host.dipole, cpu.dipole);
    }
  require(cudaStreamDestroy(stream));
}

/// Sums of all pairs in double differ by rounding alone.
TEST_F(CudaMolecules, DirectSumsEqualTheHosts) {
  Stream random(new_seed());
  const Molecules m = molecules(900, box(1, 1, 1), 0.1, -1, random);
  const std::vector<double> x = flat(m.x);
  const auto sums_on = [&](Backend backend) {
    Options o = sum_in(box(1, 1, 1), open, 1e-12, backend);
    o.method = Method::direct, o.precision = Precision::double_;
    return Coulomb(points(x), o, {}, m.exclusions()).evaluate(m.q);
  };
  const CoulombSums device = sums_on(Backend::cuda), host = sums_on(Backend::cpu);
  EXPECT_LE(difference_of(device.potential, host.potential), 1e-12);
  EXPECT_LE(difference_of(device.forces, host.forces), 1e-12);
  EXPECT_LE(difference_of(device.energies, host.energies), 1e-12);
  EXPECT_NEAR(device.energy, host.energy, 1e-12 * length_of(m.q) * length_of(host.potential));
  EXPECT_NEAR(device.rms_force, host.rms_force, 1e-12 * host.rms_force);
}

/// A run: positions, charges, pairs, cells and streams change; results of float arrays keep the promise.
TEST_F(CudaMolecules, ARunOfFloats) {
  cudaStream_t streams[2] = {};
  require(cudaStreamCreateWithFlags(&streams[0], cudaStreamNonBlocking));
  Stream random(new_seed());
  Molecules m = molecules(700, box(1, 1, 1), 0.1, 0, random);
  std::vector<double> x = flat(m.x);
  for (double& value : x) value = static_cast<float>(value);
  for (double& value : m.q) value = static_cast<float>(value);
  for (const double skin : {0.0, 0.02}) {
    Options o = sum_in(box(1, 1, 1), xyz, 1e-3, Backend::cuda);
    o.method = Method::fmm, o.precision = Precision::single_, o.skin = skin, o.virial = false;
    std::optional<Coulomb> sum;
    for (int step = 0; step < 6; ++step) {
      const Rows cell = box(1, 1, step < 4 ? 1 : 1.02);
      for (double& value : x) value = static_cast<float>(value + random.between(-0.002, 0.002));
      if (step == 2) std::swap(m.q[0], m.q[4]), std::swap(m.q[1], m.q[7]);
      if (step == 3) m.pairs.resize(600), m.kept.resize(300);
      const OwnArrays<float> arrays(x, m.q, streams[step % 2]);
      if (!sum)
        sum.emplace(arrays.positions(), o, CoulombOptions{}, m.exclusions());
      else
        step == 4 ? sum->move(arrays.positions(), {1, 0, 0, 0, 1, 0, 0, 0, 1.02}) : sum->move(arrays.positions());
      sum->exclude(m.exclusions());
      const CoulombSums found = arrays.evaluate(*sum);
      const CoulombSums exact =
          Coulomb(points(x), sum_in(cell, xyz, 1e-10, Backend::cpu), {}, m.exclusions()).evaluate(m.q);
      const double potential = difference_of(found.potential, exact.potential),
                   forces = difference_of(found.forces, exact.forces);
      std::printf("skin %g, step %d: %.2g %.2g\n", skin, step, potential, forces);
      if (!found.report.warnings.empty()) continue;  // too little is left for single precision
      EXPECT_LE(potential, 1e-3);
      EXPECT_LE(forces, 1e-3);
      EXPECT_NEAR(found.energy, exact.energy, 1e-3 * length_of(m.q) * length_of(exact.potential) / 2);
    }
  }
  require(cudaStreamDestroy(streams[0]));
}

/// The plan that was too loose for what is left is made again, from positions in device memory.
TEST_F(CudaMolecules, TheToleranceIsThatOfWhatIsLeft) {
  Stream random(new_seed());
  const Molecules m = molecules(300, box(1, 1, 1), 0.01, 0, random);
  const std::vector<double> x = flat(m.x);
  const CoulombSums exact =
      Coulomb(points(x), sum_in(box(1, 1, 1), xyz, 1e-9, Backend::cpu), {}, m.exclusions()).evaluate(m.q);
  const OwnArrays<double> arrays(x, m.q, nullptr);
  Coulomb sum(arrays.positions(), sum_in(box(1, 1, 1), xyz, 1e-5, Backend::cuda), {}, m.exclusions());
  for (int step = 0; step < 3; ++step) {
    const CoulombSums found = arrays.evaluate(sum);
    EXPECT_LE(difference_of(found.potential, exact.potential), 1e-5);
    EXPECT_LE(difference_of(found.forces, exact.forces), 1e-5);
    const auto& choices = found.report.choices;
    EXPECT_TRUE(std::any_of(choices.begin(), choices.end(), [](const Choice& c) { return c.name == "tolerance"; }));
    sum.move(arrays.positions());
  }
}

/// Host arrays after device arrays and the reverse, strides, results that are not wanted, nothing at all.
TEST_F(CudaMolecules, MixedArrays) {
  Stream random(new_seed());
  const Molecules m = molecules(200, triclinic, 0.05, 0, random);
  const std::vector<double> x = flat(m.x);
  const Options o = sum_in(triclinic, xyz, 1e-7, Backend::cuda);
  const OwnArrays<double> arrays(x, m.q, nullptr);
  Coulomb sum(points(x), o, {}, m.exclusions());
  const CoulombSums host = sum.evaluate(m.q);
  EXPECT_EQ(host.report.backend, "cuda");
  expect_equal(arrays.evaluate(sum), host);
  std::vector<double> wide;
  for (const double q : m.q) wide.insert(wide.end(), {q, 9, 9});
  const OnDevice<double> strided(wide);
  Strengths apart = arrays.charges();
  apart.data = strided.data(), apart.stride = 3;
  std::vector<float> forces(x.size(), -1);
  const CoulombSums& rest = sum.evaluate(apart, {nullptr, forces.data(), nullptr, Scalar::float32});
  EXPECT_EQ(forces, as<float>(host.forces));
  EXPECT_EQ(rest.energy, host.energy);
  EXPECT_EQ(sum.evaluate(arrays.charges(), {}).energy, host.energy);
  sum.move(arrays.positions());
  EXPECT_LE(difference_of(sum.evaluate(m.q).forces, host.forces), 2e-7);
  sum.move(points(x));
  EXPECT_LE(difference_of(arrays.evaluate(sum).forces, host.forces), 2e-7);
  Coulomb nothing(points(std::vector<double>{}), o);
  EXPECT_EQ(nothing.evaluate(std::vector<double>{}).energy, 0);
  const OwnArrays<double> one({5, 1, 2}, {3}, nullptr);
  nothing.move(one.positions());
  EXPECT_NEAR(one.evaluate(nothing).forces[0], 0, 1e-4);
}

/// Replays fill the caller's arrays for positions that moved within the skin.
TEST_F(CudaMolecules, ReplaysOfAGraph) {
  const OwnStream stream;
  Stream random(new_seed());
  for (const Axes& axes : {open, xyz}) {
    const Rows cell = random_cell(random, 0.2);
    const Molecules m = molecules(1500, cell, 0.03, -1, random);
    std::vector<double> x = flat(m.x);
    const CoulombOptions more{.surface = axes == xyz ? 2.0 : 0, .coulomb_constant = 138.9, .remove_net_force = true};
    Options o = sum_in(cell, axes, 1e-6, Backend::cuda);
    o.method = Method::fmm, o.precision = Precision::double_, o.skin = 2e-3, o.virial = false;
    const OwnArrays<double> arrays(x, m.q, stream);
    Coulomb sum(arrays.positions(), o, more, m.exclusions());
    for (int step = 0; step < 3; ++step) arrays.evaluate(sum), sum.move(arrays.positions());
    arrays.evaluate(sum);
    const Graph graph(stream, [&] {
      sum.move(arrays.positions());
      sum.evaluate(arrays.charges(), arrays.outputs());
    });
    for (int step = 0; step < 3; ++step) {
      for (double& value : x) value += random.between(-3e-4, 3e-4);
      arrays.set_positions(x);
      graph.replay();
      sum.check_replays();
      const CoulombSums found = arrays.written();
      const CoulombSums exact =
          Coulomb(points(x), sum_in(cell, axes, 1e-9, Backend::cuda), more, m.exclusions()).evaluate(m.q);
      EXPECT_LE(difference_of(found.potential, exact.potential), 2e-6);
      EXPECT_LE(difference_of(found.forces, exact.forces), 2e-6);
      EXPECT_LE(difference_of(found.energies, exact.energies), 1e-5);
    }
    Coulomb rigid(arrays.positions(), sum_in(cell, axes, 1e-6, Backend::cuda), more, m.exclusions());
    expect_refusal("a move that a CUDA graph captures keeps the tree",
                   [&] { Graph(stream, [&] { rigid.move(arrays.positions()); }); });
    expect_refusal("lie in device memory, in the order of the stream",
                   [&] { Graph(stream, [&] { sum.evaluate(arrays.charges(), {}); }); });
  }
}

TEST_F(CudaMolecules, Refusals) {
  const std::vector<double> x{0, 0, 0, 0.5, 0.5, 0.5}, q{1, -1}, net{1, 1};
  const OwnArrays<double> arrays(x, q, nullptr), charged(x, net, nullptr),
      three({0, 0, 0, 1, 1, 1, 2, 2, 2}, {1, 1, 1}, nullptr);
  const Options on_gpu = sum_in(box(1, 1, 1), xyz, 1e-6, Backend::cuda),
                on_cpu = sum_in(box(1, 1, 1), xyz, 1e-6, Backend::cpu);
  expect_refusal("backend cpu was asked for; pass host memory", [&] { Coulomb(arrays.positions(), on_cpu); });
  Coulomb host(points(x), on_cpu), device(arrays.positions(), on_gpu);
  expect_refusal("keeps its arrays on the host; pass host memory", [&] { host.evaluate(arrays.charges(), {}); });
  expect_refusal("run on the cpu; pass host memory", [&] { host.evaluate(strengths(q), arrays.outputs()); });
  expect_refusal("backend cpu was asked for", [&] { host.move(arrays.positions()); });
  EXPECT_EQ(host.evaluate(q).report.backend, "cpu");
  expect_refusal("3 charges were given for 2 particles", [&] { device.evaluate(three.charges(), {}); });
  Strengths twice = strengths(q.data(), 1, 2);
  twice.count = 2;
  expect_refusal("one set of charges", [&] { device.evaluate(twice, {}); });
  const double no_number = std::numeric_limits<double>::quiet_NaN();
  const OwnArrays<double> bad({0, 0, 0, 0.5, no_number, 0.5}, {1, no_number}, nullptr);
  expect_refusal("strength 1 of vector 0 is not finite", [&] { device.evaluate(bad.charges(), {}); });
  expect_refusal("1: coordinate y is nan", [&] { device.move(bad.positions()); });
  Points null = arrays.positions();
  null.axis[1] = nullptr;
  expect_refusal("null pointer", [&] { device.move(null); });
  EXPECT_EQ(arrays.evaluate(device).energy, Coulomb(points(x), on_gpu).evaluate(q).energy);  // as it was
  expect_refusal("the charges add up to 2; with 2", [&] {
    Coulomb(arrays.positions(), sum_in(box(1, 1, 1), xy, 1e-6, Backend::cuda)).evaluate(charged.charges(), {});
  });
  expect_refusal("set background to neutralize", [&] {
    Coulomb(arrays.positions(), on_gpu, {.background = Background::refuse}).evaluate(charged.charges(), {});
  });
  expect_refusal("dipole depends on the origin",
                 [&] { Coulomb(arrays.positions(), on_gpu, {.surface = 1}).evaluate(charged.charges(), {}); });
  Coulomb pair(arrays.positions(), on_gpu, {}, Exclusions::of_pairs(2, std::vector<std::int64_t>{0, 1}));
  expect_refusal("exclusions are of 2 particles, but 3", [&] { pair.move(three.positions()); });
}

}  // namespace
}  // namespace farfield::testing
