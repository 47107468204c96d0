#include <png.h>

#include <algorithm>
#include <cmath>

#include "files.hpp"
#include "io/generate/generate.hpp"
#include "io/generate/random.hpp"
#include "io/picture/picture.hpp"
#include "io/picture/scale.hpp"
#include "io/picture/ticks.hpp"
#include "io/picture/view.hpp"

namespace farfield::io {
namespace {
using testing::Folder;

struct Read {
  unsigned width = 0, height = 0;
  std::vector<unsigned char> bytes;  // rgb
};

Read read_png(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  Read result;
  if (!png_image_begin_read_from_file(&image, path.c_str())) return result;
  image.format = PNG_FORMAT_RGB;
  result.bytes.resize(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, result.bytes.data(), 0, nullptr)) return {};
  result.width = image.width;
  result.height = image.height;
  return result;
}

std::size_t lit(const Read& image) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < image.bytes.size(); i += 3) count += image.bytes[i] > 64 || image.bytes[i + 2] > 64;
  return count;
}

TEST(Picture, CanBeReadAndShowsBodies) {
  const Folder folder;
  const auto bodies = generate("uniform", 2000, 1);
  draw(folder / "a.png", bodies, bodies.strengths, {"Title", "strength", 640, 480});
  const auto image = read_png(folder / "a.png");
  EXPECT_EQ(image.width, 640u);
  EXPECT_EQ(image.height, 480u);
  EXPECT_GT(lit(image), 640u * 480u / 20);
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Picture, DrawsWhatIsHardToScale) {
  const Folder folder;
  const PictureStyle small{"", "potential", 320, 240};
  Bodies odd;
  odd.positions = {0, 0, 0, 1e300, -1e300, 1e300, NAN, 0, INFINITY};
  for (const auto& bodies : {Bodies{}, generate("uniform", 1, 1), generate("line", 50, 1), odd})
    for (const double value : {0.0, 1.0, -3.0, double(NAN), 1e308}) {
      draw(folder / "a.png", bodies, std::vector<double>(static_cast<std::size_t>(bodies.count()), value), small);
      EXPECT_EQ(read_png(folder / "a.png").width, 320u);
    }
  draw(folder / "a.png", generate("spiral", 100, 1), {});
  EXPECT_GT(lit(read_png(folder / "a.png")), 100u);
}

