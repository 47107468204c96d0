// Comma-separated values with a header line: x, y, z, q in any order and case; further columns are carried through.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "bytes.hpp"
#include "formats.hpp"

namespace farfield::io {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Lines that say something: blank ones and those which start with # are passed over, but counted.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);  // spreadsheets write a byte order mark
  }
  bool next() {
    while (!rest_.empty()) {
      const auto end = rest_.find('\n');
      line_ = trimmed(rest_.substr(0, end));
      rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
      ++number_;
      if (!line_.empty() && line_.front() != '#') return true;
    }
    return false;
  }
  std::string_view line() const { return line_; }
  std::string where() const { return fmt::format("line {}", number_); }

 private:
  std::string_view rest_, line_;
  std::int64_t number_ = 0;
};

std::string_view take_field(std::string_view& line) {
  const auto comma = line.find(',');
  const auto field = trimmed(line.substr(0, comma));
  line = comma == line.npos ? std::string_view{} : line.substr(comma + 1);
  return field;
}

std::optional<double> to_number(std::string_view field) {
  if (field.starts_with('+')) field.remove_prefix(1);
  double value = 0;
  const auto [end, trouble] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (trouble != std::errc{} || end != field.data() + field.size()) return std::nullopt;
  return value;
}

// A long field would drown the sentence, and control characters would spoil the terminal.
std::string shown(std::string_view field) {
  std::string text(field.substr(0, 24));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
  return field.size() > 24 ? text + "..." : text;
}

struct Table {
  std::vector<Column> columns;
  std::vector<bool> needed;  // a column that must hold numbers: not merely carried through
  std::vector<bool> text;    // a column found to hold something else: dropped with a warning
};

constexpr std::array<const char*, 4> strength_names = {"q", "strength", "charge", "mass"};
constexpr std::array<const char*, 4> strength_plurals = {"q", "strengths", "charges", "masses"};

std::optional<std::size_t> find(const Table& table, const std::string& name) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (lower(table.columns[i].name) == name) return i;
  return std::nullopt;
}

std::optional<std::size_t> find_strength(const Table& table) {
  for (std::size_t k = 0; k < strength_names.size(); ++k) {
    if (const auto i = find(table, strength_names[k])) return i;
    if (const auto i = find(table, strength_plurals[k])) return i;
  }
  return std::nullopt;
}

Table read_header(const Origin& origin, Lines& lines) {
  if (!lines.next()) refuse(origin.path, "", "no header line was found; begin the file with x,y,z,q");
  Table table;
  std::string_view line = lines.line();
  if (line.find('"') != line.npos)
    refuse(origin.path, lines.where(), "quoted names are not read; remove the quotation marks");
  for (bool more = true; more;) {
    more = line.find(',') != line.npos;
    const std::string name(take_field(line));
    if (to_number(name))
      refuse(origin.path, lines.where(), "this is a row of numbers, not a header; put the line x,y,z,q before it");
    if (!name.empty() && find(table, lower(name)))
      refuse(origin.path, lines.where(), fmt::format("column '{}' occurs twice; rename one of them", shown(name)));
    table.columns.push_back({name, {}});
  }
  table.needed.assign(table.columns.size(), false);
  table.text.assign(table.columns.size(), false);
  return table;
}

void check_columns(const Origin& origin, Table& table, const std::string& where) {
  for (const char* name : {"x", "y", "z"}) {
    const auto i = find(table, name);
    if (!i) refuse(origin.path, where, fmt::format("there is no column {}; name the columns x,y,z,q", name));
    table.needed[*i] = true;
  }
  const auto strength = find_strength(table);
  if (strength) table.needed[*strength] = true;
  if (!strength && origin.needs_strengths)
    refuse(origin.path, where,
           "there is no column q (or strength, charge, mass); add one, of ones where all bodies weigh the same");
}

void read_row(const Origin& origin, const Lines& lines, Table& table) {
  std::string_view line = lines.line();
  const std::size_t wanted = table.columns.size();
  const auto found = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
  if (line.find('"') != line.npos)
    refuse(origin.path, lines.where(), "quoted fields are not read; remove the quotation marks");
  if (found != wanted)
    refuse(origin.path, lines.where(),
           fmt::format("{} fields where the header has {}; complete the line or remove it", found, wanted));
  for (std::size_t i = 0; i < wanted; ++i) {
    const auto field = take_field(line);
    const auto value = to_number(field);
    if (!value && table.needed[i])
      refuse(origin.path, lines.where(),
             fmt::format("'{}' in column {} is not a number that fits a double; correct it or remove the line",
                         shown(field), table.columns[i].name));
    if (!value && !field.empty()) table.text[i] = true;
    table.columns[i].values.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
}

// Takes three columns out of the table, as interleaved coordinates; nothing where one is missing.
std::vector<double> take_vectors(Table& table, const std::array<const char*, 3>& names) {
  std::array<std::size_t, 3> at{};
  for (std::size_t c = 0; c < 3; ++c) {
    const auto i = find(table, names[c]);
    if (!i || table.text[*i]) return {};
    at[c] = *i;
  }
  std::vector<double> vectors(3 * table.columns[at[0]].values.size());
  for (std::size_t c = 0; c < 3; ++c) {
    auto& column = table.columns[at[c]];
    for (std::size_t i = 0; i < column.values.size(); ++i) vectors[3 * i + c] = column.values[i];
    column = {};
  }
  return vectors;
}

Column take_column(Table& table, std::optional<std::size_t> at) {
  if (!at || table.text[*at]) return {};
  return std::exchange(table.columns[*at], {});
}

}  // namespace

Bodies read_csv(const Origin& origin, std::string_view text) {
  Lines lines(text);
  Table table = read_header(origin, lines);
  check_columns(origin, table, lines.where());
  while (lines.next()) read_row(origin, lines, table);

  Bodies bodies;
  bodies.positions = take_vectors(table, {"x", "y", "z"});
  Column strengths = take_column(table, find_strength(table));
  bodies.strengths = std::move(strengths.values);
  bodies.reference_potential = take_column(table, find(table, "potential")).values;
  bodies.reference_gradient = take_vectors(table, {"gx", "gy", "gz"});
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name.empty()) continue;
    if (table.text[i])
      bodies.warnings.push_back(
          fmt::format("Column {} holds more than numbers and is not carried through.", shown(table.columns[i].name)));
    else
      bodies.extra.push_back(std::move(table.columns[i]));
  }
  bodies.description = fmt::format("csv, {} bodies", bodies.count());
  if (!strengths.name.empty()) bodies.description += fmt::format(", strengths from column {}", shown(strengths.name));
  return bodies;
}

}  // namespace farfield::io
