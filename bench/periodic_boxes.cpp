// Time of sums in periodic cells beside that of the same ions in open space: pairs of charges at random places.
//
//     build/release/bench/periodic_boxes [ions] [tolerance] [cpu|cuda] [single|double] [repetitions]
//
// A row has the least seconds of a plan with one evaluation, of further evaluations, and of the stages `cell` and
// `images` (the far images of an evaluation); the ratio of the first to open space; points and blocks.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <farfield/farfield.hpp>
#include <random>
#include <string>
#include <vector>

using namespace farfield;

namespace {

struct Cell {
  const char* name;
  double row[3][3];
  Axes axes;
};

struct Ions {
  std::vector<double> x, q;
};

/// As many to a volume in every cell.
Ions make_ions(const Cell& cell, std::int64_t count) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> place(0, 1), shake(-0.5, 0.5);
  const double apart = 1 / std::cbrt(static_cast<double>(count));
  Ions ions;
  for (std::int64_t i = 0; i < count; i += 2) {
    const double at[3] = {place(bits), place(bits), place(bits)};
    for (const double q : {1.0, -1.0}) {
      for (std::size_t a = 0; a < 3; ++a)
        ions.x.push_back(at[0] * cell.row[0][a] + at[1] * cell.row[1][a] + at[2] * cell.row[2][a] +
                         apart * shake(bits));
      ions.q.push_back(q);
    }
  }
  return ions;
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

template <class Run>
double seconds_of(const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double stage(const Report& r, const char* name, bool building) {
  for (const StageReport& s : r.stages)
    if (s.name == name && s.building == building) return s.seconds;
  return 0;
}

struct Times {
  double whole = 1e30, again = 1e30;
  Report report;
};

Times measure(const Ions& ions, const Options& options, int repetitions) {
  Times t;
  for (int i = 0; i < repetitions; ++i) {
    Result<double> result;
    double again = 0;
    const double whole = seconds_of([&] {
      Plan plan(points(ions.x), options);
      result = plan.evaluate<double>(ions.q);
      again = seconds_of([&] { result = plan.evaluate<double>(ions.q); });
    });
    t.whole = std::min(t.whole, whole - again), t.again = std::min(t.again, again);
    t.report = result.report;
  }
  return t;
}

}  // namespace

int main(int argc, char** argv) {
  const auto count = argc > 1 ? static_cast<std::int64_t>(std::atof(argv[1])) : 100000;
  Options o;
  o.gradient = true;
  o.tolerance = argc > 2 ? std::atof(argv[2]) : 1e-5;
  if (argc > 3) o.backend = std::strcmp(argv[3], "cuda") == 0 ? Backend::cuda : Backend::cpu;
  if (argc > 4) o.precision = std::strcmp(argv[4], "double") == 0 ? Precision::double_ : Precision::single_;
  const int repetitions = argc > 5 ? std::atoi(argv[5]) : 3;
  const Cell cells[] = {{"open", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, Axes::none},
                        {"cube", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, Axes::xyz},
                        {"triclinic", {{1, 0, 0}, {0.3, 1.1, 0}, {-0.4, 0.25, 0.9}}, Axes::xyz},
                        {"1:1:10", {{1, 0, 0}, {0, 1, 0}, {0, 0, 10}}, Axes::xyz},
                        {"10:10:1", {{10, 0, 0}, {0, 10, 0}, {0, 0, 1}}, Axes::xyz},
                        {"slab, xy", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, Axes::xy}};
  std::printf("%10s %10s %10s %10s %10s %7s\n", "cell", "whole s", "again s", "cell s", "images s", "whole");
  double open = 0;
  for (const Cell& cell : cells) {
    const Times t = measure(make_ions(cell, count), in_cell(cell, o), repetitions);
    if (cell.axes == Axes::none) open = t.whole;
    std::printf("%10s %10.4f %10.4f %10.4f %10.4f %6.2fx", cell.name, t.whole, t.again, stage(t.report, "cell", true),
                stage(t.report, "images", false), t.whole / open);
    for (const Choice& c : t.report.choices)
      if (c.name == "images" || c.name == "blocks") std::printf("  %s %s", c.name.c_str(), c.value.c_str());
    std::printf("\n");
  }
}
