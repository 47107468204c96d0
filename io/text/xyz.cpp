// Molecules as xyz: a number of atoms, a line of comment, and then an element, a place and perhaps a charge per line.
#include <fmt/format.h>

#include <algorithm>

#include "io/binary/bytes.hpp"
#include "io/formats.hpp"
#include "io/text/text.hpp"

namespace farfield::io {
namespace {

// Which words of an atom's line are read; what extended xyz calls Properties tells, custom otherwise.
struct Layout {
  std::size_t position = 1, charge = 4, words = 5;
  bool charged = false, named = false;
};

std::size_t read_count(const Origin& origin, Lines& lines) {
  if (!lines.next()) refuse(origin.path, "", "the file is empty; write the atoms to it first");
  const auto count = to_number(trimmed(lines.line()));
  if (!count || *count < 0 || *count > 1e15 || *count != static_cast<double>(static_cast<std::int64_t>(*count)))
    refuse(origin.path, lines.where(),
           fmt::format("'{}' is no number of atoms, with which xyz begins; a table of bare numbers is read as .csv, "
                       "with a header line x y z",
                       shown(trimmed(lines.line()))));
  return static_cast<std::size_t>(*count);
}

// The value of key=... in a comment line of extended xyz; quotation marks may stand around it.
std::string_view value_of(std::string_view comment, std::string_view key) {
  const auto at = comment.find(key);
  if (at == comment.npos) return {};
  comment.remove_prefix(at + key.size());
  if (comment.starts_with('"')) return comment.substr(1, comment.find('"', 1) - 1);
  return comment.substr(0, comment.find_first_of(" \t"));
}

std::string_view take_part(std::string_view& text) {
  const auto end = text.find(':');
  const auto part = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return part;
}

// Properties=species:S:1:pos:R:3:charge:R:1 names the columns, with a type and a number of words each.
Layout layout_of(const Origin& origin, const Lines& lines) {
  Layout layout;
  std::string_view rest = value_of(lines.line(), "Properties=");
  if (rest.empty()) return layout;
  bool placed = false;
  layout.named = true;
  layout.words = 0;
  while (!rest.empty()) {
    const std::string name = lower(take_part(rest));
    take_part(rest);
    const auto count = to_number(take_part(rest));
    if (!count || !(*count >= 1 && *count <= 1000))
      refuse(origin.path, lines.where(), "its Properties make no sense; write name:type:count for each column");
    if (name == "pos" && *count == 3) placed = true, layout.position = layout.words;
    if ((name == "q" || name == "charge" || name == "charges" || name == "initial_charges") && *count == 1)
      layout.charged = true, layout.charge = layout.words;
    layout.words += static_cast<std::size_t>(*count);
  }
  if (!placed) refuse(origin.path, lines.where(), "its Properties name no pos:R:3; write the file with positions");
  return layout;
}

double number_of(const Origin& origin, const Lines& lines, std::string_view word) {
  const auto value = to_number(word);
  if (!value)
    refuse(origin.path, lines.where(),
           fmt::format("'{}' is not a number that fits a double; write an element, x, y, z and perhaps a charge",
                       shown(word)));
  return *value;
}

class Atoms {
 public:
  Atoms(const Origin& origin, const Lines& lines) : origin_(origin), lines_(lines), layout_(layout_of(origin, lines)) {}

  void add() {
    words_.clear();
    std::string_view line = lines_.line();
    for (auto word = take_word(line); !word.empty(); word = take_word(line)) words_.push_back(word);
    if (bodies.positions.empty() && !layout_.named) layout_.charged = words_.size() == 5, longer_ = words_.size() > 5;
    const std::size_t least = layout_.named ? layout_.words : layout_.charged ? 5 : 4;
    if (words_.size() < least || (!layout_.named && !longer_ && words_.size() > least))
      refuse(origin_.path, lines_.where(),
             fmt::format("{} words where an atom has {}; complete the line or remove it", words_.size(), least));
    for (std::size_t c = 0; c < 3; ++c)
      bodies.positions.push_back(number_of(origin_, lines_, words_[layout_.position + c]));
    bodies.strengths.push_back(layout_.charged ? number_of(origin_, lines_, words_[layout_.charge]) : 1.0);
  }

  void describe() {
    bodies.description = fmt::format("xyz, {} bodies (atoms), {}", bodies.count(),
                                     layout_.charged ? "charges from the file" : "unit strengths");
    if (longer_)
      bodies.warnings.emplace_back("The columns behind z have no names in the file, so none is read as charges.");
  }

  Bodies bodies;

 private:
  const Origin& origin_;
  const Lines& lines_;
  Layout layout_;
  bool longer_ = false;  // more columns than xyz has, and no word on what they are
  std::vector<std::string_view> words_;
};

}  // namespace

Bodies read_xyz(const Origin& origin, std::string_view text) {
  Lines lines(text);
  const std::size_t count = read_count(origin, lines);
  if (!lines.next()) refuse(origin.path, lines.where(), "the line of comment is missing behind the number of atoms");
  const bool periodic = lines.line().find("Lattice=") != std::string_view::npos;
  Atoms atoms(origin, lines);
  for (std::size_t i = 0; i < count; ++i) {
    if (!lines.next())
      refuse(origin.path, lines.where(), fmt::format("the file ends after {} of {} atoms; complete it", i, count));
    atoms.add();
  }
  atoms.describe();
  if (periodic) atoms.bodies.warnings.emplace_back("The atoms lie in a lattice; they are summed as open.");
  if (lines.next_significant())
    atoms.bodies.warnings.emplace_back("More follows behind the first molecule; only that one is read.");
  return std::move(atoms.bodies);
}

}  // namespace farfield::io
