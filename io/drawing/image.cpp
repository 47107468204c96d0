#include "io/drawing/image.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>

#include "farfield/error.hpp"
#include "io/drawing/font.hpp"
#include "io/output.hpp"

namespace farfield::io {
namespace {

constexpr int advance = glyph_width + 1;

std::vector<png_byte> to_bytes(const Image& image) {
  std::vector<png_byte> bytes;
  bytes.reserve(3 * image.pixels.size());
  for (const Colour& pixel : image.pixels)
    for (const float value : pixel)
      bytes.push_back(static_cast<png_byte>(std::lround(255 * std::clamp(value, 0.0f, 1.0f))));
  return bytes;
}

// libpng reports by leaping out of the call: nothing here may need destruction between setjmp and the leap.
bool encode(std::FILE* file, png_structp png, png_infop info, const Image& image, std::vector<png_bytep>& rows) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_init_io(png, file);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 8,
               PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, info);
  png_write_image(png, rows.data());
  png_write_end(png, nullptr);
  return true;
}

void be_silent(png_structp, png_const_charp) {}
void leap(png_structp png, png_const_charp) { png_longjmp(png, 1); }

}  // namespace

void fill_rectangle(Image& image, int x, int y, int width, int height, Colour colour) {
  for (int row = std::max(y, 0); row < std::min(y + height, image.height); ++row)
    for (int column = std::max(x, 0); column < std::min(x + width, image.width); ++column)
      image.at(column, row) = colour;
}

int text_width(std::string_view text, int scale) { return static_cast<int>(text.size()) * advance * scale; }

void draw_text(Image& image, int x, int y, std::string_view text, int scale, Colour colour) {
  for (const char c : text) {
    const auto rows = glyph(c);
    for (int row = 0; row < glyph_height; ++row)
      for (int dot = 0; dot < glyph_width; ++dot)
        if (rows[static_cast<std::size_t>(row)] >> (glyph_width - 1 - dot) & 1U)
          fill_rectangle(image, x + dot * scale, y + row * scale, scale, scale, colour);
    x += advance * scale;
  }
}

void write_png(const std::string& path, const Image& image) {
  std::vector<png_byte> bytes = to_bytes(image);
  std::vector<png_bytep> rows;
  for (int y = 0; y < image.height; ++y) rows.push_back(bytes.data() + static_cast<std::size_t>(y) * image.width * 3);

  Output out(path);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, leap, be_silent);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  const bool good = info && encode(out.handle(), png, info, image, rows);
  png_destroy_write_struct(&png, &info);
  if (!good)
    throw Error(ErrorCode::output, fmt::format("{}: the picture cannot be written; check the space left.", path));
  out.commit();
}

}  // namespace farfield::io
