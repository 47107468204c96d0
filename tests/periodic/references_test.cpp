// Coulomb sums that others have published, to their digits: crystals, water, a protein in its membrane, systems of
// ScaFaCoS. What is read from files is skipped where they are not there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <numeric>
#include <sstream>

#include "io/binary/bytes.hpp"
#include "io/bodies.hpp"
#include "io/topology/topology.hpp"
#include "periodic/molecules.hpp"

namespace farfield::testing {
namespace {

constexpr Axes xyz{true, true, true};
constexpr double of_lammps = 332.06371;  // qqr2e of its units real

CoulombSums sums_of(const Crystal& c, const Axes& axes, double tolerance) {
  return Coulomb(points(flat(c.x)), in_cell(c.cell, axes, tolerance)).evaluate(c.q);
}

/// Energies of a formula unit times a length: within what the promise for the potential allows.
TEST(CoulombReferences, Madelung) {
  constexpr double tolerance = 1e-12;
  const struct {
    Crystal crystal;
    double length, value;
  } cases[] = {
      {rock_salt(), 1, -1.747564594633182},        {caesium_chloride(), std::sqrt(3.0) / 2, -1.762674773070988},
      {caesium_chloride(), 1, -2.035361509452595}, {zincblende(), std::sqrt(3.0) / 4, -1.638055053388789},
      {wurtzite(), 1, -5.36053398780771},          {fluorite(), 1, -11.6365752270768},
      {cuprite(), 1, -20.5189140661501},           {perovskite(), 1, -49.5098721133588}};
  for (const auto& [crystal, length, value] : cases) {
    const CoulombSums found = sums_of(crystal, xyz, tolerance);
    double charge = 0, potential = 0;
    for (std::size_t i = 0; i < crystal.q.size(); ++i)
      charge += crystal.q[i] * crystal.q[i], potential += found.potential[i] * found.potential[i];
    EXPECT_NEAR(found.energy * length, value,
                0.5 * tolerance * std::sqrt(charge * potential) * length + 1e-14 * std::fabs(value));
  }
  EXPECT_NEAR(sums_of(fluorite(), xyz, tolerance).potential[0], -7.56585220817156, 1e-11);
  EXPECT_NEAR(sums_of(cuprite(), xyz, tolerance).potential[2], -3.78292610408578, 1e-11);
  for (const auto& [cell, value] : {std::pair{box(1, 1, 1), -2.837297479480620},
                                    {body_centred, -3.639233449508644},
                                    {face_centred, -4.584862074113802}})
    EXPECT_NEAR(sums_of({cell, {{0, 0, 0}}, {1}}, xyz, tolerance).potential[0], value, 1e-11);
  const Crystal layer{{{{1, 1, 0}, {1, -1, 0}, {0, 0, 1}}}, {{0, 0, 0}, {1, 0, 0}}, {1, -1}};
  const Crystal chain{box(1, 1, 2), {{0, 0, 0}, {0, 0, 1}}, {1, -1}};
  EXPECT_NEAR(sums_of(layer, {true, true, false}, tolerance).energy, -1.6155426267128247, 1e-11);
  EXPECT_NEAR(sums_of(chain, {false, false, true}, tolerance).energy, -2 * std::numbers::ln2, 1e-11);
}

std::string path_of(const std::string& name) { return FARFIELD_TEST_DATA "/" + name; }
io::Bodies read(const std::string& name) {
  return std::filesystem::exists(path_of(name)) ? io::read_points(path_of(name)) : io::Bodies();
}
constexpr const char* not_there = "the file is not there (FARFIELD_TEST_DATA)";

Rows rows_of(const io::Bodies& b) {
  Rows rows;
  for (std::size_t k = 0; k < 9; ++k) rows[k / 3][k % 3] = b.cell[k];
  return rows;
}

/// 216 waters of GROMACS in nm: all pairs, those of each molecule, and without these (two Ewald sums of ours agree).
TEST(CoulombReferences, Water) {
  const io::Bodies water = read("spc216.gro");
  if (water.count() == 0) GTEST_SKIP() << not_there;
  ASSERT_EQ(water.count(), 648);
  const io::Topology of = io::read_topology(path_of("spc216.gro"));
  std::vector<double> q;
  std::vector<std::int64_t> pairs;
  for (std::size_t i = 0; i < 648; ++i) {
    q.push_back(of.names[i] == "OW" ? -0.82 : 0.41);
    for (std::size_t j = i + 1; j < 648 && of.molecules[j] == of.molecules[i]; ++j)
      pairs.insert(pairs.end(), {static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)});
  }
  ASSERT_EQ(pairs.size(), 2 * 648u);
  Options o = in_cell(rows_of(water), xyz, 1e-11);
  o.virial = true;
  Coulomb sum(points(water.positions), o);
  const double whole = sum.evaluate(q).energy;
  sum.exclude(Exclusions::of_pairs(648, pairs));
  const CoulombSums& net = sum.evaluate(q);
  EXPECT_NEAR(whole, -1311.0435618364, 2e-9);
  EXPECT_NEAR(net.energy - whole, 1230.0282015349, 2e-9);
  EXPECT_NEAR(net.energy, -81.015360301402, 1e-10);
  EXPECT_NEAR(net.energy * 138.93545764438198, -11255.90616, 6e-6);  // kJ/mol
  EXPECT_NEAR(net.energy / 10 * of_lammps, -2690.226111, 6e-7);      // kcal/mol, lengths in Angstrom
  const double w[] = {-24.69859648, -27.99032455, -28.32643927, 2.22673033, 0.65404897, 0.84269199};
  for (std::size_t s = 0; s < 6; ++s) EXPECT_NEAR(net.virial[s], w[s], 6e-9);
}

/// The numbers of OpenMM's lines "positions[0] = Vec3(1.066000,1.628000,0.835000);".
std::vector<double> read_vec3(const std::string& path) {
  std::ifstream file(path);
  std::vector<double> x;
  for (std::string line; std::getline(file, line);) {
    const std::size_t open = line.find("Vec3(");
    if (open == std::string::npos) continue;
    std::istringstream words(line.substr(open + 5));
    for (double value; words >> value; words.ignore()) x.push_back(value);
  }
  return x;
}

/// Molten salt of OpenMM's tests (tests/nacl_amorph.dat, TestEwald.h): 447 sodium, then 447 chloride, cube of 3.00646
/// nm. TestEwald.h has -3.82047e5 kJ/mol of GROMACS; the other digits are those of an Ewald sum of ours.
TEST(CoulombReferences, MoltenSalt) {
  const std::string path = path_of("nacl_amorph.dat");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << not_there;
  const std::vector<double> x = read_vec3(path);
  ASSERT_EQ(x.size(), 3 * 894u);
  std::vector<double> q(894, 1);
  std::fill(q.begin() + 447, q.end(), -1.0);
  Options o = in_cell(box(3.00646, 3.00646, 3.00646), xyz, 1e-11);
  o.virial = true;
  const CoulombSums found = Coulomb(points(x), o).evaluate(q);
  std::printf("nacl_amorph: %.13g /nm, %.12g kJ/mol\n", found.energy, found.energy * 138.93545764438198);
  EXPECT_NEAR(found.energy * 138.93545764438198, -3.82047e5, 0.5);
  EXPECT_NEAR(found.energy, -2749.8194489487, 1e-9);
  const double w[] = {-928.33254938, -907.9891817, -913.49771787};
  for (std::size_t s = 0; s < 3; ++s) EXPECT_NEAR(found.virial[s], w[s], 6e-9);
}

/// Of the section behind `name`, which is the first line that is no number: its lines as numbers.
std::vector<std::vector<double>> section(std::istringstream file, const std::string& name) {
  std::vector<std::vector<double>> rows;
  std::string line;
  while (std::getline(file, line) && line != name) {
  }
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::vector<double> row;
    for (double value; words >> value;) row.push_back(value);
    if (row.empty() && !rows.empty()) break;
    if (!row.empty()) rows.push_back(row);
  }
  return rows;
}