TEST(Picture, TicksAreRound) {
  using Labels = std::vector<std::string>;
  EXPECT_EQ(make_ticks(-0.07, 1.07, 7).labels, (Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(make_ticks(0.31, 0.403, 6).labels, (Labels{"0.32", "0.34", "0.36", "0.38", "0.40"}));
  EXPECT_EQ(make_ticks(-14, 14, 6).labels, (Labels{"-10", "0", "10"}));
  const auto large = make_ticks(0, 3.1e7, 7);
  EXPECT_EQ(large.labels, (Labels{"0", "1", "2", "3"}));
  EXPECT_EQ(large.caption("x"), "x / 1e7");
  EXPECT_EQ(make_ticks(0, 2e-9, 6).caption("x"), "x / 1e-9");
  EXPECT_EQ(make_ticks(1, 1 + 2e-8, 6).caption("x"), "(x - 1) / 1e-8");
  EXPECT_EQ(make_ticks(0, 1, 6).caption("x"), "x");
  const auto far = make_ticks(4503599.0, 4503601.0, 6);
  EXPECT_EQ(far.labels, (Labels{"0.0", "0.5", "1.0", "1.5", "2.0"}));
  EXPECT_EQ(far.caption("x"), "x - 4503599");
  EXPECT_EQ(round_length(0.24), 0.2);
  EXPECT_EQ(round_length(70), 50);
}

TEST(Picture, TicksLieOnAnyAxis) {
  constexpr std::uint64_t seed = 7;
  RecordProperty("seed", static_cast<int>(seed));
  Random random(seed);
  for (int trial = 0; trial < 5000; ++trial) {
    const double width = std::pow(10.0, random.between(-280, 300)), low = random.between(-1, 1) * width * 1e3;
    const auto ticks = make_ticks(low, low + width, 8);
    ASSERT_GE(ticks.places.size(), 2u) << low << ' ' << width;
    ASSERT_LE(ticks.places.size(), 8u) << low << ' ' << width;
    EXPECT_EQ(ticks.labels.size(), ticks.places.size());
    for (std::size_t i = 0; i < ticks.places.size(); ++i) {
      EXPECT_GE(ticks.places[i], low - 1e-6 * width);
      EXPECT_LE(ticks.places[i], low + width * (1 + 1e-6));
      EXPECT_LE(ticks.labels[i].size(), 9u) << ticks.labels[i];
      if (i > 0) {
        EXPECT_NE(ticks.labels[i], ticks.labels[i - 1]);
      }
    }
  }
}

// Dots have room within the frame, and one is told from where they are seen.
TEST(Picture, AllBodiesLieWithinTheFrame) {
  for (const char* kind : {"uniform", "plummer", "galaxies", "line", "lattice", "spiral"})
    for (const char axis : {'\0', 'x', 'y', 'z'}) {
      const auto bodies = generate(kind, 3000, 1);
      const View view = make_view(bodies, axis, 400, 300);
      int outside = 0;
      for (std::size_t i = 0; i < bodies.positions.size(); i += 3) {
        const double x = view.x(bodies.positions[i + view.across]), y = view.y(bodies.positions[i + view.up]);
        outside += !(x > 9.9 && x < 390.1 && y > 9.9 && y < 290.1);
      }
      EXPECT_LE(outside, std::string(kind) == "plummer" ? 30 : 0) << kind << ", axis " << axis;
    }
}

TEST(Picture, SaysFromWhereOneLooks) {
  auto bodies = generate("uniform", 100, 1);
  EXPECT_EQ(make_view(bodies, 0, 400, 300).words(), "seen along -z, x to the right, y up");
  EXPECT_EQ(make_view(bodies, 'x', 400, 300).words(), "seen along -x, y to the right, z up");
  EXPECT_EQ(make_view(bodies, 'y', 400, 300).words(), "seen along +y, x to the right, z up");
  bodies.up = 1;  // models
  EXPECT_EQ(make_view(bodies, 'x', 400, 300).words(), "seen along +x, z to the right, y up");
  EXPECT_EQ(make_view(bodies, 'y', 400, 300).words(), "seen along +y, x to the right, z up");
  for (std::size_t i = 0; i < bodies.positions.size(); i += 3) bodies.positions[i] *= 0.1;
  EXPECT_EQ(make_view(bodies, 0, 400, 300).along, 0u);
  const auto cow = testing::real_file("spot.obj");
  if (cow.empty()) GTEST_SKIP() << testing::no_real_files;
  EXPECT_EQ(make_view(read(cow), 0, 400, 300).up, 1u);  // upright
}

TEST(Picture, ColoursSayWhatTheyLeaveOut) {
  std::vector<double> values;
  for (int i = 0; i <= 1000; ++i) values.push_back(i);
  EXPECT_EQ(make_scale(values).range.high, 1000);  // the ends are not cut without need
  values.push_back(1e9);
  values.push_back(INFINITY);
  const Scale scale = make_scale(values);
  EXPECT_LT(scale.range.high, 1001);
  EXPECT_EQ(scale.all.high, 1e9);
  EXPECT_EQ(scale.range.low, 0);
  EXPECT_EQ(scale.finite, 1002);
  EXPECT_EQ(scale.place(1e9), 1);
  EXPECT_FALSE(make_scale({3, 3, 3}).coloured);
  EXPECT_FALSE(make_scale({INFINITY, -INFINITY, NAN}).coloured);
  EXPECT_EQ(make_scale({INFINITY, NAN}).finite, 0);
  EXPECT_EQ(make_scale({-1, 3, 2, 0.5}).palette, Palette::diverging);
  EXPECT_EQ(make_scale({-1.7e308, 1.7e308, 0}).place(0), 0.5);
}

// Where all is equal or infinite the bodies show all the same, and words say it: more ink than with a bar of colours.
TEST(Picture, BodiesWithoutFiniteValuesShow) {
  const Folder folder;
  const auto bodies = generate("uniform", 2000, 1);
  for (const double value : {HUGE_VAL, 2.0}) {
    draw(folder / "a.png", bodies, std::vector<double>(2000, value), {"", "potential", 640, 480});
    EXPECT_GT(lit(read_png(folder / "a.png")), 640u * 480u / 20);
  }
}

// No letter and no dot touches the border, however long the title and wherever the bodies are.
TEST(Picture, NothingIsCutAtTheBorder) {
  const Folder folder;
  auto bodies = generate("uniform", 500, 1);
  for (double& place : bodies.positions) place = 4503599627370496.0 + 1000 * place;
  std::vector<double> values(500, 1.0);
  values[7] = 1e30, values[8] = 2;
  for (const auto& [width, height] : {std::pair{320, 240}, {1200, 900}}) {
    draw(folder / "a.png", bodies, values, {std::string(300, 'W'), "potential", width, height});
    const auto image = read_png(folder / "a.png");
    const auto at = [&](unsigned x, unsigned y) { return &image.bytes[3 * (std::size_t{y} * image.width + x)]; };
    for (unsigned x = 0; x < image.width; ++x)
      for (unsigned y = 0; y < image.height; ++y)
        if (x < 2 || y < 2 || x + 2 >= image.width || y + 2 >= image.height) {
          ASSERT_TRUE(std::equal(at(x, y), at(x, y) + 3, at(0, 0))) << x << ", " << y << " of " << width;
        }
  }
}

TEST(Picture, RefusesWhatItCannotDo) {
  const Bodies none;
  testing::expect_error(ErrorCode::output, "cannot be written", [&] { draw("/no/such/folder/a.png", none, {}); });
  testing::expect_error(ErrorCode::usage, "10 x 10", [&] { draw("a.png", none, {}, {"", "", 10, 10}); });
}

}  // namespace
}  // namespace farfield::io
