// Tables of text with a header line: x, y, z, q in any order and case; further columns are carried through.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "io/binary/bytes.hpp"
#include "io/columns/densities.hpp"
#include "io/formats.hpp"
#include "io/text/text.hpp"

namespace farfield::io {
namespace {

constexpr std::array<const char*, 7> strength_names = {"q",       "strength", "strengths", "charge",
                                                       "charges", "mass",     "masses"};

constexpr std::array<std::pair<const char*, const char*>, 5> globe_names = {
    {{"x", "lon"}, {"x", "longitude"}, {"x", "lng"}, {"y", "lat"}, {"y", "latitude"}}};

using Fields = std::vector<std::string_view>;

// A blank as delimiter stands for any number of blanks and tabs, so that fields are words.
void split(std::string_view line, char delimiter, Fields& fields) {
  fields.clear();
  if (delimiter == ' ') {
    for (auto word = take_word(line); !word.empty(); word = take_word(line)) fields.push_back(word);
    return;
  }
  while (true) {
    const auto end = line.find(delimiter);
    fields.push_back(trimmed(line.substr(0, end)));
    if (end == line.npos) return;
    line.remove_prefix(end + 1);
  }
}

// What separates the names of the header: the most frequent of comma, semicolon and tab, or else blanks.
char delimiter_of(std::string_view header) {
  char best = ' ';
  std::ptrdiff_t most = 0;
  for (const char candidate : {',', ';', '\t'}) {
    const auto found = std::count(header.begin(), header.end(), candidate);
    if (found > most) best = candidate;
    most = std::max(most, found);
  }
  return best;
}

// Where a coordinate or the strengths come from: a column, or one number for all bodies (`--columns z=0`).
struct Place {
  std::size_t column = 0;
  std::optional<double> constant;
};

struct Table {
  char delimiter = ',';
  std::vector<Column> columns;
  std::vector<bool> needed;                             // a column that must hold numbers: not merely carried through
  std::vector<bool> text;                               // a column found to hold something else: dropped with a warning
  std::vector<bool> used;                               // a column that became positions, strengths or references
  std::unordered_map<std::string, std::size_t> places;  // by lower-case name; of several the first
  std::unordered_set<std::string> several;              // names that more than one column has
  std::size_t rows = 0;
};

class Reader {
 public:
  Reader(const Origin& origin, std::string_view text) : origin_(origin), lines_(text) {}
  Bodies read();

 private:
  [[noreturn]] void fail(const std::string& what) const { refuse(origin_.path, lines_.where(), what); }
  void read_header();
  void read_row();
  void find_places();
  std::optional<std::size_t> find(const std::string& name) const;
  std::optional<Place> find_named(const std::string& role);
  std::optional<Place> find_coordinate(const std::string& name);
  std::optional<Place> find_strength();
  bool find_densities();
  std::vector<double> gathered(const std::vector<Place>& places);
  std::vector<double> reference(const std::vector<const char*>& names);
  void carry(Bodies& bodies);