/// Pairs 1-2, 1-3 and 1-4 are left out (special_bonds charmm); dihedral_style charmm adds the pair at the ends of each
/// dihedral again, by the weight that is the last of its coefficients.
Exclusions exclusions_of_charmm(const std::string& path, std::int64_t count, const std::vector<std::int64_t>& bonds) {
  const io::Blob packed = io::load_file(path);
  const std::string text(io::gunzip(path, packed.view()).view());
  std::map<std::pair<std::int64_t, std::int64_t>, double> weight;
  const auto kinds = section(std::istringstream(text), "Dihedral Coeffs");
  for (const auto& row : section(std::istringstream(text), "Dihedrals")) {
    const auto one = static_cast<std::int64_t>(row[2]) - 1, four = static_cast<std::int64_t>(row[5]) - 1;
    weight[std::minmax(one, four)] += kinds[static_cast<std::size_t>(row[1]) - 1].back();
  }
  const Exclusions special = Exclusions::of_bonds(count, bonds);
  std::vector<std::int64_t> pairs;
  std::vector<double> kept;
  for (std::int64_t i = 0; i < count; ++i)
    for (auto k = special.starts()[static_cast<std::size_t>(i)]; k < special.starts()[static_cast<std::size_t>(i) + 1];
         ++k) {
      const std::int64_t j = special.others()[static_cast<std::size_t>(k)];
      if (i > j) continue;
      const auto found = weight.find({i, j});
      pairs.insert(pairs.end(), {i, j});
      kept.push_back(found == weight.end() ? 0 : found->second);
    }
  return Exclusions::of_pairs(count, pairs, kept);
}

