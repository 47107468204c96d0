#include <algorithm>
#include <cmath>

#include "files.hpp"
#include "io/results.hpp"

namespace farfield::io {
namespace {
using testing::expect_refusal;
using testing::Folder;
using Values = std::vector<double>;

TEST(Csv, WithoutZThePointsLieInThePlane) {
  const Folder folder;
  const Bodies bodies = read(folder.put("flat.csv", "x,y,q\n1,2,3\n4,5,6\n"));
  EXPECT_EQ(bodies.positions, (std::vector<double>{1, 2, 0, 4, 5, 0}));
  EXPECT_EQ(bodies.strengths, (std::vector<double>{3, 6}));
  EXPECT_NE(bodies.description.find("in the plane z = 0"), std::string::npos) << bodies.description;
}

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
  refused("x,z,q\n", "no column y");
  refused("x,y,z,q,X\n", "occurs twice");
  refused("a,b,c,d\n1,2,3,4\n", "no column x");
  refused("x;y;z;q\n1,5;2;3;4\n", "line 2: '1,5' in column x is not a number that fits a double; write decimal points");
  refused("x;y;z;q\n1;2;3\n", "line 2: 3 fields");
  refused("x y z q\n1 2 3\n", "line 2: 3 fields");
  refused("# nothing\n", "no header line");
}

// The same table with other ends of lines and other delimiters.
TEST(Csv, ReadsEveryEndOfLineAndDelimiter) {
  const Folder folder;
  for (const std::string end : {"\n", "\r\n", "\r"})
    for (const std::string between : {",", ";", "\t", " ", "  \t ", " , "}) {
      std::string text;
      for (const char* row : {"x|y|z|q|age", "", "# comment", "1|2|3|-4|5", "6|7|8|9|1e1"}) {
        for (const char c : std::string(row)) text += c == '|' ? between : std::string(1, c);
        text += end;
      }
      const auto bodies = read(folder.put("a.csv", text));
      EXPECT_EQ(bodies.positions, (Values{1, 2, 3, 6, 7, 8})) << text;
      EXPECT_EQ(bodies.strengths, (Values{-4, 9})) << text;
      ASSERT_EQ(bodies.extra.size(), 1u) << text;
      EXPECT_EQ(bodies.extra[0].values, (Values{5, 10})) << text;
    }
}

TEST(Csv, KeepsEmptyFieldsBetweenTabs) {
  const Folder folder;
  const auto bodies = read(folder.put("a.txt", "age\tx\ty\tz\tq\tlast\n\t1\t2\t3\t4\t\n"));
  EXPECT_EQ(bodies.positions, (Values{1, 2, 3}));
  ASSERT_EQ(bodies.extra.size(), 2u);
  EXPECT_TRUE(std::isnan(bodies.extra[1].values[0]));
}

TEST(Csv, TakesTheDelimiterThatIsAskedFor) {
  const Folder folder;
  const auto path = folder.put("a.csv", "x|y|z|q, in C\n1|2|3|4\n");
  Reading reading;
  reading.delimiter = '|';
  reading.columns = {{"q", "q, in C"}};
  EXPECT_EQ(read(path, reading).strengths, Values{4});
  testing::expect_error(ErrorCode::input, "no column x", [&] { read(path); });
}

TEST(Csv, TakesTheColumnsThatAreNamed) {
  const Folder folder;
  const auto path = folder.put("a.csv", "Latitude,Longitude,Magnitude,x\n1,2,3,9\n4,5,6,9\n");
  Reading reading;
  reading.columns = {{"x", "longitude"}, {"y", "Latitude"}, {"z", "0.5"}, {"q", "Magnitude"}};
  const auto bodies = read(path, reading);
  EXPECT_EQ(bodies.positions, (Values{2, 1, 0.5, 5, 4, 0.5}));
  EXPECT_EQ(bodies.strengths, (Values{3, 6}));
  ASSERT_EQ(bodies.extra.size(), 1u);
  EXPECT_EQ(bodies.extra[0].name, "x");
  reading.columns[3].second = "1";
  EXPECT_EQ(read(path, reading).strengths, (Values{1, 1}));
  reading.columns[3].second = "Depth";
  testing::expect_error(ErrorCode::input, "no column Depth, which was named for q", [&] { read(path, reading); });
  testing::expect_error(ErrorCode::input, "are for csv, which this is not",
                        [&] { read(folder.put("a.obj", "v 1 2 3\n"), reading); });
  EXPECT_EQ(read_points(folder.put("t.csv", "x,y,z\n1,2,3\n"), reading).positions, (Values{1, 2, 3}));
}

TEST(Csv, ReadsPlacesOfTheGlobeAndOfALineWhereAskedTo) {
  const Folder folder;
  Reading globe;
  globe.globe = true;
  EXPECT_EQ(read_points(folder.put("a.csv", "Latitude,LON,Mass\n1,2,3\n"), globe).positions, (Values{2, 1, 0}));
  EXPECT_EQ(read_points(folder.put("b.csv", "lat,lon,x,y\n1,2,3,4\n"), globe).positions, (Values{3, 4, 0}));
  const auto none = folder.put("c.csv", "north,east\n1,2\n");
  testing::expect_error(ErrorCode::input, "no columns longitude and latitude", [&] { read_points(none, globe); });
  Reading line;
  line.line = true;
  EXPECT_EQ(read_points(folder.put("d.csv", "x\n5\n"), line).positions, (Values{5, 0, 0}));
  testing::expect_error(ErrorCode::input, "no column y", [&] { read_points(folder / "d.csv"); });
}

TEST(Csv, ReadsTheEarthquakes) {
  const auto path = testing::real_file("earthquakes-23k.csv");
  if (path.empty()) GTEST_SKIP() << testing::no_real_files;
  Reading reading;
  reading.columns = {{"x", "Longitude"}, {"y", "Latitude"}, {"z", "0"}, {"q", "Magnitude"}};
  const auto bodies = read(path, reading);
  EXPECT_EQ(bodies.count(), 23412);
  EXPECT_EQ(bodies.positions[0], 145.616);
  EXPECT_EQ(bodies.strengths[0], 6.0);
  EXPECT_EQ(bodies.warnings.size(), 1u);  // the dates
}

TEST(Csv, SaysThatTextIsUtf16) {
  const Folder folder;
  const std::string ascii = "x,y,z,q\n1,2,3,4\n";
  std::string little, big;
  for (const char c : ascii) {
    (little += c) += '\0';
    (big += '\0') += c;
  }
  expect_refusal(folder.put("a.csv", "\xff\xfe" + little), "this is text in UTF-16; save it as UTF-8");
  expect_refusal(folder.put("a.csv", "\xfe\xff" + big), "this is text in UTF-16; save it as UTF-8");
  expect_refusal(folder.put("a.csv", little), "zero bytes in the text, as UTF-16 has them");
  expect_refusal(folder.put("a.csv", big), "zero bytes in the text, as UTF-16 has them");
}

// A search of all names for each name would take hours here.
TEST(Csv, ManyColumnsTakeNoLonger) {
  const Folder folder;
  constexpr int columns = 400000;
  std::string header = "x,y,z,q", row = "1,2,3,4";
  for (int i = 0; i < columns; ++i) {
    header += ",c" + std::to_string(i);
    row += ",7";
  }
  const auto bodies = read(folder.put("wide.csv", header + "\n" + row + "\n"));
  EXPECT_EQ(bodies.positions, (Values{1, 2, 3}));
  ASSERT_EQ(bodies.extra.size(), std::size_t{columns});
  write(folder / "out.csv", {&bodies});
  EXPECT_EQ(read(folder / "out.csv").extra.back().name, bodies.extra.back().name);
}

// A letter that moves the cursor must not reach the terminal, in whatever sentence.
TEST(Csv, NamesAreMadeHarmless) {
  const Folder folder;
  const auto harmless = [](const std::string& text) {
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c >= 32 && c < 127; })) << text;
  };
  const std::string evil = "\x1b[2J\x9b\x7f";
  const auto refusal = [&](const std::string& text) {
    try {
      read(folder.put("a.csv", text));
      ADD_FAILURE() << "read: " << text;
    } catch (const Error& error) {
      harmless(error.what());
    }
  };
  refusal("x,y,z,q" + evil + "\n1,2,3,4\n");
  refusal("x,y,z,q\n1,2,3," + evil + "\n");
  refusal("x,y,z,mass," + evil + "," + evil + "\n1,2,3,4,5\n");
  const auto bodies = read(folder.put("a.csv", "x,y,z,q," + evil + "\n1,2,3,4,word\n"));
  ASSERT_EQ(bodies.warnings.size(), 1u);
  harmless(bodies.warnings[0]);
  EXPECT_NE(bodies.warnings[0].find("\\x1b[2J\\x9b\\x7f"), std::string::npos) << bodies.warnings[0];
}

TEST(Csv, CarriesColumnsOfOneName) {
  const Folder folder;
  const auto bodies = read(folder.put("a.csv", "x,y,z,q,a,A\n1,2,3,4,5,6\n"));
  EXPECT_EQ(bodies.extra.size(), 2u);
}

TEST(Csv, EmptyCloudHasAllColumns) {
  const Folder folder;
  const Bodies none;
  const Values empty;
  write(folder / "none.csv", {&none, &empty, &empty});
  EXPECT_EQ(testing::content_of(folder / "none.csv"), "x,y,z,q,potential,gx,gy,gz\n");
  write(folder / "none.csv", {&none, &empty});
  EXPECT_EQ(testing::content_of(folder / "none.csv"), "x,y,z,q,potential\n");
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
