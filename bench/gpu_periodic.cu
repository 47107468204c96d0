// Time of sums in periodic cells on a device beside the same ions in open space: positions, strengths and results in
// device memory, potential and gradient, as in a step of molecular dynamics: move, then evaluate.
//
//     build/gpu/bench/gpu_periodic [ions] [tolerances] [single|double] [cells, or files *.water of compare/waters.py]
//                                  [all|gradient: what the tolerance is for] [skin, in the units of the cell]
//
// JSON lines: milliseconds of the first plan, of a step, its move and its evaluation (medians of 20 steps, in which
// the ions go to and fro by a hundredth of their distance), of all stages of the report; what was kept over the moves
// and what was evaluated again in the last step; pairs near, translations, and relative L2 errors of potential and
// gradient of the last step against a plan in double at 1e-9 on the device; of water also of the forces that molecules
// exert on one another (pairs within molecules are summed, too, and taken off in that error alone).
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "bench/timing.hpp"
#include "bench/waters.hpp"

namespace farfield::bench {
namespace {

struct Cell {
  const char* name;
  double row[3][3];
  Axes axes;
};
constexpr Cell cells[] = {{"open", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, Axes::none},
                          {"cube", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, Axes::xyz},
                          {"triclinic", {{1, 0, 0}, {0.3, 1.1, 0}, {-0.4, 0.25, 0.9}}, Axes::xyz},
                          {"1:1:10", {{1, 0, 0}, {0, 1, 0}, {0, 0, 10}}, Axes::xyz},
                          {"slab", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, Axes::xy}};

struct Ions {
  std::vector<double> x, moved, q;
  bool water = false;
};

/// Ions in pairs, as molecules are, as many to a volume in every cell.
Ions ions_in(const Cell& cell, std::int64_t count) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> place(0, 1), shake(-0.5, 0.5);
  const double apart = 1 / std::cbrt(static_cast<double>(count));
  Ions ions;
  for (std::int64_t i = 0; i < count; i += 2) {
    const double at[3] = {place(bits), place(bits), place(bits)};
    for (const double q : {1.0, -1.0}) {
      for (int a = 0; a < 3; ++a)
        ions.x.push_back(at[0] * cell.row[0][a] + at[1] * cell.row[1][a] + at[2] * cell.row[2][a] +
                         apart * shake(bits));
      ions.q.push_back(q);
    }
  }
  for (const double x : ions.x) ions.moved.push_back(x + 0.01 * apart * shake(bits));
  return ions;
}

/// Atoms of the file that the cell is named after; in nm they go to and fro as in 2 fs.
Ions water_in(Cell& cell) {
  Water water = read_water(cell.name);
  for (int a = 0; a < 3; ++a) cell.row[a][a] = water.lengths[static_cast<std::size_t>(a)];
  Ions ions{std::move(water.x), {}, std::move(water.q), true};
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> shake(-0.0005, 0.0005);
  for (const double x : ions.x) ions.moved.push_back(x + shake(bits));
  return ions;
}

/// All cells, or those of `names`.
std::vector<Cell> chosen_cells(const std::vector<std::string>& names) {
  std::vector<Cell> found;
  for (const Cell& cell : cells)
    if (names.empty() || std::find(names.begin(), names.end(), cell.name) != names.end()) found.push_back(cell);
  for (const std::string& name : names)
    if (name.ends_with(".water")) found.push_back({name.c_str(), {}, Axes::xyz});
  return found;
}

Options in_cell(const Cell& cell, Options o) {
  o.periodic = cell.axes;
  if (cell.axes == Axes::none) return o;
  o.cell_x = cell.row[0][0], o.cell_ay = cell.row[0][1], o.cell_az = cell.row[0][2];
  o.cell_bx = cell.row[1][0], o.cell_y = cell.row[1][1], o.cell_bz = cell.row[1][2];
  if (cell.axes == Axes::xy) return o;
  o.cell_cx = cell.row[2][0], o.cell_cy = cell.row[2][1], o.cell_z = cell.row[2][2];
  return o;
}

template <class T>
void run(const Cell& cell, Options o, const Result<double>& exact, const Ions& ions) {
  const cuda::DeviceArray<T> x = copied<T>(ions.x), moved = copied<T>(ions.moved), q = copied<T>(ions.q);
  const std::int64_t count = std::ssize(ions.q);
  cuda::DeviceArray<T> potential, gradient;
  potential.resize(count), gradient.resize(3 * count);
  Strengths s = strengths(static_cast<const T*>(q.data()), count);
  s.space = MemorySpace::device;
  Outputs out{potential.data(), gradient.data(), nullptr, nullptr, scalar_of<T>, MemorySpace::device, nullptr};
  const double start = now();
  Plan plan(on_device(x), o);
  plan.evaluate(s, out);
  const double first = now() - start;
  std::vector<double> steps, moves, evaluations;
  StageTimes stages;
  for (int i = 0; i < 20; ++i) {
    const double begin = now();
    plan.move(on_device(i % 2 ? x : moved));
    const double middle = now();
    plan.evaluate(s, out);
    cuda::require(cudaDeviceSynchronize(), "evaluate");
    const double end = now();
    steps.push_back(end - begin), moves.push_back(middle - begin), evaluations.push_back(end - middle);
    stages.add(plan.report());
  }
  const Report& r = plan.report();
  std::printf(
      "{\"cell\": \"%s\", \"ions\": %lld, \"tolerance\": %g, \"for\": \"%s\", \"tree\": \"%s\", \"precision\": \"%s\", "
      "\"degree\": %d, "
      "\"images\": %s, \"blocks\": \"%s\", \"kept\": \"%s\", \"again\": \"%s\", \"near_pairs\": %lld, "
      "\"translations\": %lld, \"first_ms\": %.2f, \"step_ms\": %.3f, \"move_ms\": %.3f, \"evaluate_ms\": %.3f, "
      "\"stages_ms\": {",
      cell.name, static_cast<long long>(count), o.tolerance, r.tolerance_for.c_str(), chosen(r, "tree", "new").c_str(),
      r.precision.c_str(), r.degree, chosen(r, "images", "0").c_str(), chosen(r, "blocks", "").c_str(),
      chosen(r, "kept", "").c_str(), chosen(r, "evaluated again", "").c_str(), static_cast<long long>(r.near_pairs),
      static_cast<long long>(r.m2l_boxes), 1e3 * first, 1e3 * median(steps), 1e3 * median(moves),
      1e3 * median(evaluations));
  print_stages(stages.medians(), 3);
  std::printf("}, \"memory_bytes\": %lld, \"error_potential\": %.2g, \"error_gradient\": %.2g",
              static_cast<long long>(r.memory_bytes), error(read(potential), exact.potential),
              error(read(gradient), exact.gradient));
  if (ions.water)
    std::printf(", \"error_forces\": %.2g", error_of_forces(ions.x, ions.q, read(gradient), exact.gradient));
  std::printf("}\n");
  std::fflush(stdout);
}

int main_of(int argc, char** argv) {
  const auto count = argc > 1 ? static_cast<std::int64_t>(std::atof(argv[1])) : 1119744;
  const std::vector<std::string> tolerances = listed(argc > 2 ? argv[2] : "5e-4,1e-5,1e-6");
  const bool single = argc < 4 || std::strcmp(argv[3], "double") != 0;
  const std::vector<std::string> names = listed(argc > 4 ? argv[4] : "");
  for (Cell& cell : chosen_cells(names)) {
    Ions ions = std::string(cell.name).ends_with(".water") ? water_in(cell) : ions_in(cell, count);
    if (single)
      for (double& x : ions.x) x = static_cast<float>(x);
    Options o = in_cell(cell, {});
    o.gradient = true;
    Options careful = o;
    careful.tolerance = 1e-9, careful.backend = Backend::cuda, careful.precision = Precision::double_;
    const auto exact = Plan(points(ions.x), careful).evaluate<double>(ions.q);
    for (const std::string& tolerance : tolerances) {
      o.tolerance = std::atof(tolerance.c_str());
      if (argc > 5 && std::strcmp(argv[5], "gradient") == 0) o.tolerance_for = ToleranceFor::gradient;
      o.skin = argc > 6 ? std::atof(argv[6]) : 0;
      o.precision = single ? Precision::single_ : Precision::double_;
      if (single)
        run<float>(cell, o, exact, ions);
      else
        run<double>(cell, o, exact, ions);
    }
  }
  return 0;
}

}  // namespace
}  // namespace farfield::bench

int main(int argc, char** argv) try { return farfield::bench::main_of(argc, argv); } catch (const farfield::Error& e) {
  return std::fprintf(stderr, "%s\n", e.what()), static_cast<int>(e.code());
}
