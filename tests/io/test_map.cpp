// Maps of a density, the outlines over them, and arrays of any shape.
#include <cmath>

#include "files.hpp"
#include "io/arrays.hpp"
#include "io/map/heat.hpp"
#include "io/map/paint.hpp"

namespace farfield::io {
namespace {
using testing::content_of;
using testing::expect_error;
using testing::Folder;

Raster raster_of(std::int64_t width, std::int64_t height, bool around) {
  Raster raster{width, height, {-180, 180, -90, 90}, {}, around};
  for (std::int64_t i = 0; i < width * height; ++i) raster.values.push_back(static_cast<double>(i));
  return raster;
}

TEST(Raster, IsLinearBetweenTheMiddlesOfBoxes) {
  const Raster flat = raster_of(4, 2, false), round = raster_of(4, 2, true);
  EXPECT_DOUBLE_EQ(flat.at(-135, -45), 0);
  EXPECT_DOUBLE_EQ(flat.at(-45, 45), 5);
  EXPECT_DOUBLE_EQ(flat.at(-90, 0), 2.5);
  EXPECT_DOUBLE_EQ(flat.at(-180, -90), 0);
  EXPECT_DOUBLE_EQ(flat.at(180, 90), 7);
  EXPECT_DOUBLE_EQ(round.at(180, -90), 1.5);  // between the last and the first
  EXPECT_DOUBLE_EQ(round.at(-180, -90), 1.5);
  EXPECT_DOUBLE_EQ(round.at(-180 + 360, -45), round.at(-180, -45));
  EXPECT_DOUBLE_EQ(raster_of(1, 1, false).at(12, 34), 0);
}

TEST(Decades, GoThreePowersOfTenDown) {
  const Decades wide = decades_of({1e-9, 5, 1e3, NAN, 0, -1});
  EXPECT_DOUBLE_EQ(wide.high, 3);
  EXPECT_DOUBLE_EQ(wide.low, 0);
  EXPECT_DOUBLE_EQ(wide.place(1e3), 1);
  EXPECT_LT(wide.place(0), 0);
  EXPECT_DOUBLE_EQ(decades_of({10, 100}).low, 1);
  EXPECT_LT(decades_of({7, 7}).low, decades_of({7, 7}).high);
  for (const auto& none : {std::vector<double>{}, {0, 0}, {NAN}})
    EXPECT_LT(decades_of(none).low, decades_of(none).high);
}

TEST(Map, DrawsWhatIsHardToScale) {
  const Folder folder;
  HeatStyle style;
  style.title = "Title",
  style.outlines = {{{0, 0}, {170, 20}, {-170, 30}}, {}, {{-180, -90}, {180, -90}}, {{1e9, 5}, {2, 3}}};
  for (const std::vector<double>& values :
       {std::vector<double>{1, 2, 3, 4}, {0, 0, 0, 0}, {7, 7, 7, 7}, {NAN, 1e-300, 1e300, INFINITY}}) {
    for (const auto& limits : {std::array{0.0, 1.0, 0.0, 1.0}, {0.0, 1000.0, 0.0, 1.0}, {1e6, 1e6 + 1, -1e-3, 1e-3}}) {
      draw_heat(folder / "a.png", {2, 2, limits, values, false}, style);
      EXPECT_TRUE(content_of(folder / "a.png").starts_with("\x89PNG"));
    }
    draw_globe(folder / "b.png", {2, 2, {-180, 180, -90, 90}, values, true}, style);
    EXPECT_TRUE(content_of(folder / "b.png").starts_with("\x89PNG"));
  }
}

TEST(Map, ColoursRiseFromTheGround) {
  const auto light = [](double place) { return heat_colour(place)[0] + heat_colour(place)[1] + heat_colour(place)[2]; };
  EXPECT_EQ(heat_colour(-1), map_ground);
  EXPECT_EQ(heat_colour(NAN), map_ground);
  for (double place = 0; place < 1; place += 0.05) EXPECT_LE(light(place), light(place + 0.05)) << place;
}

TEST(Outline, OfBothFormats) {
  const Folder folder;
  const auto plain =
      read_outlines(folder.put("a.json", R"({"type":"Topology","arcs":[[[1,2],[3,4]],[[5,6],[7,8],[9,0]]]})"));
  ASSERT_EQ(plain.size(), 2U);
  EXPECT_EQ(plain[1], (Outline{{5, 6}, {7, 8}, {9, 0}}));
  const auto land =
      read_outlines(folder.put("b.json", R"({"type":"Topology","transform":{"scale":[0.5,2],"translate":[10,20]},
                    "objects":{"land":{"type":"GeometryCollection","geometries":[{"type":"Polygon","arcs":[[-2]]}]},
                               "countries":{"type":"Polygon","arcs":[[0]]}},
                    "arcs":[[[1,2],[3,4]],[[2,1],[2,1]]]})"));
  ASSERT_EQ(land.size(), 1U);
  EXPECT_EQ(land[0], (Outline{{11, 22}, {12, 24}}));
  const auto shapes = read_outlines(folder.put("c.json", R"({"type":"GeometryCollection","geometries":[
    {"type":"LineString","coordinates":[[1,2],[3,4,5]]},{"type":"MultiPoint","coordinates":[[1,2],[3,4]]},
    {"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[0,0]]],[[[5,5],[6,6],[5,5]]]]}]})"));
  ASSERT_EQ(shapes.size(), 3U);
  EXPECT_EQ(shapes[0], (Outline{{1, 2}, {3, 4}}));
  EXPECT_EQ(
      read_outlines(testing::gzip(R"({"type":"LineString","coordinates":[[1,2],[3,4]]})", folder / "d.json.gz")).size(),
      1U);
}

TEST(Outline, RefusesDamage) {
  const Folder folder;
  const auto refuse = [&](const std::string& text, const std::string& part) {
    const std::string path = folder.put("a.json", text);
    expect_error(ErrorCode::input, part, [&] { read_outlines(path); });
  };
  refuse("{", "no JSON");
  refuse("[]", "no lines");
  refuse("7", "no lines");
  refuse(R"({"type":"Topology"})", "damaged");
  refuse(R"({"type":7})", "damaged");
  refuse(R"({"type":"Topology","arcs":[[["a","b"]]]})", "damaged");
  refuse(R"({"type":"Topology","arcs":[[[1]]]})", "damaged");
  refuse(R"({"type":"Topology","objects":{"land":{"arcs":[99]}},"arcs":[[[1,2],[3,4]]]})", "damaged");
  refuse(R"({"type":"Topology","transform":{"scale":[1]},"arcs":[[[1,2],[3,4]]]})", "damaged");
  refuse(R"({"type":"LineString","coordinates":[[1,2],[3]]})", "damaged");
  refuse(
      R"({"type":"Topology","transform":{"scale":[1e308,1e308],"translate":[1e308,0]},"arcs":[[[1e308,1],[1e308,2]]]})",
      "no finite number");
  refuse(std::string(100000, '['), "no JSON");
  refuse(R"({"type":"LineString","coordinates":)" + std::string(5000, '[') + std::string(5000, ']') + "}", "no lines");
}

TEST(Outline, OfTheWorld) {
  const std::string path = testing::real_file("world-110m.json");
  if (path.empty()) GTEST_SKIP() << testing::no_real_files;
  const auto lines = read_outlines(path);
  std::size_t corners = 0;
  for (const Outline& line : lines) {
    corners += line.size();
    for (const auto& [longitude, latitude] : line) {
      EXPECT_LE(std::fabs(longitude), 180.001);
      EXPECT_LE(std::fabs(latitude), 90.001);
    }
  }
  EXPECT_GT(corners, 4000U);
  EXPECT_LT(corners, 9585U);  // without borders
}

TEST(Arrays, AreWrittenInEachFormat) {
  const Folder folder;
  const std::vector<Array> arrays = {{"density", {1, 2, 3, 4, 5, 6}, {2, 3}}, {"number", {0.1}, {}}};
  write_arrays(folder / "a.csv", "", {}, {{"x", "density"}, {0.1, 2, 3, 1e-300}});
  EXPECT_EQ(content_of(folder / "a.csv"), "x,density\n0.1,2\n3,1e-300\n");
  write_arrays(folder / "a.npy", "", arrays, {});
  const std::string npy = content_of(folder / "a.npy");
  EXPECT_NE(npy.find("(2, 3)"), npy.npos);
  EXPECT_TRUE(npy.ends_with(testing::bytes_of<double>({1, 2, 3, 4, 5, 6})));
  write_arrays(folder / "a.npz", "", arrays, {});
  EXPECT_NE(content_of(folder / "a.npz").find("number.npy"), std::string::npos);
  expect_error(ErrorCode::usage, "results are written as", [&] { write_arrays(folder / "a.txt", "", arrays, {}); });
}

}  // namespace
}  // namespace farfield::io
