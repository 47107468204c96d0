// What the readers of text share: lines, fields, numbers, and names that are fit to be printed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace farfield::io {

std::string lower(std::string_view text);

/// Without blanks, tabs and carriage returns at both ends.
std::string_view trimmed(std::string_view text);

/// Text from a file as a terminal may show it: control characters and bytes that are no UTF-8 as \x1b.
std::string printable(std::string_view text);

/// The beginning of a field, for a sentence that a long one would drown.
std::string shown(std::string_view field);

/// The whole field as a number; a plus sign in front is allowed, nan and inf are read as they stand.
std::optional<double> to_number(std::string_view field);

/// The whole field as a number of things: digits alone, up to 1e15.
std::optional<std::int64_t> to_count(std::string_view field);

/// The next word of the line, which blanks and tabs separate; empty where there is none.
std::string_view take_word(std::string_view& line);

/// Lines one after the other; they end with \n, \r\n or \r alone. A byte order mark of UTF-8 is passed over.
class Lines {
 public:
  explicit Lines(std::string_view text);
  bool next();              ///< the next line as it stands, without its end
  bool next_significant();  ///< the next that is neither blank nor a comment, that is, begins with #
  std::string_view line() const { return line_; }
  std::string_view rest() const { return rest_; }
  std::string where() const;

 private:
  std::string_view rest_, line_;
  std::int64_t number_ = 0;
};

}  // namespace farfield::io
