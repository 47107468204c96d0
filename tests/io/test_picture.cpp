#include <png.h>

#include <cmath>

#include "files.hpp"
#include "io/generate.hpp"
#include "io/picture.hpp"

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

TEST(Picture, RefusesWhatItCannotDo) {
  const Bodies none;
  testing::expect_error(ErrorCode::output, "cannot be written", [&] { draw("/no/such/folder/a.png", none, {}); });
  testing::expect_error(ErrorCode::usage, "10 x 10", [&] { draw("a.png", none, {}, {"", "", 10, 10}); });
}

}  // namespace
}  // namespace farfield::io