/// LAMMPS' benchmark rhodo: E_coul + E_long of its pppm at an accuracy of 1e-4 is -63377.84 kcal/mol, at 1e-6
/// -63380.678, the exact sum -63380.716.
TEST(CoulombReferences, ProteinInMembrane) {
  const io::Bodies rhodo = read("data.rhodo.gz");
  if (rhodo.count() == 0) GTEST_SKIP() << not_there;
  const std::vector<std::int64_t> bonds = io::read_topology(path_of("data.rhodo.gz")).bonds;
  ASSERT_EQ(bonds.size(), 2 * 27723u);
  const Exclusions pairs = exclusions_of_charmm(path_of("data.rhodo.gz"), rhodo.count(), bonds);
  const CoulombSums tight =
      Coulomb(points(rhodo.positions), in_cell(rows_of(rhodo), xyz, 1e-7), {.coulomb_constant = of_lammps}, pairs)
          .evaluate(rhodo.strengths);
  std::printf("rhodo: %.6f kcal/mol\n", tight.energy);
  EXPECT_NEAR(tight.energy, -63380.716, 6e-4);
  EXPECT_NEAR(tight.energy, -63377.84, 3);  // 5e-5: pppm's error at 1e-4
  const CoulombOptions lammps{.coulomb_constant = of_lammps, .two_charge_force = of_lammps};
  const CoulombSums loose =
      Coulomb(points(rhodo.positions), in_cell(rows_of(rhodo), xyz, 1e-4), lammps, pairs).evaluate(rhodo.strengths);
  double square = 0;
  for (std::size_t k = 0; k < tight.forces.size(); ++k) square += std::pow(loose.forces[k] - tight.forces[k], 2);
  const double rms = std::sqrt(square / 32000) / of_lammps;
  std::printf("rhodo at LAMMPS' accuracy 1e-4: %.3f kcal/mol, rms error of forces %.2g\n", loose.energy, rms);
  EXPECT_LE(rms, 1e-4);
  EXPECT_NEAR(loose.energy, tight.energy, 3);
}

/// Energies, potentials and fields of a file; `digits`: of its numbers, beside what the tolerance allows.
void expect_file(const std::string& name, double tolerance, double digits, double energy) {
  const io::Bodies b = read("scafacos/" + name);
  if (b.count() == 0) GTEST_SKIP() << not_there;
  const Axes axes{b.periodic[0], b.periodic[1], b.periodic[2]};
  const CoulombSums found = Coulomb(points(b.positions), in_cell(rows_of(b), axes, tolerance)).evaluate(b.strengths);
  std::printf("%s: energy %.13g\n", name.c_str(), found.energy);
  EXPECT_NEAR(found.energy, energy, (tolerance + digits) * std::fabs(energy) + tolerance * std::fabs(energy));
  std::vector<double> fields;
  for (std::size_t k = 0; k < b.positions.size(); ++k) fields.push_back(-found.forces[k] / b.strengths[k / 3]);
  EXPECT_LE(difference_of(found.potential, b.reference_potential), tolerance + digits);
  EXPECT_LE(difference_of(fields, b.reference_gradient), tolerance + digits);
}

const std::string cloud_and_wall = "3d-periodic_cloud_wall_300.xml.gz";
TEST(CoulombReferences, CloudAndWall) { expect_file(cloud_and_wall, 1e-11, 1e-13, 148.9431235767877); }
TEST(CoulombReferences, SilicaMelt) {
  expect_file("3d-periodic_silica_melt_12960.xml.gz", 1e-7, 1e-8, -16623.2460954);  // the file states 1e-8
}
// Positions and values have six digits, pairs are 0.1 apart: 5e-7 of a position is 1e-3 of a field.
TEST(CoulombReferences, NeutralTriclinic) {
  expect_file("3d-periodic_neutral_tricl_228.xml.gz", 1e-9, 2e-5, -2.855345735);
}

TEST(CoulombReferences, CloudAndWallInOtherCells) {
  const io::Bodies b = read("scafacos/" + cloud_and_wall);
  if (b.count() == 0) GTEST_SKIP() << not_there;
  const auto energy = [&](const Rows& cell, const Axes& axes) {
    return Coulomb(points(b.positions), in_cell(cell, axes, 1e-11)).evaluate(b.strengths).energy;
  };
  const double allowed = 2e-11 * 150;
  EXPECT_NEAR(energy({{{10, 10, 0}, {0, 10, 0}, {0, 0, 10}}}, xyz), 148.9431235767877, allowed);
  EXPECT_NEAR(energy({{{20, 10, 0}, {10, 10, 0}, {0, 0, 10}}}, xyz), 148.9431235767877, allowed);
  EXPECT_NEAR(energy({{{20, 10, 10}, {10, 10, 0}, {20, 0, 10}}}, xyz), 148.9431235767877, allowed);  // left-handed
  EXPECT_NEAR(energy(box(10, 10, 10), {false, true, true}), 112.22215654009622, allowed);
  EXPECT_NEAR(energy(box(10, 10, 10), {false, false, true}), 89.9898755939849, allowed);
}

}  // namespace
}  // namespace farfield::testing
