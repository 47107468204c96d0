// Charts and series of pictures: what is drawn can be read back, and is where it should be.
#include <cmath>

#include "files.hpp"
#include "io/chart/chart.hpp"
#include "io/drawing/line.hpp"
#include "io/generate/generate.hpp"
#include "io/picture/picture.hpp"

namespace farfield::io {
namespace {
using testing::content_of;
using testing::Folder;

TEST(Line, CoversWhatItShould) {
  Image image(40, 20, Colour{0, 0, 0});
  draw_line(image, 5, 10, 35, 10, 2, Colour{1, 1, 1});
  float light = 0;
  for (const Colour& pixel : image.pixels) light += pixel[0];
  EXPECT_NEAR(light, 30 * 2 + 3.14, 1.5);  // its length by its width, and the round ends
  EXPECT_EQ(image.at(20, 9)[1], 1);
  EXPECT_EQ(image.at(20, 10)[1], 1);
  EXPECT_EQ(image.at(20, 13)[1], 0);
  draw_line(image, -1e6, -1e6, 1e6, 1e6, 2, Colour{1, 0, 0});  // far beyond the canvas
  EXPECT_EQ(image.at(10, 10)[0], 1);
}

// Whatever the numbers are: none, one, a constant, gaps, all of them no numbers, far from zero.
TEST(Chart, DrawsWhatIsHardToScale) {
  const Folder folder;
  const std::vector<std::vector<double>> lists = {
      {}, {1}, {2, 2, 2}, {1, NAN, 3, INFINITY, 5}, {NAN, NAN}, {1e300, -1e300}, {1 + 1e-15, 1}, {-1e-300, 1e-300}};
  for (const auto& values : lists) {
    Chart chart;
    chart.title = "Title", chart.axis = "time";
    for (std::size_t i = 0; i < values.size(); ++i) chart.places.push_back(static_cast<double>(i));
    chart.panels = {{"one", {{"a", values}, {"b", values}}}, {"two", {{"c", values}}}};
    draw_chart(folder / "a.png", chart);
    EXPECT_TRUE(content_of(folder / "a.png").starts_with("\x89PNG"));
  }
}

TEST(Series, KeepsTheViewOfItsFirstPicture) {
  const Folder folder;
  const Bodies near = generate("uniform", 500, 1);
  Bodies far = near;
  for (double& x : far.positions) x = 3 * x - 1;
  PictureStyle style;
  style.width = 640, style.height = 480;
  Series series(style);
  EXPECT_TRUE(series.look().empty());
  series.draw(folder / "first.png", near, near.strengths, "t");
  series.draw(folder / "second.png", far, near.strengths, "t");
  series.draw(folder / "third.png", near, near.strengths, "t");
  EXPECT_EQ(content_of(folder / "first.png"), content_of(folder / "third.png"));
  draw(folder / "alone.png", far, near.strengths, {"t", "potential", 640, 480});
  EXPECT_NE(content_of(folder / "second.png"), content_of(folder / "alone.png"));

  Series next(style);
  next.take_look(series.look());
  next.draw(folder / "next.png", far, near.strengths, "t");
  EXPECT_EQ(content_of(folder / "second.png"), content_of(folder / "next.png"));
  for (const std::vector<double>& none :
       {std::vector<double>{1, 2}, std::vector<double>(15, NAN), std::vector<double>(15)}) {
    Series own(style);
    own.take_look(none);
    EXPECT_TRUE(own.look().empty());
  }
}

TEST(Series, ShowsTheLimitsThatItIsGiven) {
  const Folder folder;
  const Bodies bodies = generate("uniform", 500, 1);
  PictureStyle style;
  style.limits = {0, 1, 0, 1};
  Series series(style);
  series.draw(folder / "a.png", bodies, {}, "t");
  const auto look = series.look();
  EXPECT_EQ(look[3], 0.5);
  EXPECT_EQ(look[4], 0.5);
  for (const std::array<double, 4>& none :
       {std::array{1.0, 1.0, 0.0, 1.0}, {0.0, 1.0, 1.0, 0.0}, {0.0, NAN, 0.0, 1.0}}) {
    style.limits = none;
    testing::expect_error(ErrorCode::usage, "show nothing", [&] { Series refused(style); });
  }
}

}  // namespace
}  // namespace farfield::io
