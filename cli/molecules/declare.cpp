// The options of `farfield coulomb`.
#include <algorithm>
#include <string_view>

#include "cli/arguments.hpp"
#include "cli/molecules/units.hpp"
#include "cli/report/values.hpp"

namespace farfield::cli {
namespace {

bool is_of_charges(const OptionText& text) {
  constexpr std::string_view names[] = {"tolerance", "tolerance_for", "method", "precision",
                                        "backend",   "threads",       "virial", "simd"};
  return std::find(std::begin(names), std::end(names), std::string_view(text.name)) != std::end(names);
}

[[noreturn]] void refuse(const std::string& sentence) {
  throw CLI::ValidationError(sentence, CLI::ExitCodes::ValidationError);
}

void parse_numbers(const std::string& text, std::size_t count, std::vector<double>& numbers) {
  numbers.clear();
  for (const std::string& part : split(text)) numbers.push_back(parse_number(part));
  if (numbers.size() != count) refuse("'" + text + "' has to be " + std::to_string(count) + " numbers");
}

double parse_surface(const std::string& text) {
  if (text == "tinfoil") return 0;
  if (text == "vacuum") return 1;
  const double outside = parse_number(text);
  if (!(outside > 0)) refuse("'" + text + "' is none; write tinfoil, vacuum, or a dielectric constant above 0");
  return outside;
}

/// OW=-0.82
std::pair<std::string, double> parse_charge(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == text.npos || equals == 0)
    refuse("'" + text + "' is no atom's name and charge; write OW=-0.82,HW1=0.41,HW2=0.41");
  return {text.substr(0, equals), parse_number(text.substr(equals + 1))};
}

void add_system(CLI::App& app, CoulombArguments& a) {
  std::vector<std::pair<std::string, std::string>> words;
  for (const Units& units : all_units()) words.emplace_back(units.name, units.name);
  add_word<std::string>(app, "--units", a.units, words, "LAMMPS' styles, or gromacs (default: lj; of gro gromacs)")
      ->type_name("NAME");
  words.clear();
  for (const Word<Axes>& one : words_of(Axes{})) words.emplace_back(one.word, one.word);
  add_word<std::string>(app, "--periodic", a.periodic, words, "Axes that repeat (default: those of the file)")
      ->type_name("AXES");
  add_parsed(
      app, "--cell", [&a](const std::string& text) { parse_cell(text, a.cell); },
      "Lengths of the cell, or its three vectors")
      ->type_name("L,...");
  const auto take_charges = [&a](const std::string& text) {
    for (const std::string& part : split(text)) a.charges.push_back(parse_charge(part));
  };
  add_parsed(app, "--charges", take_charges, "Of atoms by their names, where a gro file has none")
      ->type_name("ATOM=Q,...");
  add_word<std::string>(app, "--exclude", a.exclude, {{"bonds", "bonds"}, {"molecules", "molecules"}, {"none", "none"}},
                        "Pairs to leave out (default: bonds of the file)");
  add_parsed(
      app, "--special-bonds", [&a](const std::string& text) { parse_numbers(text, 3, a.special); },
      "Kept of 1-2, 1-3, 1-4 (default 0,0,0)")
      ->type_name("F,F,F");
  add_parsed(
      app, "--surface", [&a](const std::string& text) { a.coulomb.surface = parse_surface(text); },
      "Medium outside: tinfoil, vacuum, constant")
      ->type_name("EPS");
  add_parsed(
      app, "--dipole", [&a](const std::string& text) { parse_numbers(text, 3, a.dipole); },
      "Of whole molecules, for --surface")
      ->type_name("X,Y,Z");
  add_coulomb_options(app, a.coulomb);
}

}  // namespace

void add_coulomb(CLI::App& parent, CoulombArguments& a) {
  CLI::App& app = *parent.add_subcommand("coulomb", "Energy and forces of the charges of molecules");
  app.add_option("INPUT", a.input, "Charges: LAMMPS data, gro, xml, csv, ...; - for a pipe")->required()->type_name("");
  add_system(app, a);
  const auto general = [](const OptionText& text) {
    return is_of_charges(text) && text.where == option::Where::general;
  };
  add_options(app, a.options, general);
  add_number(app, "--accuracy", a.accuracy, "LAMMPS': rms error of forces, for --tolerance")->type_name("X");
  app.add_option("-o,--output", a.output, "Forces, energies: .npz, .csv or .npy; - for a pipe")->type_name("FILE");
  add_output_format(app, a.format);
  add_reading(app, a.reading);
  app.add_flag("-q,--quiet", a.quiet, "Print nothing but errors");
  add_options(app, a.options, [&](const OptionText& text) { return is_of_charges(text) && !general(text); });
  app.footer(
      "Cell and periodic axes are those of the file where it states them; bonds of\n"
      "LAMMPS data are left out as special_bonds 0 0 0 has it. Columns (arrays)\n"
      "q, potential, energy, fx,fy,fz (forces) follow the positions.\n\n"
      "Examples:\n"
      "  farfield coulomb data.rhodo.gz --units real --accuracy 1e-4 -o forces.npz\n"
      "  farfield coulomb spc216.gro --charges OW=-0.82,HW1=0.41,HW2=0.41 \\\n"
      "    --exclude molecules --virial\n"
      "  farfield coulomb salt.csv --periodic xyz --cell 5.64,5.64,5.64 --units metal");
}

}  // namespace farfield::cli
