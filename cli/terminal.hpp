// What the terminal can show, and text laid out for it: colour, bars, wrapped paragraphs.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace farfield::cli {

struct Terminal {
  bool utf8 = false;    ///< block characters and mathematical signs show
  bool colour = false;  ///< a person looks at it and has not set NO_COLOR
  int columns = 80;     ///< every line of a report ends before this one

  /// UTF-8 by LC_ALL, LC_CTYPE, LANG; colour, and the width of the window within 60 to 120, where `stream` is a
  /// terminal.
  static Terminal of(std::FILE* stream);

  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string dim(std::string_view text) const { return paint("2", text); }
  std::string good(std::string_view text) const { return paint("32", text); }
  std::string warn(std::string_view text) const { return paint("1;33", text); }
  std::string bad(std::string_view text) const { return paint("1;31", text); }
  /// The same thing in mathematical signs and in ASCII.
  const char* either(const char* fancy, const char* plain) const { return utf8 ? fancy : plain; }

  /// Breaks at spaces so that lines, the first of which starts in column `indent`, end before `columns`.
  std::string wrap(std::string_view text, int indent) const;

  /// A horizontal bar for `share` in 0..1, padded to `width` columns; a share above zero never shows as nothing.
  std::string bar(double share, int width) const;

 private:
  std::string paint(const char* code, std::string_view text) const;
};

bool is_terminal(std::FILE* stream);

/// Columns of the window that `stream` shows in, within 60 to 120; 80 where it is no terminal.
int columns_of(std::FILE* stream);

/// Names and words of others, safe to show: a control character, or a byte that is no UTF-8, becomes '?'.
std::string printable(std::string_view text);

/// Columns that UTF-8 text takes (every code point counts one: enough for what Farfield prints).
int width_of(std::string_view text);
std::string pad(std::string_view text, int width);       ///< spaces behind
std::string pad_left(std::string_view text, int width);  ///< spaces in front

/// Writes to standard output; throws Error(output) where it is full or closed.
void print(const std::string& text, std::FILE* stream = stdout);

}  // namespace farfield::cli
