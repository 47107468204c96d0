#include "io/text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace farfield::io {
namespace {

constexpr const char* blanks = " \t\r";

// The length of the UTF-8 character at the front which a terminal may be given; 0 for anything else.
std::size_t harmless(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 32 && first != 127 ? 1 : 0;
  const std::size_t length = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : 4;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool beyond = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  const bool control = first == 0xc2 && second < 0xa0;
  return overlong || beyond || control ? 0 : length;
}

}  // namespace

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = harmless(text);
    if (length > 0)
      result += text.substr(0, length);
    else
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string shown(std::string_view field) {
  constexpr std::size_t most = 24;
  if (field.size() <= most) return printable(field);
  std::size_t end = most;
  while (end > most - 4 && (static_cast<unsigned char>(field[end]) & 0xc0) == 0x80) --end;  // no half characters
  return printable(field.substr(0, end)) + "...";
}

std::optional<double> to_number(std::string_view field) {
  if (field.starts_with('+')) field.remove_prefix(1);
  double value = 0;
  const auto [end, trouble] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (trouble != std::errc{} || end != field.data() + field.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> to_count(std::string_view field) {
  std::int64_t value = -1;
  const auto [end, trouble] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (trouble != std::errc{} || end != field.data() + field.size()) return std::nullopt;
  if (value < 0 || field.front() == '-' || value > 1'000'000'000'000'000) return std::nullopt;
  return value;
}

std::string_view take_word(std::string_view& line) {
  const auto first = std::min(line.find_first_not_of(blanks), line.size());
  line.remove_prefix(first);
  const auto word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

Lines::Lines(std::string_view text) : rest_(text) {
  if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
}

bool Lines::next() {
  if (rest_.empty()) return false;
  const auto end = std::find_if(rest_.begin(), rest_.end(), [](char c) { return c == '\n' || c == '\r'; });
  const auto length = static_cast<std::size_t>(end - rest_.begin());
  line_ = rest_.substr(0, length);
  rest_.remove_prefix(length);
  if (!rest_.empty()) rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : 1);
  ++number_;
  return true;
}

bool Lines::next_significant() {
  while (next()) {
    const auto text = trimmed(line_);
    if (!text.empty() && text.front() != '#') return true;
  }
  return false;
}

std::string Lines::where() const { return fmt::format("line {}", number_); }

}  // namespace farfield::io
