// The periodic oracle against published and recomputed values, to their printed digits, and against itself: two splits,
// differences of the potential, strain.
#include "support/ewald.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "io/bodies.hpp"
#include "periodic/crystals.hpp"

namespace farfield::testing {
namespace {

constexpr Axes xyz{true, true, true}, xy{true, true, false}, only_z{false, false, true}, open{false, false, false};
const Rows unit_cube = box(1, 1, 1);

Real energy(const Crystal& c, const Axes& axes = xyz) { return sum_pairs(Ewald(c.cell, axes), c.x, c.q).energy; }

TEST(Ewald, Madelung) {
  expect_digits(energy(rock_salt()), "-1.747564594633182");
  expect_digits(energy(caesium_chloride()) * std::sqrt(3.0L) / 2, "-1.762674773070988");
  expect_digits(energy(caesium_chloride()), "-2.035361509452595");
  expect_digits(energy(zincblende()) * std::sqrt(3.0L) / 4, "-1.638055053388789");
  expect_digits(energy(wurtzite()), "-5.36053398780771");
  expect_digits(energy(perovskite()), "-49.5098721133588");
}

TEST(Ewald, PotentialsOfIons) {
  const Crystal f = fluorite(), c = cuprite();
  const auto at_f = sum_pairs(Ewald(f.cell, xyz), f.x, f.q), at_c = sum_pairs(Ewald(c.cell, xyz), c.x, c.q);
  expect_digits(at_f.energy, "-11.6365752270768");
  expect_digits(at_f.potential[0], "-7.56585220817156");
  expect_digits(at_f.potential[1], "4.07072301890519");
  expect_digits(at_c.energy, "-20.5189140661501");
  expect_digits(at_c.potential[0], "6.47653092898926");
  expect_digits(at_c.potential[2], "-3.78292610408578");
}

TEST(Ewald, OneChargeInItsBackground) {
  expect_digits(Ewald(unit_cube, xyz).at({0, 0, 0}).u, "-2.837297479480620");
  expect_digits(Ewald(body_centred, xyz).at({0, 0, 0}).u, "-3.639233449508644");
  expect_digits(Ewald(face_centred, xyz).at({0, 0, 0}).u, "-4.584862074113802");
}

TEST(Ewald, LayerAndChain) {
  const Crystal layer{{{{1, 1, 0}, {1, -1, 0}, {0, 0, 1}}}, {{0, 0, 0}, {1, 0, 0}}, {1, -1}};
  expect_digits(energy(layer, xy), "-1.6155426267128247");
  const Crystal chain{box(1, 1, 2), {{0, 0, 0}, {0, 0, 1}}, {1, -1}};
  expect_digits(energy(chain, only_z), "-1.386294361119890619");
}

struct FourCase {
  Rows cell;
  Axes axes;
  const char *neutral, *charged;
};
const std::vector<FourCase> four_cases = {{unit_cube, xyz, "-7.432377394252", "-8.0910578333534"},
                                          {box(1, 1, 8), xyz, "-6.5735951001917", "-0.26529618177483"},
                                          {box(1, 1, 20), xyz, "-6.4672718238217", "6.3992981085046"},
                                          {box(8, 8, 1), xyz, "-4.8712138863285", "-4.7836023660985"},
                                          {triclinic, xyz, "-8.031924154012", "-7.7044136186146"},
                                          {hexagonal(1.633), xyz, "-8.8121150583802", "-7.4757522267951"},
                                          {unit_cube, xy, "-6.396389639575", nullptr},
                                          {hexagonal(1), xy, "-7.81166859328", nullptr},
                                          {unit_cube, only_z, "-4.81619010556", nullptr},
                                          {unit_cube, open, "-6.046859357648", nullptr}};

TEST(Ewald, FourChargesInTenCells) {
  for (const FourCase& c : four_cases) {
    expect_digits(energy({c.cell, four_x, four_q}, c.axes), c.neutral);
    if (c.charged) expect_digits(energy({c.cell, four_x, four_q_charged}, c.axes), c.charged);
  }
}

TEST(Ewald, ForceAndVirialOfFourCharges) {
  const auto s = sum_pairs(Ewald(unit_cube, xyz), four_x, four_q);
  const char* force[] = {"6.00290017463", "-2.4760152461", "-5.23728605939"};
  for (int a = 0; a < 3; ++a) expect_digits(s.force[0][a], force[a]);
  const char* cube[] = {"-2.58510301693", "-4.12365961538",  "-0.723614761944",
                        "0.232751970744", "-0.334703846573", "0.902249067248"};
  const char* tilted[] = {"-0.631858613578", "-6.22861804911", "-1.17144749133",
                          "-0.933244526167", "-1.87439555924", "2.48944142123"};
  const auto w = strain_virial(unit_cube, xyz, four_x, four_q), t = strain_virial(triclinic, xyz, four_x, four_q);
  for (int part = 0; part < 6; ++part) expect_digits(w[part], cube[part]), expect_digits(t[part], tilted[part]);
}

TEST(Ewald, TraceOfTheVirialIsTheEnergy) {
  for (const FourCase& c : four_cases) {
    const auto& q = c.charged ? four_q_charged : four_q;
    const auto w = strain_virial(c.cell, c.axes, four_x, q);
    EXPECT_NEAR(static_cast<double>(w[0] + w[1] + w[2] - energy({c.cell, four_x, q}, c.axes)), 0, 1e-11);
  }
}

TEST(Ewald, VirialIsMinusTheDerivativeByStrain) {
  for (const FourCase& c : four_cases)
    for (const auto* q : {&four_q, &four_q_charged}) {
      if (q == &four_q_charged && !c.charged) continue;
      const Six differences = strain_virial(c.cell, c.axes, four_x, *q);
      for (const Real split : {1.5L, 2.3L}) {
        const Six w = sum_pairs(Ewald(c.cell, c.axes, split), four_x, *q).virial;
        for (int part = 0; part < 6; ++part)
          EXPECT_NEAR(static_cast<double>(w[part] - differences[part]), 0, 1e-11) << part;
      }
    }
}

TEST(Ewald, TwoSplitsAgreeAndForcesAreDerivatives) {
  constexpr unsigned seed = 2411;
  SCOPED_TRACE(seed);
  Stream random(seed);
  for (int trial = 0; trial < 14; ++trial) {
    const Axes axes = axes_of(trial + 1);
    const Rows cell = random_cell(random, 0.4);
    const Ewald one(cell, axes, 1.5L), other(cell, axes, 2.3L);
    const Vec r{random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)};
    const auto a = one.at(r), b = other.at(r);
    EXPECT_NEAR(static_cast<double>(a.u - b.u), 0, 1e-16) << trial;
    EXPECT_NEAR(static_cast<double>(one.at({0, 0, 0}).u - other.at({0, 0, 0}).u), 0, 1e-16) << trial;
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(static_cast<double>(a.g[i] - b.g[i]), 0, 3e-15) << trial;
      Vec up = r, down = r;
      up[i] += 1e-5L, down[i] -= 1e-5L;
      const Real slope = (one.at(up).u - one.at(down).u) / 2e-5L;
      EXPECT_NEAR(static_cast<double>((slope - a.g[i]) / (1 + dot(a.g, a.g))), 0, 1e-7) << trial;
    }
  }
}

