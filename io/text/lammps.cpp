// Data files of LAMMPS: a title, a header with counts and the box, and sections, of which Atoms is read.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/binary/bytes.hpp"
#include "io/formats.hpp"
#include "io/text/text.hpp"

namespace farfield::io {
namespace {

// Which words of an atom's line are what; three image flags may follow z. The identifier is the first.
struct Style {
  const char* name;
  std::size_t type, charge, position;  // charge 0: there is none
};
constexpr Style styles[] = {{"full", 2, 3, 4}, {"charge", 1, 2, 3}, {"atomic", 1, 0, 2},
                            {"bond", 2, 0, 3}, {"angle", 2, 0, 3},  {"molecular", 2, 0, 3}};

// What the header says of the box, and where in `Box::values` its numbers go.
struct Entry {
  std::string_view words;
  std::size_t at, count;
};
constexpr Entry entries[] = {{"xlo xhi", 0, 2}, {"ylo yhi", 2, 2}, {"zlo zhi", 4, 2}, {"xy xz yz", 6, 3},
                             {"avec", 9, 3},    {"bvec", 12, 3},   {"cvec", 15, 3},   {"abc origin", 18, 3}};
struct Box {
  std::array<double, 21> values = {-0.5, 0.5, -0.5, 0.5, -0.5, 0.5};  // as LAMMPS has it for axes that are not named
  bool stated = false, general = false;                               // general: by avec, bvec and cvec
};

std::string_view without_comment(std::string_view line) { return trimmed(line.substr(0, line.find('#'))); }

std::string one_blank_between(std::string_view text) {
  std::string words;
  for (auto word = take_word(text); !word.empty(); word = take_word(text)) {
    if (!words.empty()) words += ' ';
    words += word;
  }
  return words;
}

class Data {
 public:
  Data(const Origin& origin, std::string_view text) : origin_(origin), lines_(text) {}
  Bodies read();

 private:
  [[noreturn]] void fail(const std::string& what) const { refuse(origin_.path, lines_.where(), what); }
  bool next();  // the next line that says something, in `line_`
  void read_header_line();
  void read_bounds(const Entry& entry, const std::vector<double>& numbers);
  void find_atoms();
  void choose_style();
  void choose_by_look();
  double number(std::size_t word) const;
  void read_atom();
  void judge_charges();
  void fill_cell();

