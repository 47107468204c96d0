#include "cli/molecules/system.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <farfield/error.hpp>
#include <map>
#include <set>

#include "cli/report/numbers.hpp"
#include "cli/terminal.hpp"

namespace farfield::cli {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::usage, sentence); }

bool is_gro(const ChargedSystem& s) { return !s.topology.names.empty(); }

/// Those of the file, or by the atoms' names.
std::vector<double> charges_of(const CoulombArguments& a, const ChargedSystem& s) {
  const io::Bodies& bodies = s.bodies;
  const std::vector<std::string>& names = s.topology.names;
  if (!a.charges.empty() && names.empty())
    refuse("--charges go by names of atoms, which this file does not have; leave them out");
  if (!bodies.strengths.empty() || bodies.count() == 0) return bodies.strengths;
  if (a.charges.empty())
    throw Error(ErrorCode::input, fmt::format("{}: the file has no charges; {}", printable(a.input),
                                              names.empty() ? "write a column q, or use a format that has them"
                                                            : "name them, as --charges OW=-0.82,HW1=0.41,HW2=0.41"));
  std::set<std::string> met;
  std::vector<double> charges;
  for (const std::string& name : names) {
    const auto found =
        std::find_if(a.charges.begin(), a.charges.end(), [&](const auto& one) { return one.first == name; });
    if (found == a.charges.end())
      refuse(fmt::format("--charges has none for atom {}; add it, as {}=0", printable(name), printable(name)));
    met.insert(name);
    charges.push_back(found->second);
  }
  for (const auto& [name, charge] : a.charges)
    if (!met.contains(name)) refuse(fmt::format("--charges names {}, and no atom is called so", printable(name)));
  return charges;
}

const Units& units_of(const CoulombArguments& a, const ChargedSystem& s) {
  const std::string name = !a.units.empty() ? a.units : is_gro(s) ? "gromacs" : "lj";
  const Units& units = units_named(name);
  if (is_gro(s) && units.angstrom != 0.1 && a.units != "lj")
    refuse(fmt::format("a gro file is in nm, units {} are in {}; use --units gromacs", units.name, units.length));
  return units;
}

/// Atoms i < j of one molecule.
std::vector<std::int64_t> pairs_within(const std::vector<std::int64_t>& molecules) {
  std::map<std::int64_t, std::vector<std::int64_t>> members;
  for (std::size_t i = 0; i < molecules.size(); ++i) members[molecules[i]].push_back(static_cast<std::int64_t>(i));
  std::vector<std::int64_t> pairs;
  for (const auto& [number, atoms] : members)
    for (std::size_t a = 0; a < atoms.size(); ++a)
      for (std::size_t b = a + 1; b < atoms.size(); ++b) pairs.insert(pairs.end(), {atoms[a], atoms[b]});
  return pairs;
}

void exclude(const CoulombArguments& a, ChargedSystem& s) {
  const std::string what = !a.exclude.empty() ? a.exclude : s.topology.bonds.empty() ? "none" : "bonds";
  const std::int64_t count = s.bodies.count();
  if (what == "bonds") {
    if (s.topology.bonds.empty()) refuse("--exclude bonds: the file has none; use --exclude molecules, or none");
    s.exclusions = Exclusions::of_bonds(count, s.topology.bonds, {a.special[0], a.special[1], a.special[2]});
    s.excluded =
        fmt::format("{} by {}; of 1-2, 1-3 and 1-4 stay {}", plural(s.exclusions.pair_count(), "pair", "pairs"),
                    plural(std::ssize(s.topology.bonds) / 2, "bond", "bonds"), fmt::join(a.special, ", "));
    return;
  }
  if (a.special != std::vector<double>(3, 0.0)) refuse("--special-bonds are of --exclude bonds; leave them out");
  s.excluded = "nothing";
  if (what == "none") return;
  if (std::ssize(s.topology.molecules) != count)
    refuse("--exclude molecules: the file does not say which atom belongs to which; use bonds, or none");
  s.exclusions = Exclusions::of_pairs(count, pairs_within(s.topology.molecules));
  s.excluded = plural(s.exclusions.pair_count(), "pair", "pairs") + " within molecules";
}