/// A system of ScaFaCoS as the library's reader gives it, which leaves its cell alone; no charges where the file is not
/// there.
struct System {
  std::vector<Vec> x;
  io::Bodies given;
};
System read_system(const std::string& name) {
  const std::string path = FARFIELD_TEST_DATA "/scafacos/" + name;
  System system;
  if (!std::filesystem::exists(path)) return system;
  system.given = io::read(path);
  const auto& x = system.given.positions;
  for (std::size_t i = 0; i < x.size(); i += 3) system.x.push_back({x[i], x[i + 1], x[i + 2]});
  return system;
}
constexpr const char* not_there = "the file is not there (FARFIELD_TEST_DATA)";

/// Energy, potentials and fields of a file; `energy`: that of periodic.md where the file's own is another.
void expect_file(const std::string& name, const Rows& cell, double error, const char* energy) {
  const auto [x, given] = read_system(name);
  if (x.empty()) GTEST_SKIP() << not_there;
  const std::size_t step = energy ? 1 : 8;
  const auto s = energy ? sum_pairs(Ewald(cell, xyz), x, given.strengths) : sum_some(Ewald(cell, xyz), x, given.strengths, step);
  if (energy) expect_digits(s.energy, energy);
  for (std::size_t k = 0, i = 0; i < x.size(); ++k, i += step) {
    EXPECT_NEAR(static_cast<double>(s.potential[k]), given.reference_potential[i], error) << i;
    for (std::size_t a = 0; a < 3; ++a)
      EXPECT_NEAR(static_cast<double>(s.force[k][a] / given.strengths[i] + given.reference_gradient[3 * i + a]), 0,
                  20 * error)
          << i;
  }
}
const std::string cloud_and_wall = "3d-periodic_cloud_wall_300.xml.gz";
TEST(Ewald, CloudAndWall) { expect_file(cloud_and_wall, box(10, 10, 10), 1e-12, "148.9431235767877"); }
// Positions and values have six digits, pairs are 0.1 apart: 5e-7 of a position is 1e-3 of a field.
TEST(Ewald, NeutralTriclinic) {
  expect_file("3d-periodic_neutral_tricl_228.xml.gz", {{{4, 0, 0}, {2, 2, 0}, {2, 2, 2}}}, 5e-5, nullptr);
}

TEST(Ewald, CloudAndWallInOtherCells) {
  const auto [x, given] = read_system(cloud_and_wall);
  if (x.empty()) GTEST_SKIP() << not_there;
  const auto& q = given.strengths;
  expect_digits(energy({{{{20, 10, 10}, {10, 10, 0}, {20, 0, 10}}}, x, q}), "148.9431235767877");
  expect_digits(energy({box(10, 10, 10), x, q}, {false, true, true}), "112.22215654009622");
  expect_digits(energy({box(10, 10, 10), x, q}, only_z), "89.9898755939849");
}

}  // namespace
}  // namespace farfield::testing
