#include "cli/molecules/units.hpp"

#include <farfield/error.hpp>

namespace farfield::cli {

static constexpr Units table[] = {
    {"lj", 1, 1, 1, "", "", ""},
    {"real", 332.06371, 1, 1, "Angstrom", "kcal/mol", "kcal/mol/Angstrom"},
    {"metal", 14.399645, 1, 1, "Angstrom", "eV", "eV/Angstrom"},
    {"si", 8.9876e9, 1e-10, 1.6021765e-19, "m", "J", "N"},
    {"cgs", 1, 1e-8, 4.8032044e-10, "cm", "erg", "dyn"},
    {"electron", 1, 1.88972612, 1, "Bohr", "Hartree", "Hartree/Bohr"},
    {"micro", 8.987556e6, 1e-4, 1.6021765e-7, "um", "pg um^2/us^2", "pg um/us^2"},
    {"nano", 230.7078669, 0.1, 1, "nm", "ag nm^2/ns^2", "ag nm/ns^2"},
    {"gromacs", 138.93545764438198, 0.1, 1, "nm", "kJ/mol", "kJ/mol/nm"},
};

std::span<const Units> all_units() { return table; }

const Units& units_named(const std::string& name) {
  for (const Units& units : table)
    if (name == units.name) return units;
  throw Error(ErrorCode::usage, "there are no units '" + name + "'");
}

}  // namespace farfield::cli
