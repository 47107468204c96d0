#include "cli/terminal.hpp"

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

}  // namespace

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) != 0; }

Terminal Terminal::of(std::FILE* stream) { return {speaks_utf8(), is_terminal(stream) && colour_wanted()}; }

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

std::string wrap(std::string_view text, int indent) {
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

void print(const std::string& text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!whole || std::fflush(stdout) != 0)
    throw Error(ErrorCode::output, std::string("standard output: ") + std::strerror(errno));
}

}  // namespace farfield::cli
