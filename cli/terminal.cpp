#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <farfield/error.hpp>

namespace farfield::cli {
namespace {

/// The locale's variables themselves: setlocale knows only locales that were generated on this machine.
bool speaks_utf8() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(variable);
    if (!value || !*value) continue;
    std::string lower(value);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower.find("utf-8") != lower.npos || lower.find("utf8") != lower.npos;
  }
  return false;
}

bool colour_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return !(no_color && *no_color) && term && std::strcmp(term, "dumb") != 0;
}

/// Bytes of the UTF-8 character that starts `text`, not of a control character; 0 where there is none.
std::size_t character_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7F ? 1 : 0;
  const std::size_t size = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  return size == 2 && byte(0) == 0xC2 && byte(1) < 0xA0 ? 0 : size;  // U+0080 to U+009F are control characters, too
}

}  // namespace

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) != 0; }

int columns_of(std::FILE* stream) {
  winsize window{};
  if (!is_terminal(stream) || ::ioctl(fileno(stream), TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return 80;
  return std::clamp<int>(window.ws_col, 60, 120);
}

Terminal Terminal::of(std::FILE* stream) {
  return {speaks_utf8(), is_terminal(stream) && colour_wanted(), columns_of(stream)};
}

std::string Terminal::paint(const char* code, std::string_view text) const {
  if (!colour || text.empty()) return std::string(text);
  return std::string("\033[") + code + "m" + std::string(text) + "\033[0m";
}

std::string Terminal::bar(double share, int width) const {
  static constexpr std::array<const char*, 9> eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  const double length = std::clamp(share, 0.0, 1.0) * width;
  std::string text;
  if (!utf8) {
    text.assign(static_cast<std::size_t>(share > 0 ? std::max(1L, std::lround(length)) : 0), '#');
    return pad(text, width);
  }
  const int parts = share > 0 ? std::max(1, static_cast<int>(std::lround(8 * length))) : 0;
  for (int i = 0; i < parts / 8; ++i) text += eighths[8];
  return pad(text + eighths[static_cast<std::size_t>(parts % 8)], width);
}

int width_of(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string pad(std::string_view text, int width) {
  return std::string(text) + std::string(static_cast<std::size_t>(std::max(0, width - width_of(text))), ' ');
}

std::string pad_left(std::string_view text, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - width_of(text))), ' ') + std::string(text);
}

std::string Terminal::wrap(std::string_view text, int indent) const {
  std::string lines;
  int column = indent;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column > indent && column + 1 + width_of(word) > columns) {
      lines += '\n' + std::string(static_cast<std::size_t>(indent), ' ');
      column = indent;
    }
    if (column > indent) lines += ' ', ++column;
    lines += word;
    column += width_of(word);
  }
  return lines;
}

std::string printable(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t size = character_at(text);
    safe += size > 0 ? std::string(text.substr(0, size)) : "?";
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return safe;
}

void print(const std::string& text, std::FILE* stream) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if (!whole || std::fflush(stream) != 0)
    throw Error(ErrorCode::output,
                std::string(stream == stdout ? "standard output: " : "standard error: ") + std::strerror(errno));
}

}  // namespace farfield::cli
