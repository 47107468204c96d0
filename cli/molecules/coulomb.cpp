// `farfield coulomb`: energy, forces and virial of the charges of a file, bonded pairs left out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <farfield/coulomb.hpp>
#include <farfield/error.hpp>
#include <optional>

#include "cli/commands.hpp"
#include "cli/compute.hpp"
#include "cli/molecules/system.hpp"
#include "cli/report/numbers.hpp"
#include "cli/report/text.hpp"
#include "io/arrays.hpp"
#include "io/results.hpp"

namespace farfield::cli {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::usage, sentence); }

void require_names(const CoulombArguments& a) {
  if (!a.output.empty()) io::output_format(a.output, a.format);
  if (a.output.empty() && !a.format.empty())
    refuse("--format is that of the forces; name a file for them with --output, or - for a pipe");
  if (!a.dipole.empty() && a.coulomb.surface == 0) refuse("--dipole is for --surface vacuum or a constant; add it");
}

CoulombSums sums_of(const CoulombArguments& a, const ChargedSystem& system) {
  CoulombOptions more = a.coulomb;
  more.coulomb_constant = system.units->coulomb_constant;
  Options options = system.options;
  if (a.accuracy != 0) more.two_charge_force = system.units->two_charge_force(), options.tolerance = a.accuracy;
  Coulomb sum(points(system.bodies.positions), options, more, system.exclusions);
  std::optional<std::array<double, 3>> dipole;
  if (!a.dipole.empty()) dipole = {a.dipole[0], a.dipole[1], a.dipole[2]};
  return sum.evaluate(system.charges, dipole);
}

io::Table table_of(const ChargedSystem& s, const CoulombSums& sums) {
  io::Table table{{"x", "y", "z", "q", "potential", "energy", "fx", "fy", "fz"}, {}};
  for (std::size_t i = 0; i < s.charges.size(); ++i) {
    const double *x = &s.bodies.positions[3 * i], *f = &sums.forces[3 * i];
    table.values.insert(table.values.end(),
                        {x[0], x[1], x[2], s.charges[i], sums.potential[i], sums.energies[i], f[0], f[1], f[2]});
  }
  return table;
}

void write(const CoulombArguments& a, const ChargedSystem& s, const CoulombSums& sums) {
  if (io::output_format(a.output, a.format) == "csv")
    return io::write_arrays(a.output, a.format, {}, table_of(s, sums));
  const auto n = static_cast<std::int64_t>(s.charges.size());
  std::vector<io::Array> arrays{
      {"forces", sums.forces, {n, 3}},  // which npy has
      {"potential", sums.potential, {n}}, {"energies", sums.energies, {n}}, {"positions", s.bodies.positions, {n, 3}},
      {"strengths", s.charges, {n}},      {"energy", {sums.energy}, {}}};
  if (a.options.virial) arrays.push_back({"virial", {sums.virial.begin(), sums.virial.end()}, {6}});
  io::write_arrays(a.output, a.format, arrays, {});
}

std::string with_unit(const std::string& number, const char* unit) { return *unit ? number + " " + unit : number; }

std::string describe_energy(const ChargedSystem& s, const CoulombSums& sums, const Terminal& t) {
  std::string text = section("Energy", with_unit(fmt::format("{:.10g}", sums.energy), s.units->energy), t);
  if (s.reference_energy) {
    const double apart = std::fabs(sums.energy / *s.reference_energy - 1);
    text += section("",
                    fmt::format("{:.10g} by the potentials of the file: {} apart", *s.reference_energy,
                                apart == 0 ? "not" : scientific(apart)),
                    t);
  }
  if (sums.report.virial)
    text += section("Virial",
                    with_unit(fmt::format("{:.8g}", fmt::join(sums.virial, " ")), s.units->energy) +
                        ": xx yy zz xy xz yz, LAMMPS' sign",
                    t);
  const auto& net = sums.net_force;
  return text + section("Forces",
                        fmt::format("rms {}; they add up to {}, {}, {}",
                                    with_unit(fmt::format("{:.6g}", sums.rms_force), s.units->force),
                                    scientific(net[0]), scientific(net[1]), scientific(net[2])),
                        t);
}

std::string describe(const CoulombArguments& a, const ChargedSystem& s, const CoulombSums& sums, double seconds) {
  const Terminal t = Terminal::of(a.output == "-" ? stderr : stdout);
  const Report& r = sums.report;
  std::string text = section("Charges", printable(a.input) + ": " + told(s.bodies), t);
  text += section("", fmt::format("they add up to {}; units {}", shortest(sums.charge), s.units->name), t);
  text += section("Cell", s.cell, t);
  text += section("Left out", s.excluded, t);
  text += describe_energy(s, sums, t);
  const std::string asked =
      a.accuracy != 0 ? fmt::format(
                            "rms error of the forces at most {} of that of two unit "
                            "charges 1 Angstrom apart",
                            shortest(a.accuracy))
                      : fmt::format("relative error{} at most {}",
                                    r.tolerance_for == "gradient" ? " of the forces" : "", shortest(r.tolerance));
  text += section(
      "Sum", fmt::format("method {} on {}, {}, in {}; {}", r.method, r.backend, r.precision, duration(seconds), asked),
      t);
  for (const std::string& warning : s.bodies.warnings) text += section("", t.warn("warning: ") + warning, t);
  for (const std::string& warning : r.warnings) text += section("", t.warn("warning: ") + printable(warning), t);
  return text + section("Written", a.output.empty() ? "nothing; -o FILE does" : printable(a.output), t);
}

}  // namespace

void coulomb(const CoulombArguments& a) {
  require_names(a);
  require_writable(a.output);
  Progress progress(a.quiet);
  progress("reading " + a.input);
  const ChargedSystem system = read_system(a);
  progress("summing");
  const auto start = std::chrono::steady_clock::now();
  const CoulombSums sums = sums_of(a, system);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!a.output.empty()) write(a, system, sums);
  progress.clear();
  if (!a.quiet) print(describe(a, system, sums, seconds), a.output == "-" ? stderr : stdout);
}

}  // namespace farfield::cli