/// Which axes repeat, one bit each: as asked for, else as the file has it.
unsigned axes_of(const CoulombArguments& a, const io::Bodies& bodies) {
  for (const Word<Axes>& one : words_of(Axes{}))
    if (a.periodic == one.word) return static_cast<unsigned>(one.value);
  if (!a.periodic.empty() || bodies.cell.empty()) return 0;
  unsigned bits = 0;
  for (std::size_t i = 0; i < 3; ++i) bits |= static_cast<unsigned>(bodies.periodic[i]) << i;
  return bits;
}

/// a, b and c one behind the other, zeros along open axes.
std::vector<double> rows_of(const CoulombArguments& a, const io::Bodies& bodies, unsigned axes) {
  const auto count = static_cast<std::size_t>((axes & 1) + (axes >> 1 & 1) + (axes >> 2 & 1));
  std::vector<double> rows(9);
  if (a.cell.size() == 9 || (a.cell.empty() && bodies.cell.size() == 9)) {
    rows = a.cell.empty() ? bodies.cell : a.cell;
  } else if (a.cell.size() == count) {
    for (std::size_t i = 0, given = 0; i < 3; ++i)
      if (axes >> i & 1) rows[4 * i] = a.cell[given++];
  } else {
    refuse(
        fmt::format("{} of the cell are given, and {} periodic; write --cell with a length for each, or nine numbers",
                    plural(std::ssize(a.cell), "length", "lengths"),
                    count == 1 ? "one axis is" : fmt::format("{} axes are", count)));
  }
  for (std::size_t k = 0; k < 9; ++k)
    if (!(axes >> (k / 3) & 1)) rows[k] = 0;
  return rows;
}

void set_cell(const CoulombArguments& a, ChargedSystem& s) {
  const unsigned axes = axes_of(a, s.bodies);
  s.cell = "open";
  if (axes == 0 && a.cell.empty()) return;
  const std::vector<double> rows = rows_of(a, s.bodies, axes);
  Options& o = s.options;
  double* const to[] = {&o.cell_x,  &o.cell_ay, &o.cell_az, &o.cell_bx, &o.cell_y,
                        &o.cell_bz, &o.cell_cx, &o.cell_cy, &o.cell_z};
  for (std::size_t k = 0; k < 9; ++k) *to[k] = rows[k];
  o.periodic = static_cast<Axes>(axes);
  s.cell = fmt::format("periodic along {}:", word_of(o.periodic));
  for (std::size_t i = 0; i < 3; ++i)
    if (axes >> i & 1)
      s.cell += fmt::format(" {} = ({}, {}, {})", "abc"[i], shortest(rows[3 * i]), shortest(rows[3 * i + 1]),
                            shortest(rows[3 * i + 2]));
}

/// Half the sum of q phi with the file's potentials, where they are of this sum.
std::optional<double> reference_of(const CoulombArguments& a, const ChargedSystem& s) {
  const std::vector<double>& potential = s.bodies.reference_potential;
  unsigned stated = 0;
  for (std::size_t i = 0; i < 3; ++i) stated |= static_cast<unsigned>(s.bodies.periodic[i]) << i;
  if (potential.size() != s.charges.size() || potential.empty() || s.exclusions.pair_count() > 0 || !a.cell.empty() ||
      a.coulomb.surface != 0 || s.units->coulomb_constant != 1 || static_cast<unsigned>(s.options.periodic) != stated)
    return {};
  double energy = 0;
  for (std::size_t i = 0; i < potential.size(); ++i) energy += 0.5 * s.charges[i] * potential[i];
  return energy;
}

}  // namespace

ChargedSystem read_system(const CoulombArguments& a) {
  ChargedSystem s;
  s.bodies = io::read_points(a.input, a.reading);
  s.topology = io::read_topology(a.input);
  s.charges = charges_of(a, s);
  s.units = &units_of(a, s);
  s.options = a.options;
  set_cell(a, s);
  exclude(a, s);
  s.reference_energy = reference_of(a, s);
  return s;
}

}  // namespace farfield::cli
