// Time of Coulomb sums of water on a device, bonds left out: move, then evaluate, as in a step of molecular dynamics.
//
//     build/gpu/bench/gpu_molecules FILES [tolerances] [single|double] [all|gradient: what the tolerance is for]
//                                   [skin, in nm]
//
// FILES: *.water of compare/waters.py, by commas. JSON lines: milliseconds of the first sum, of a step, its move and
// its evaluation, positions, charges and results in device memory (medians of 20 steps, in which the atoms go to and
// fro as in 2 fs), and of a step whose arrays are doubles in host memory; the tolerance of the plan that the sums asked
// for, whether the tree was kept, degree and precision; energy in kJ/mol, and errors of it, of potential and of forces
// (relative, L2) against sums in double at 1e-8.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "bench/timing.hpp"
#include "bench/waters.hpp"

namespace farfield::bench {
namespace {

constexpr double coulomb_constant = 138.93545764438198;  // kJ/mol nm

struct Atoms {
  Water water;
  std::vector<double> moved;
  Exclusions pairs;
};

Atoms atoms_of(const std::string& file, bool single) {
  Atoms a{read_water(file), {}, {}};
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> shake(-0.0005, 0.0005);
  for (double& x : a.water.x) {
    if (single) x = static_cast<float>(x);
    a.moved.push_back(x + shake(bits));
  }
  std::vector<std::int64_t> pairs;
  for (std::int64_t i = 0; i < std::ssize(a.water.q); i += 3)
    pairs.insert(pairs.end(), {i, i + 1, i, i + 2, i + 1, i + 2});
  a.pairs = Exclusions::of_pairs(std::ssize(a.water.q), pairs);
  return a;
}

Options in_cell(const Water& water, double tolerance, bool single) {
  Options o;
  o.tolerance = tolerance, o.backend = Backend::cuda;
  o.precision = single ? Precision::single_ : Precision::double_;
  o.periodic = Axes::xyz;
  o.cell_x = water.lengths[0], o.cell_y = water.lengths[1], o.cell_z = water.lengths[2];
  return o;
}

struct StepTimes {
  std::vector<double> steps, moves, evaluations;
  template <class Move, class Evaluate>
  void add(const Move& move, const Evaluate& evaluate) {
    const double begin = now();
    move();
    const double middle = now();
    evaluate();
    cuda::require(cudaDeviceSynchronize(), "evaluate");
    const double end = now();
    steps.push_back(end - begin), moves.push_back(middle - begin), evaluations.push_back(end - middle);
  }
};

double host_step(const Atoms& a, const Options& o) {
  Coulomb sum(points(a.water.x), o, {.coulomb_constant = coulomb_constant}, a.pairs);
  sum.evaluate(a.water.q);
  StepTimes times;
  for (int i = 0; i < 20; ++i)
    times.add([&] { sum.move(points(i % 2 ? a.water.x : a.moved)); }, [&] { sum.evaluate(a.water.q); });
  return median(times.steps);
}

template <class T>
void run(const std::string& file, const Atoms& a, const Options& o, const CoulombSums& exact) {
  const cuda::DeviceArray<T> x = copied<T>(a.water.x), moved = copied<T>(a.moved), q = copied<T>(a.water.q);
  cuda::DeviceArray<T> potential, forces;
  potential.resize(q.size()), forces.resize(x.size());
  Strengths charges = strengths(static_cast<const T*>(q.data()), std::ssize(a.water.q));
  charges.space = MemorySpace::device;
  const CoulombOutputs out{potential.data(), forces.data(), nullptr, scalar_of<T>, MemorySpace::device};
  const double start = now();
  Coulomb sum(on_device(x), o, {.coulomb_constant = coulomb_constant}, a.pairs);
  sum.evaluate(charges, out);
  const double first = now() - start;
  StepTimes times;
  for (int i = 0; i < 20; ++i)
    times.add([&] { sum.move(on_device(i % 2 ? x : moved)); }, [&] { sum.evaluate(charges, out); });
  const CoulombSums& last = sum.evaluate(charges, out);
  const Report& r = last.report;
  std::printf(
      "{\"file\": \"%s\", \"atoms\": %lld, \"tolerance\": %g, \"for\": \"%s\", \"skin\": %g, \"of_plan\": %s, "
      "\"tree\": "
      "\"%s\", \"precision\": \"%s\", \"degree\": %d, \"first_ms\": %.2f, \"step_ms\": %.3f, \"move_ms\": %.3f, "
      "\"evaluate_ms\": %.3f, \"host_step_ms\": %.3f, \"energy\": %.8g, \"error_energy\": %.2g, \"error_potential\": "
      "%.2g, \"error_forces\": %.2g, \"warnings\": %zu}\n",
      file.c_str(), static_cast<long long>(a.water.q.size()), o.tolerance, r.tolerance_for.c_str(), o.skin,
      chosen(r, "tolerance", std::to_string(o.tolerance)).c_str(), chosen(r, "tree", "new").c_str(),
      r.precision.c_str(), r.degree, 1e3 * first, 1e3 * median(times.steps), 1e3 * median(times.moves),
      1e3 * median(times.evaluations), 1e3 * host_step(a, o), last.energy,
      std::fabs(last.energy - exact.energy) / std::fabs(exact.energy), error(read(potential), exact.potential),
      error(read(forces), exact.forces), r.warnings.size());
  std::fflush(stdout);
}

int main_of(int argc, char** argv) {
  const std::vector<std::string> tolerances = listed(argc > 2 ? argv[2] : "1e-2,1e-3,1e-4,1e-5");
  const bool single = argc < 4 || std::strcmp(argv[3], "double") != 0;
  for (const std::string& file : listed(argc > 1 ? argv[1] : "")) {
    const Atoms atoms = atoms_of(file, single);
    const CoulombSums exact = Coulomb(points(atoms.water.x), in_cell(atoms.water, 1e-8, false),
                                      {.coulomb_constant = coulomb_constant}, atoms.pairs)
                                  .evaluate(atoms.water.q);
    for (const std::string& tolerance : tolerances) {
      Options o = in_cell(atoms.water, std::atof(tolerance.c_str()), single);
      if (argc > 4 && std::strcmp(argv[4], "gradient") == 0) o.tolerance_for = ToleranceFor::gradient;
      o.skin = argc > 5 ? std::atof(argv[5]) : 0;
      if (single)
        run<float>(file, atoms, o, exact);
      else
        run<double>(file, atoms, o, exact);
    }
  }
  return 0;
}

}  // namespace
}  // namespace farfield::bench

int main(int argc, char** argv) try { return farfield::bench::main_of(argc, argv); } catch (const farfield::Error& e) {
  return std::fprintf(stderr, "%s\n", e.what()), static_cast<int>(e.code());
}