  const Origin& origin_;
  Lines lines_;
  std::string_view line_;
  std::int64_t count_ = -1;
  Box box_;
  std::string hint_;  // the style behind "Atoms #"
  std::string atoms_at_;
  Style style_{};
  std::vector<std::string_view> words_;
  bool may_be_types_ = true;  // all charges are whole and positive
  Bodies bodies_;
  std::vector<double> identifiers_, types_;
};

bool Data::next() {
  while (lines_.next())
    if (line_ = without_comment(lines_.line()); !line_.empty()) return true;
  return false;
}

void Data::read_bounds(const Entry& entry, const std::vector<double>& numbers) {
  if (numbers.size() != entry.count)
    fail(fmt::format("{} numbers before {} where there are {}; correct the line", numbers.size(), entry.words,
                     entry.count));
  if (entry.count == 2 && !(numbers[0] < numbers[1]))
    fail(fmt::format("the box has no extent between {}; correct the line", entry.words));
  std::copy(numbers.begin(), numbers.end(), box_.values.begin() + static_cast<std::ptrdiff_t>(entry.at));
  box_.stated = true;
  box_.general = box_.general || entry.at >= 9;
}

void Data::read_header_line() {
  std::vector<double> numbers;
  std::string_view rest = line_;
  for (auto after = rest; const auto value = to_number(take_word(after)); rest = after) numbers.push_back(*value);
  const std::string words = one_blank_between(rest);
  if (words == "atoms") {
    const auto count = to_count(take_word(line_));
    if (!count || numbers.size() != 1) fail("this is no number of atoms; write one, as in '32000 atoms'");
    count_ = *count;
  }
  for (const Entry& entry : entries)
    if (words == entry.words) read_bounds(entry, numbers);
}

// Sections begin with their name; before the first of them stands the header.
void Data::find_atoms() {
  lines_.next();  // the title
  bool header = true;
  while (next()) {
    std::string_view rest = line_;
    header = header && to_number(take_word(rest));
    if (header) {
      read_header_line();
    } else if (line_ == "Atoms") {
      const auto mark = lines_.line().find('#');
      std::string_view hint = mark == std::string_view::npos ? std::string_view() : lines_.line().substr(mark + 1);
      hint_ = lower(take_word(hint));
      atoms_at_ = lines_.where();
      if (count_ < 0) fail("the header before it has no line of the number of atoms; add one, as in '32000 atoms'");
      return;
    }
  }
  fail("there is no section Atoms in the file; complete it");
}

void Data::choose_style() {
  if (hint_.empty()) return choose_by_look();
  const auto* const style =
      std::find_if(std::begin(styles), std::end(styles), [&](const Style& s) { return hint_ == s.name; });
  if (style == std::end(styles))
    fail(fmt::format("atoms of style '{}' are not read; write the data with atom_style full or charge", shown(hint_)));
  style_ = *style;
}

// No style is named: full and charge are told by their number of words.
void Data::choose_by_look() {
  const std::size_t n = words_.size();
  if (n != 6 && n != 7 && n != 9 && n != 10)
    fail(fmt::format("{} words are those of neither style full nor charge; name the style, as in 'Atoms # full'", n));
  style_ = n == 7 || n == 10 ? styles[0] : styles[1];
  if (!to_count(words_[style_.type]))
    fail(fmt::format("'{}' is no type of an atom of style {}; name the style, as in 'Atoms # full'",
                     shown(words_[style_.type]), style_.name));
}

double Data::number(std::size_t word) const {
  const auto value = to_number(words_[word]);
  if (!value) fail(fmt::format("'{}' is not a number that fits a double; correct it", shown(words_[word])));
  return *value;
}

void Data::read_atom() {
  words_.clear();
  for (auto word = take_word(line_); !word.empty(); word = take_word(line_)) words_.push_back(word);
  const auto identifier = to_count(words_[0]);
  if (!identifier)
    fail(fmt::format("'{}' is no identifier of an atom, of which the header states {}; complete the section Atoms",
                     shown(words_[0]), count_));
  if (bodies_.positions.empty()) choose_style();
  const std::size_t least = style_.position + 3;
  if (words_.size() != least && words_.size() != least + 3)
    fail(fmt::format("{} words where an atom of style {} has {}, or {} with image flags; correct the line",
                     words_.size(), style_.name, least, least + 3));
  identifiers_.push_back(static_cast<double>(*identifier));
  if (const auto type = to_count(words_[style_.type])) types_.push_back(static_cast<double>(*type));
  for (std::size_t c = 0; c < 3; ++c) bodies_.positions.push_back(number(style_.position + c));
  if (style_.charge == 0) return;
  bodies_.strengths.push_back(number(style_.charge));
  may_be_types_ = may_be_types_ && to_count(words_[style_.charge]).value_or(0) > 0;
}

// Atoms of style molecular have as many words as those of style charge, with a type where these have a charge.
void Data::judge_charges() {
  if (hint_.empty() && style_.charge == 2 && may_be_types_ && count_ > 0) {
    bodies_.strengths.clear();
    if (origin_.needs_strengths)
      refuse(origin_.path, atoms_at_,
             "no style is named, and the third words may be charges or types; write 'Atoms # charge' where they are "
             "charges");
  }
  if (origin_.needs_strengths && count_ > 0 && style_.charge == 0)
    refuse(
        origin_.path, atoms_at_,
        fmt::format("atoms of style {} have no charges; write the data with atom_style full or charge", style_.name));
}

void Data::fill_cell() {
  if (!box_.stated) return;
  const auto& v = box_.values;
  bodies_.cell = {v[1] - v[0], 0, 0, v[6], v[3] - v[2], 0, v[7], v[8], v[5] - v[4]};
  bodies_.origin = {v[0], v[2], v[4]};
  if (box_.general) {
    bodies_.cell.assign(v.begin() + 9, v.begin() + 18);
    bodies_.origin = {v[18], v[19], v[20]};
  }
  bodies_.periodic = {true, true, true};
}

Bodies Data::read() {
  find_atoms();
  for (std::int64_t i = 0; i < count_; ++i) {
    if (!next()) fail(fmt::format("the file ends after {} of {} atoms; complete it", i, count_));
    read_atom();
  }
  judge_charges();
  fill_cell();
  bodies_.description = fmt::format("LAMMPS data, {} bodies (atoms), {}", count_,
                                    bodies_.strengths.empty() ? "without charges" : "charges from the file");
  bodies_.extra.push_back({"id", std::move(identifiers_)});
  if (types_.size() == static_cast<std::size_t>(count_))  // types may also have names
    bodies_.extra.push_back({"type", std::move(types_)});
  return std::move(bodies_);
}

}  // namespace

// A title, then a header with a line "32000 atoms" among others.
bool looks_like_lammps(std::string_view text) {
  Lines lines(text);
  for (int i = 0; i < 20 && lines.next(); ++i) {
    std::string_view line = without_comment(lines.line());
    if (to_count(take_word(line)) && trimmed(line) == "atoms") return true;
  }
  return false;
}

Bodies read_lammps(const Origin& origin, std::string_view text) { return Data(origin, text).read(); }

}  // namespace farfield::io
