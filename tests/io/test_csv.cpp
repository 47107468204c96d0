#include <cmath>

#include "files.hpp"
#include "io/results.hpp"

namespace farfield::io {
namespace {
using testing::expect_refusal;
using testing::Folder;
using Values = std::vector<double>;

TEST(Csv, ReadsColumnsInAnyOrderAndCarriesOthers) {
  const Folder folder;
  const auto bodies = read(folder.put(
      "a.csv", "\xef\xbb\xbf# made by hand\r\n\r\nMass, Z,y,X,age\r\n1,3,2,+1,7\r\n# no\r\n 4 ,6,5,4e0,\r\n"));
  EXPECT_EQ(bodies.positions, (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(bodies.strengths, (Values{1, 4}));
  ASSERT_EQ(bodies.extra.size(), 1u);
  EXPECT_EQ(bodies.extra[0].name, "age");
  EXPECT_EQ(bodies.extra[0].values[0], 7);
  EXPECT_TRUE(std::isnan(bodies.extra[0].values[1]));
  EXPECT_TRUE(bodies.warnings.empty());
}

TEST(Csv, PrefersTheColumnQ) {
  const Folder folder;
  const auto bodies = read(folder.put("a.csv", "mass,x,y,z,q\n9,1,2,3,-1\n"));
  EXPECT_EQ(bodies.strengths, Values{-1});
  ASSERT_EQ(bodies.extra.size(), 1u);
  EXPECT_EQ(bodies.extra[0].name, "mass");
}

TEST(Csv, DropsColumnsOfWordsWithAWarning) {
  const Folder folder;
  const auto bodies = read(folder.put("a.csv", "name,x,y,z,q\nsun,1,2,3,4"));
  EXPECT_TRUE(bodies.extra.empty());
  ASSERT_EQ(bodies.warnings.size(), 1u);
}

TEST(Csv, ReadsTargetsWithoutStrengths) {
  const Folder folder;
  const auto path = folder.put("a.csv", "x,y,z\n1,2,3\n");
  EXPECT_EQ(read_points(path).count(), 1);
  EXPECT_TRUE(read_points(path).strengths.empty());
  expect_refusal(path, "no column q");
}

TEST(Csv, TakesPotentialsAsReference) {
  const Folder folder;
  const auto bodies = read(folder.put("a.csv", "x,y,z,q,potential,gx,gy,gz\n1,2,3,4,5,6,7,8\n"));
  EXPECT_EQ(bodies.reference_potential, Values{5});
  EXPECT_EQ(bodies.reference_gradient, (Values{6, 7, 8}));
  EXPECT_TRUE(bodies.extra.empty());
}

TEST(Csv, ReadsNotANumberAndInfinityAsTheyStand) {
  const Folder folder;
  const auto bodies = read(folder.put("a.csv", "x,y,z,q\nnan,inf,-inf,1\n"));
  EXPECT_TRUE(std::isnan(bodies.positions[0]));
  EXPECT_EQ(bodies.positions[2], -HUGE_VAL);
}

TEST(Csv, ReadsAHeaderAlone) {
  const Folder folder;
  EXPECT_EQ(read(folder.put("a.csv", "x,y,z,q\n")).count(), 0);
}

TEST(Csv, RefusesWithTheLine) {
  const Folder folder;
  const auto refused = [&](const char* text, const char* part) { expect_refusal(folder.put("bad.csv", text), part); };
  refused("x,y,z,q\n\n1,2,3\n", "line 3: 3 fields where the header has 4");
  refused("x,y,z,q\n1,2,3,4,5\n", "line 2: 5 fields");
  refused("x,y,z,q\n1,2,3,\n", "line 2: '' in column q");
  refused("x,y,z,q\n1,two,3,4\n", "line 2: 'two' in column y");
  refused("x,y,z,q\n1,2,3,1e999\n", "not a number that fits a double");
  refused("x,y,z,q\n1,2,3x,4\n", "'3x' in column z");
  refused("x,y,z,q\n\"1\",2,3,4\n", "line 2: quoted");
  refused("\"x\",y,z,q\n", "line 1: quoted");
  refused("1,2,3,4\n", "line 1: this is a row of numbers");
  refused("x,y,q\n", "no column z");
  refused("x,y,z,q,X\n", "occurs twice");
  refused("x y z q\n1 2 3 4\n", "no column x");
  refused("# nothing\n", "no header line");
}

TEST(Csv, WritesWhatItReads) {
  const Folder folder;
  Bodies bodies;
  bodies.positions = {0.1, 1e-300, -3, 1.0 / 3, 4, 5e300};
  bodies.strengths = {1, -0.0};
  bodies.extra = {{"x", {1, 2}}, {"a,b", {3, 4}}};
  const Values potential{1e-17, std::nan("")}, gradient{1, 2, 3, 4, 5, 6};
  write(folder / "out.csv", {&bodies, &potential, &gradient});
  const auto back = read(folder / "out.csv");
  EXPECT_EQ(back.positions, bodies.positions);
  EXPECT_EQ(back.strengths, bodies.strengths);
  EXPECT_EQ(back.reference_potential[0], 1e-17);
  EXPECT_TRUE(std::isnan(back.reference_potential[1]));
  EXPECT_EQ(back.reference_gradient, gradient);
  ASSERT_EQ(back.extra.size(), 2u);
  EXPECT_EQ(back.extra[0].name, "x_");
  EXPECT_EQ(back.extra[1].name, "a_b");
  EXPECT_EQ(folder.files(), 1u);
}

}  // namespace
}  // namespace farfield::io
