// Names, molecules and bonds beside the atoms.
#include <gtest/gtest.h>

#include "farfield/error.hpp"
#include "files.hpp"
#include "io/topology/topology.hpp"

namespace farfield::io {
namespace {

using testing::Folder;
using Atoms = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

std::string gro_atom(const std::string& residue, const std::string& name) {
  return residue + std::string(5 - name.size(), ' ') + name + "    1   0.100   0.200   0.300\n";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}
std::string gro() {
  return "water\n    5\n" + gro_atom("    1SOL  ", "OW") + gro_atom("    1SOL  ", "HW1") +
         gro_atom("    1NA   ", "NA") + gro_atom("99999SOL  ", "OW") + gro_atom("    0SOL  ", "OW") +
         "   1.0   1.0   1.0\n";
}

const std::string data =
    "title\n\n3 atoms\n2 bonds\n1 atom types\n\n0 5 xlo xhi\n0 5 ylo yhi\n0 5 zlo zhi\n\nMasses\n\n1 1.0 # bonds\n\n"
    "Atoms # full\n\n30 7 1 0.5 1 2 3\n10 7 1 -1 2 2 3 0 0 0\n20 9 1 0.5 3 2 3\n\nVelocities\n\n30 0 0 0\n10 0 0 0\n20 "
    "0 0 0\n\n"
    "Bonds\n\n1 1 30 10 # a comment\n2 4 20 30\n";

TEST(Topology, OfGro) {
  const Folder folder;
  for (const std::string& path : {folder.put("a.gro", gro()), testing::gzip(gro(), folder / "a.gro.gz")}) {
    const Topology t = read_topology(path);
    EXPECT_EQ(t.names, (Names{"OW", "HW1", "NA", "OW", "OW"}));
    EXPECT_EQ(t.molecules, (Atoms{0, 0, 1, 2, 3}));
    EXPECT_TRUE(t.bonds.empty());
  }
}

TEST(Topology, OfLammps) {
  const Folder folder;
  const Topology t = read_topology(folder.put("a.lmp", data));
  EXPECT_EQ(t.molecules, (Atoms{7, 7, 9}));
  EXPECT_EQ(t.bonds, (Atoms{0, 1, 2, 0}));
  EXPECT_TRUE(t.names.empty());
  EXPECT_EQ(read_topology(folder.put("b.lmp", replaced(data, " # full", ""))).molecules, (Atoms{7, 7, 9}));
  const Topology free = read_topology(folder.put("c.lmp", replaced(data, "2 bonds", "0 bonds")));
  EXPECT_TRUE(free.bonds.empty());
  const Topology charges =
      read_topology(folder.put("d.lmp", "title\n\n1 atoms\n\n0 5 xlo xhi\n\nAtoms # charge\n\n1 1 0.5 1 2 3\n"));
  EXPECT_TRUE(charges.molecules.empty() && charges.bonds.empty());
}

TEST(Topology, OfOthersIsNothing) {
  const Folder folder;
  const Topology t = read_topology(folder.put("a.csv", "x,y,z,q\n1,2,3,4\n"));
  EXPECT_TRUE(t.names.empty() && t.molecules.empty() && t.bonds.empty());
  EXPECT_TRUE(read_topology("-").names.empty());
}

TEST(Topology, RefusesBondsThatAreNone) {
  const Folder folder;
  const auto refused = [&](const std::string& from, const std::string& to, const char* part) {
    try {
      read_topology(folder.put("a.lmp", replaced(data, from, to)));
      ADD_FAILURE() << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::input);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused("\nBonds", "\nAngles", "the header states 2 bonds, and there is no section Bonds");
  refused("4 20 30", "4 20 31", "'31' is no atom of this file");
  refused("4 20 30", "4 20", "'' is no atom of this file");
  refused("2 bonds", "3 bonds", "the file ends after 2 of 3 bonds");
}

}  // namespace
}  // namespace farfield::io
