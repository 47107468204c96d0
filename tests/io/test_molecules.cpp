// Systems of molecular dynamics: GROMACS structures and data files of LAMMPS, with their cells.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "files.hpp"

namespace farfield::io {
namespace {
using testing::expect_error;
using testing::expect_refusal;
using testing::Folder;
using Values = std::vector<double>;
using Flags = std::array<bool, 3>;
using Place = std::array<double, 3>;

const std::string water =
    "water, t= 1.0\n    2\n    1SOL     OW    1   0.230  -0.628   1.113\n    1SOL    HW1    2   0.137   0.626  "
    "-0.150\n   1.5   2.5   3.5\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(Gro, ReadsPositionsAndBox) {
  const Folder folder;
  for (const char* name : {"a.gro", "b.unknown"}) {
    const auto bodies = read_points(folder.put(name, water));
    EXPECT_EQ(bodies.positions, (Values{0.230, -0.628, 1.113, 0.137, 0.626, -0.150}));
    EXPECT_TRUE(bodies.strengths.empty());
    EXPECT_TRUE(bodies.extra.empty());
    EXPECT_EQ(bodies.cell, (Values{1.5, 0, 0, 0, 2.5, 0, 0, 0, 3.5}));
    EXPECT_EQ(bodies.periodic, (Flags{true, true, true}));
    EXPECT_EQ(bodies.origin, (Place{0, 0, 0}));
    EXPECT_TRUE(bodies.warnings.empty());
  }
}

// Numbers touch each other, and velocities have one digit more behind the point within the same width.
TEST(Gro, ReadsAnyPrecisionAndVelocities) {
  const Folder folder;
  const auto bodies = read_points(
      folder.put("a.gro",
                 "fine\r\n1\r\n12345SOLVEOW1.A99999-234.56789 345.67890   0.00001 -0.123456234.567890-99.000000"
                 "\r\n1 2 3 4 5 6 7 8 9\r\nnext frame\r\n"));
  EXPECT_EQ(bodies.positions, (Values{-234.56789, 345.6789, 0.00001}));
  ASSERT_EQ(bodies.extra.size(), 3u);
  EXPECT_EQ(bodies.extra[0].name, "vx");
  EXPECT_EQ(bodies.extra[0].values, Values{-0.123456});
  EXPECT_EQ(bodies.extra[1].values, Values{234.56789});
  EXPECT_EQ(bodies.extra[2].values, Values{-99});
  EXPECT_EQ(bodies.cell, (Values{1, 4, 5, 6, 2, 7, 8, 9, 3}));  // v1x v2y v3z v1y v1z v2x v2z v3x v3y
  EXPECT_EQ(bodies.warnings.size(), 1u);                        // a second frame
}

TEST(Gro, ZerosAreNoBox) {
  const Folder folder;
  const auto open = read_points(folder.put("a.gro", replaced(water, "   1.5   2.5   3.5", "0 0 0")));
  EXPECT_TRUE(open.cell.empty());
  EXPECT_EQ(open.periodic, (Flags{false, false, false}));
  EXPECT_TRUE(open.warnings.empty());
  const auto slab = read_points(folder.put("a.gro", replaced(water, "3.5", "0")));
  EXPECT_EQ(slab.periodic, (Flags{true, true, false}));
  EXPECT_EQ(read_points(folder.put("a.gro", "nothing\n0\n0 0 0\n")).count(), 0);
}

TEST(Gro, RefusesToBeSourcesWithoutCharges) {
  const Folder folder;
  expect_refusal(folder.put("a.gro", water), "a gro file has no charges, and none are guessed");
}

TEST(Gro, RefusesWithTheLine) {
  const Folder folder;
  const auto refused = [&](const std::string& text, const char* part) {
    const auto path = folder.put("a.gro", text);
    expect_error(ErrorCode::input, part, [&] { read_points(path); });
  };
  const auto changed = [](const char* from, const char* to) { return replaced(water, from, to); };
  refused("title", "line 1: the number of atoms is missing");
  refused(changed("    2\n", "  two\n"), "line 2: 'two' is no number of atoms");
  refused(changed("    2\n", "   -2\n"), "line 2: '-2' is no number of atoms");
  refused(changed("    2\n", "    3\n"), "line 5: this is no atom");
  refused(changed("    2\n", "   90\n"), "line 5: this is no atom");
  refused(changed("   0.137", "    1.37"), "line 4: this is no atom");
  refused(changed("   0.137", "   O.137"), "line 4: 'O.137' for x of an atom is not a number");
  refused(changed("   0.137   0.626  -0.150", "   0.1370   0.6260  -0.1500"), "line 4: numbers 9 letters wide");
  refused(changed("-0.150", "-0.150  0.0100  0.0200  0.0300"), "line 4: some atoms have velocities");
  refused(changed("1.113", "1.113  0.0100  0.0200"), "line 3: '' for vz of an atom is not a number");
  refused(changed("   1.5   2.5   3.5", "1.5 2.5"), "line 5: 2 numbers where a box has 3 or 9");
  refused(changed("   1.5   2.5   3.5", "1.5 2.5 x"), "line 5: 'x' does not belong to a box");
  refused(changed("   1.5   2.5   3.5", "1 2 3 4 5 6 7 8 9 10"), "line 5: '10' does not belong to a box");
  refused(water.substr(0, water.find("   1.5")), "line 4: the line of the box is missing");
  refused(water.substr(0, water.find("    1SOL    HW1")), "line 3: the file ends after 1 of 2 atoms");
  for (std::size_t length = 1; length < water.size() - 3; ++length)
    expect_error(ErrorCode::input, "a.gro", [&] { read_points(folder.put("a.gro", water.substr(0, length))); });
}

TEST(Gro, ReadsTheWaters) {
  const auto path = testing::real_file("spc216.gro");
  if (path.empty()) GTEST_SKIP() << testing::no_real_files;
  const auto bodies = read_points(path);
  EXPECT_EQ(bodies.count(), 648);
  EXPECT_EQ(bodies.positions[0], 0.230);
  EXPECT_EQ(bodies.positions.back(), 0.399);
  EXPECT_EQ(bodies.cell, (Values{1.86206, 0, 0, 0, 1.86206, 0, 0, 0, 1.86206}));
  expect_refusal(path, "no charges");
}

const std::string data_head =
    "made by hand: 5 atoms\n\n2 atoms # of water\n1 bonds\n2 atom types\n\n-1 3 xlo xhi\n-2 4 ylo yhi\n 0 5  zlo  "
    "zhi\n";
const std::string full = data_head + "\nMasses\n\n1 16\nH 1.0\n\nAtoms # full\n\n7 1 1 -0.8 1 2 3 # O\n" +
                         "# between\n9 1 2 +0.4 4.5 -5e0 6 0 -1 0\n\nVelocities\n\n7 0 0 0\n9 0 0 0\n";

TEST(Lammps, ReadsChargesAndBox) {
  const Folder folder;
  const auto by_sight = testing::gzip(full, folder / "data.packed.gz");
  for (const auto& path : {folder.put("a.lmp", full), folder.put("data.water", full), by_sight}) {
    const auto bodies = read(path);
    EXPECT_EQ(bodies.positions, (Values{1, 2, 3, 4.5, -5, 6}));
    EXPECT_EQ(bodies.strengths, (Values{-0.8, 0.4}));
    ASSERT_EQ(bodies.extra.size(), 2u);
    EXPECT_EQ(bodies.extra[0].values, (Values{7, 9}));
    EXPECT_EQ(bodies.extra[1].values, (Values{1, 2}));
    EXPECT_EQ(bodies.cell, (Values{4, 0, 0, 0, 6, 0, 0, 0, 5}));
    EXPECT_EQ(bodies.origin, (Place{-1, -2, 0}));
    EXPECT_EQ(bodies.periodic, (Flags{true, true, true}));
    EXPECT_TRUE(bodies.warnings.empty());
  }
}

TEST(Lammps, ReadsTiltedCells) {
  const Folder folder;
  const auto tilted = read(folder.put("a.lmp", replaced(full, "\nMasses", "0.1 0.2 0.3 xy xz yz\n\nMasses")));
  EXPECT_EQ(tilted.cell, (Values{4, 0, 0, 0.1, 6, 0, 0.2, 0.3, 5}));
  const std::string general = "title\n2 atoms\n1 2 3 avec\n4 5 6 bvec\n7 8 10 cvec\n-1 -2 -3 abc origin\n";
  const auto any = read(folder.put("a.lmp", general + full.substr(full.find("\nMasses"))));
  EXPECT_EQ(any.cell, (Values{1, 2, 3, 4, 5, 6, 7, 8, 10}));
  EXPECT_EQ(any.origin, (Place{-1, -2, -3}));
  const auto none = read(folder.put("a.lmp", "title\n2 atoms\n" + full.substr(full.find("\nMasses"))));
  EXPECT_TRUE(none.cell.empty());
  EXPECT_TRUE(none.warnings.empty());
}

TEST(Lammps, ReadsOtherStyles) {
  const Folder folder;
  const auto atoms = [&](const std::string& section) { return folder.put("a.lmp", data_head + "\nAtoms" + section); };
  EXPECT_EQ(read(atoms("#charge\n\n1 1 0.5 1 2 3\n2 2 1 4 5 6 0 0 0\n")).strengths, (Values{0.5, 1}));
  EXPECT_EQ(read(atoms("\n\n1 1 0.5 1 2 3 0 0 0\n2 2 -1 4 5 6 1 0 0\n")).strengths, (Values{0.5, -1}));
  EXPECT_EQ(read(atoms("\n\n1 1 1 0.5 1 2 3\n2 2 1 1 4 5 6\n")).strengths, (Values{0.5, 1}));
  const auto named = read(atoms(" # full\n\n1 1 O 0.5 1 2 3\n2 1 H 1 4 5 6\n"));  // types with names
  EXPECT_EQ(named.extra.size(), 1u);
  const auto targets = read_points(atoms(" # atomic\n\n1 1 1 2 3\n2 2 4 5 6\n"));
  EXPECT_EQ(targets.positions, (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(targets.strengths.empty());
  const std::string unsure = "\n\n1 1 1 1 2 3\n2 1 2 4 5 6\n";  // types or charges?
  EXPECT_TRUE(read_points(atoms(unsure)).strengths.empty());
  expect_refusal(atoms(unsure), "line 11: no style is named, and the third words may be charges or types");
  expect_refusal(atoms(" # atomic\n\n1 1 1 2 3\n2 2 4 5 6\n"), "line 11: atoms of style atomic have no charges");
}

TEST(Lammps, RefusesWithTheLine) {
  const Folder folder;
  const auto refused = [&](const std::string& from, const std::string& to, const char* part) {
    expect_refusal(folder.put("a.lmp", replaced(full, from, to)), part);
  };
  refused("2 atoms", "2.5 atoms", "line 3: this is no number of atoms");
  refused("2 atoms", "-2 atoms", "line 3: this is no number of atoms");
  refused("2 atoms", "2 items", "line 16: the header before it has no line of the number of atoms");
  refused("2 atoms", "3 atoms", "line 22: 'Velocities' is no identifier of an atom, of which the header states 3");
  refused("-1 3 xlo", "3 -1 xlo", "line 7: the box has no extent between xlo xhi");
  refused("-1 3 xlo", "-1 nan xlo", "line 7: the box has no extent");
  refused("-1 3 xlo", "-1 xlo", "line 7: 1 numbers before xlo xhi where there are 2");
  refused("\nMasses", "0.1 xy xz yz\n\nMasses", "line 10: 1 numbers before xy xz yz");
  refused("Atoms", "Ellipsoids", "there is no section Atoms");
  refused("# full", "# body", "line 18: atoms of style 'body' are not read");
  refused("-0.8", "-0.8e", "line 18: '-0.8e' is not a number");
  refused("-0.8 1 2 3", "-0.8 1 2", "line 18: 6 words where an atom of style full has 7, or 10");
  refused("-1 0\n", "-1\n", "line 20: 9 words");
  expect_refusal(folder.put("a.lmp", data_head + "Atoms\n\n1 1 1 2 3\n"), "line 12: 5 words are those of neither");
  expect_refusal(folder.put("a.lmp", data_head + "Atoms\n\n1 1 1.5 1 1 2 3\n"), "line 12: '1.5' is no type");
  expect_refusal(folder.put("a.lmp", data_head + "Atoms\n\n1 1 0.5 1 2 3\n"), "line 12: the file ends after 1 of 2");
}

TEST(Lammps, ReadsTheProtein) {
  const auto path = testing::real_file("data.rhodo.gz");
  if (path.empty()) GTEST_SKIP() << testing::no_real_files;
  const auto bodies = read(path);
  ASSERT_EQ(bodies.count(), 32000);
  const auto& q = bodies.strengths;
  EXPECT_NEAR(std::accumulate(q.begin(), q.end(), 0.0), 0, 1e-9);
  EXPECT_NEAR(std::inner_product(q.begin(), q.end(), q.begin(), 0.0), 5807.767002, 1e-6);
  EXPECT_EQ(bodies.cell, (Values{55, 0, 0, 0, 77, 0, 0, 0, 36.3615 + 36.3646}));
  EXPECT_EQ(bodies.origin, (Place{-27.5, -38.5, -36.3646}));
}

}  // namespace
}  // namespace farfield::io