  const Origin& origin_;
  Lines lines_;
  Table table_;
  Fields fields_;
  bool flat_ = false;  // there is no column z
  std::vector<Place> coordinates_;
  std::optional<Place> strength_;
};

void Reader::read_header() {
  if (!lines_.next_significant()) refuse(origin_.path, "", "no header line was found; begin the file with x,y,z,q");
  const std::string_view line = lines_.line();
  if (line.find('\0') != line.npos)
    fail("there are zero bytes in the text, as UTF-16 has them; save it as UTF-8, for example with iconv");
  if (line.find('"') != line.npos) fail("quoted names are not read; remove the quotation marks");
  table_.delimiter = origin_.reading.delimiter ? origin_.reading.delimiter : delimiter_of(line);
  split(line, table_.delimiter, fields_);
  for (const auto field : fields_) {
    if (to_number(field)) fail("this is a row of numbers, not a header; put the line x,y,z,q before it");
    const std::string name = lower(field);
    if (!name.empty() && !table_.places.emplace(name, table_.columns.size()).second) table_.several.insert(name);
    table_.columns.push_back({std::string(field), {}});
  }
  for (auto* flags : {&table_.needed, &table_.text, &table_.used}) flags->assign(table_.columns.size(), false);
}

std::optional<std::size_t> Reader::find(const std::string& name) const {
  const auto at = table_.places.find(lower(name));
  if (at == table_.places.end()) return std::nullopt;
  if (table_.several.contains(at->first))
    fail(fmt::format("column '{}' occurs twice; rename one of them", shown(table_.columns[at->second].name)));
  return at->second;
}

// What `--columns` says of a coordinate or of q. Targets often have other columns than the bodies it was said for: then
// their own names count.
std::optional<Place> Reader::find_named(const std::string& role) {
  for (const auto& [wanted, name] : origin_.reading.columns) {
    if (wanted != role) continue;
    if (const auto at = find(name)) return Place{*at, {}};
    if (!origin_.needs_strengths && (role == "q" || find(role))) return std::nullopt;
    if (const auto number = to_number(name)) return Place{0, number};
    fail(fmt::format("there is no column {}, which was named for {}; the header begins with {}", shown(name), role,
                     shown(trimmed(lines_.line()))));
  }
  return std::nullopt;
}

std::optional<Place> Reader::find_coordinate(const std::string& name) {
  if (const auto place = find_named(name)) return place;
  if (const auto at = find(name)) return Place{*at, {}};
  for (const auto& [coordinate, other] : globe_names)
    if (const auto at = origin_.reading.globe && name == coordinate ? find(other) : std::nullopt) return Place{*at, {}};
  return std::nullopt;
}

std::optional<Place> Reader::find_strength() {
  if (const auto place = find_named("q")) return place;
  for (const char* name : strength_names)
    if (const auto at = find(name)) return Place{*at, {}};
  if (origin_.needs_strengths && origin_.reading.densities && find_densities()) return Place{0, 0.0};
  if (origin_.needs_strengths)
    fail("there is no column q (or strength, charge, mass); add one, of ones where all bodies weigh the same");
  return std::nullopt;
}

// Columns of further strengths and of dipoles, which must hold numbers then. Are there dipoles?
bool Reader::find_densities() {
  bool dipoles = false;
  for (std::int64_t v = 0;; ++v) {
    std::vector<std::size_t> needed;
    for (const std::string& name : dipole_columns(v))
      if (const auto at = find(name)) needed.push_back(*at);
    if (needed.size() < 3) needed.clear();
    dipoles = dipoles || !needed.empty();
    if (const auto at = v > 0 ? find(strength_column(v)) : std::nullopt) needed.push_back(*at);
    if (v > 0 && needed.empty()) return dipoles;
    for (const std::size_t at : needed) table_.needed[at] = true;
  }
}

void Reader::find_places() {
  for (const char* name : {"x", "y", "z"}) {
    auto place = find_coordinate(name);
    const bool needed = *name == 'x' || (*name == 'y' && !origin_.reading.line);
    if (!place && !needed) place = Place{0, 0.0}, flat_ = true;
    if (!place && origin_.reading.globe)
      fail("there are no columns longitude and latitude; use --columns x=LONGITUDE,y=LATITUDE to say which they are");
    if (!place) fail(fmt::format("there is no column {}; name the columns x,y,z,q", name));
    coordinates_.push_back(*place);
  }
  strength_ = find_strength();
  for (const Place& place : coordinates_)
    if (!place.constant) table_.needed[place.column] = true;
  if (strength_ && !strength_->constant) table_.needed[strength_->column] = true;
  if (origin_.needs_strengths && origin_.reading.densities) find_densities();
}

void Reader::read_row() {
  const std::string_view line = lines_.line();
  if (line.find('"') != line.npos) fail("quoted fields are not read; remove the quotation marks");
  split(line, table_.delimiter, fields_);
  if (fields_.size() != table_.columns.size())
    fail(fmt::format("{} fields where the header has {}; complete the line or remove it", fields_.size(),
                     table_.columns.size()));
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const auto value = to_number(fields_[i]);
    const bool comma = table_.delimiter != ',' && fields_[i].find(',') != std::string_view::npos;
    if (!value && table_.needed[i])
      fail(fmt::format("'{}' in column {} is not a number that fits a double; {}", shown(fields_[i]),
                       shown(table_.columns[i].name),
                       comma ? "write decimal points, not commas" : "correct it or remove the line"));
    if (!value && !fields_[i].empty()) table_.text[i] = true;
    table_.columns[i].values.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  ++table_.rows;
}

// The columns side by side, interleaved; they are not carried through then.
std::vector<double> Reader::gathered(const std::vector<Place>& places) {
  std::vector<double> values(places.size() * table_.rows);
  for (std::size_t c = 0; c < places.size(); ++c) {
    const auto& [column, constant] = places[c];
    for (std::size_t i = 0; i < table_.rows; ++i)
      values[places.size() * i + c] = constant ? *constant : table_.columns[column].values[i];
    if (!constant) table_.used[column] = true;
  }
  return values;
}

// Results of others, where all their columns are there and hold numbers.
std::vector<double> Reader::reference(const std::vector<const char*>& names) {
  std::vector<Place> places;
  for (const char* name : names) {
    const auto at = table_.places.find(name);
    if (at == table_.places.end() || table_.text[at->second] || table_.used[at->second]) return {};
    places.push_back({at->second, {}});
  }
  return gathered(places);
}

void Reader::carry(Bodies& bodies) {
  for (std::size_t i = 0; i < table_.columns.size(); ++i) {
    Column& column = table_.columns[i];
    if (column.name.empty() || table_.used[i]) continue;
    if (!bodies.reference_potential.empty() && origin_.reading.densities && is_further_result(column.name)) continue;
    if (table_.text[i])
      bodies.warnings.push_back(
          fmt::format("Column {} holds more than numbers and is not carried through.", shown(column.name)));
    else
      bodies.extra.push_back(std::move(column));
  }
}

Bodies Reader::read() {
  read_header();
  find_places();
  while (lines_.next_significant()) read_row();
  Bodies bodies;
  bodies.positions = gathered(coordinates_);
  if (strength_) bodies.strengths = gathered({*strength_});
  bodies.reference_potential = reference({"potential"});
  bodies.reference_gradient = reference({"gx", "gy", "gz"});
  bodies.reference_hessian = reference({"hxx", "hyy", "hzz", "hxy", "hxz", "hyz"});
  bodies.description =
      fmt::format("csv, {} bodies{}", table_.rows,
                  flat_ && !origin_.reading.line && !origin_.reading.globe ? " in the plane z = 0" : "");
  if (strength_ && strength_->constant) bodies.description += fmt::format(", all strengths {:g}", *strength_->constant);
  if (strength_ && !strength_->constant)
    bodies.description += fmt::format(", strengths from column {}", shown(table_.columns[strength_->column].name));
  carry(bodies);
  return bodies;
}

}  // namespace

Bodies read_csv(const Origin& origin, std::string_view text) { return Reader(origin, text).read(); }

}  // namespace farfield::io
