// Points of models and molecules: obj, ply, xyz.
#include <algorithm>

#include "files.hpp"

namespace farfield::io {
namespace {
using testing::bytes_of;
using testing::expect_refusal;
using testing::Folder;
using Values = std::vector<double>;

TEST(Obj, ReadsVertices) {
  const Folder folder;
  const auto bodies = read(folder.put("a.obj",
                                      "# model\r\nmtllib a.mtl\no thing\nv 1 2 3\nvn 0 0 1\nvt 0.5 0.5\n"
                                      "  v\t-4 +5 6e1 1.0 0.2 0.3 0.4\nf 1/1/1 2/1/1 1/1/1\n"));
  EXPECT_EQ(bodies.positions, (Values{1, 2, 3, -4, 5, 60}));
  EXPECT_EQ(bodies.strengths, (Values{1, 1}));
  EXPECT_EQ(bodies.up, 1u);
  EXPECT_NE(bodies.description.find("unit strengths"), std::string::npos);
}

TEST(Obj, RefusesWithTheLine) {
  const Folder folder;
  expect_refusal(folder.put("a.obj", "v 1 2 3\nv 1 2\n"), "line 2: '' for z of a vertex");
  expect_refusal(folder.put("a.obj", "v 1 2\x1b 3\n"), "line 1: '2\\x1b' for y of a vertex");
  expect_refusal(folder.put("a.obj", "o nothing\n"), "no vertex");
}

TEST(Obj, ReadsTheCow) {
  const auto path = testing::real_file("spot.obj");
  if (path.empty()) GTEST_SKIP() << testing::no_real_files;
  const auto bodies = read(path);
  EXPECT_EQ(bodies.count(), 2930);
  EXPECT_EQ(bodies.positions[0], 0.348799);
}

const char* const ply_header =
    " 1.0\ncomment made by hand\nelement camera 1\nproperty list uchar int views\nproperty short id\n"
    "element vertex 2\nproperty float x\nproperty float y\nproperty float z\nproperty list uchar uchar tags\n"
    "property uchar red\nproperty double charge\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";

void expect_ply(const Bodies& bodies) {
  EXPECT_EQ(bodies.positions, (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(bodies.strengths, (Values{-0.5, 1e300}));
  EXPECT_TRUE(bodies.single);
  ASSERT_EQ(bodies.extra.size(), 1u);
  EXPECT_EQ(bodies.extra[0].name, "red");
  EXPECT_EQ(bodies.extra[0].values, (Values{200, 7}));
  EXPECT_NE(bodies.description.find("strengths from property charge"), std::string::npos) << bodies.description;
}

TEST(Ply, ReadsText) {
  const Folder folder;
  expect_ply(read(folder.put("a.ply", std::string("ply\nformat ascii") + ply_header +
                                          "2 7 8 9\n1 2 3 0 200 -0.5\n4 5 6 2 1 1 7 1e300\n3 0 1 0\n")));
}

std::string binary_ply(bool swap) {
  std::string data = "\x02";
  data += bytes_of(std::vector<std::int32_t>{7, 8}, swap) + bytes_of(std::vector<std::int16_t>{9}, swap);
  data += bytes_of(std::vector<float>{1, 2, 3}, swap) + std::string("\0\xc8", 2) + bytes_of(Values{-0.5}, swap);
  data += bytes_of(std::vector<float>{4, 5, 6}, swap) + std::string("\2\r\n\7", 4) + bytes_of(Values{1e300}, swap);
  const bool little = (std::endian::native == std::endian::little) != swap;
  return std::string("ply\nformat binary_") + (little ? "little" : "big") + "_endian" + ply_header + data + "rest";
}

TEST(Ply, ReadsBinary) {
  const Folder folder;
  for (const bool swap : {false, true}) expect_ply(read(folder.put("a.ply", binary_ply(swap))));
}

TEST(Ply, RefusesWhatMakesNoSense) {
  const Folder folder;
  const std::string good = binary_ply(false);
  const auto refused = [&](const std::string& from, const std::string& to, const char* part) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    expect_refusal(folder.put("a.ply", text), part);
  };
  refused("vertex 2", "vertex 200000000000", "200000000000 elements vertex cannot lie in the rest");
  refused("vertex 2", "vertex two", "line 7: an element has no name or number");
  refused("vertex 2", "vortex 2", "no element vertex");
  refused("float y", "float why", "lack one of x, y, z");
  refused("float y", "real y", "line 9: a property makes no sense");
  refused("list uchar int views", "list float int views", "line 5: a property makes no sense");
  refused("binary_", "octal_", "format 'octal_");
  refused("end_header", "end", "the header does not end");
  refused("\x02\x07", "\xff\x07", "a list is longer than the rest");
  for (const char* element : {"element vertex 1e14\n", "element vertex 1e14\nproperty list char char x\n"})
    expect_refusal(folder.put("a.ply", std::string("ply\nformat ascii 1.0\n") + element + "end_header\n"), "");
  expect_refusal(folder.put("a.ply",
                            "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
                            "property float z\nend_header\n1 2 3\n"),
                 "ends after 1 of 2 elements vertex");
}

TEST(Xyz, ReadsAtoms) {
  const Folder folder;
  const auto charged = read(folder.put("a.xyz", "2\r\nwater, part\r\nO 1 2 3 -0.8\r\nH 4\t5 6 0.4\r\n"));
  EXPECT_EQ(charged.positions, (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(charged.strengths, (Values{-0.8, 0.4}));
  EXPECT_TRUE(charged.warnings.empty());
  const auto plain = read(folder.put("a.xyz", "1\n\n8 1 2 3\n\n"));
  EXPECT_EQ(plain.strengths, Values{1});
  EXPECT_NE(plain.description.find("unit strengths"), std::string::npos);
  EXPECT_EQ(read(folder.put("a.xyz", "0\nnothing\n")).count(), 0);
}

TEST(Xyz, ReadsWhatPropertiesName) {
  const Folder folder;
  const auto bodies =
      read(folder.put("a.xyz",
                      "1\nLattice=\"1 0 0 0 1 0 0 0 1\" Properties=id:I:1:species:S:1:pos:R:3:forces:R:3:"
                      "charge:R:1 pbc=\"T T T\"\n17 O 1 2 3 7 8 9 -0.8\n1\n\nH 0 0 0\n"));
  EXPECT_EQ(bodies.positions, (Values{1, 2, 3}));
  EXPECT_EQ(bodies.strengths, Values{-0.8});
  EXPECT_EQ(bodies.warnings.size(), 2u);  // a lattice, and a second molecule
  const auto forces = read(folder.put("a.xyz", "1\n\nO 1 2 3 7 8 9\n"));
  EXPECT_EQ(forces.strengths, Values{1});  // no charge is made of a force
  EXPECT_EQ(forces.warnings.size(), 1u);
}

TEST(Xyz, RefusesWithTheLine) {
  const Folder folder;
  const auto refused = [&](const char* text, const char* part) { expect_refusal(folder.put("a.xyz", text), part); };
  refused("1.0 2.0 3.0\n", "line 1: '1.0 2.0 3.0' is no number of atoms");
  refused("2.5\n\n", "no number of atoms");
  refused("-1\n\n", "no number of atoms");
  refused("2", "the line of comment is missing");
  refused("2\n\nO 1 2 3\n", "ends after 1 of 2 atoms");
  refused("1\n\nO 1 2\n", "line 3: 3 words");
  refused("2\n\nO 1 2 3\nO 1 2 3 4\n", "line 4: 5 words");
  refused("2\n\nO 1 2 3 4\nO 1 2 3\n", "line 4: 4 words");
  refused("1\n\nO 1 2 three\n", "line 3: 'three' is not a number");
  refused("1\nProperties=species:S\nO 1 2 3\n", "line 2: its Properties make no sense");
  refused("1\nProperties=species:S:1\nO 1 2 3\n", "name no pos:R:3");
}

}  // namespace
}  // namespace farfield::io
