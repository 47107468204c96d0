#include "io/topology/topology.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <unordered_map>

#include "io/binary/bytes.hpp"
#include "io/formats.hpp"
#include "io/text/text.hpp"

namespace farfield::io {
namespace {

std::string_view part(std::string_view line, std::size_t from, std::size_t count) {
  return from < line.size() ? line.substr(from, count) : std::string_view();
}

/// Columns of five letters: number and name of the residue, name of the atom. Numbers of residues begin again after
/// 99999, and those of solvent may all be 1: it is the change that counts.
Topology of_gro(std::string_view text) {
  Topology t;
  Lines lines(text);
  if (!lines.next() || !lines.next()) return t;
  const std::int64_t count = to_count(trimmed(lines.line())).value_or(0);
  std::string residue;
  for (std::int64_t i = 0, molecule = -1; i < count && lines.next(); ++i) {
    const std::string_view own = part(lines.line(), 0, 10);
    if (i == 0 || own != residue) ++molecule, residue = own;
    t.molecules.push_back(molecule);
    t.names.emplace_back(trimmed(part(lines.line(), 10, 5)));
  }
  return t;
}

/// Sections Atoms and Bonds of a data file.
class Data {
 public:
  Data(const std::string& path, std::string_view text) : path_(path), lines_(text) {}
  Topology read();

 private:
  [[noreturn]] void fail(const std::string& what) const { refuse(path_, lines_.where(), what); }
  bool next();  // the next line that says something, in `line_`
  bool find(std::string_view section);
  void read_atoms();
  void read_bonds();
  std::int64_t atom_of(std::string_view identifier) const;

  const std::string& path_;
  Lines lines_;
  std::string_view line_;
  std::int64_t atoms_ = 0, bonds_ = 0;
  bool has_molecules_ = false;
  std::unordered_map<std::int64_t, std::int64_t> place_;  // of an atom, by its identifier
  Topology topology_;
};

bool Data::next() {
  while (lines_.next())
    if (line_ = trimmed(lines_.line().substr(0, lines_.line().find('#'))); !line_.empty()) return true;
  return false;
}

/// Up to a section; the header before all of them states how many there are of each.
bool Data::find(std::string_view section) {
  while (next()) {
    if (line_ == section) return true;
    std::string_view words = line_;
    const auto count = to_count(take_word(words));
    if (count && trimmed(words) == "atoms") atoms_ = *count;
    if (count && trimmed(words) == "bonds") bonds_ = *count;
  }
  return false;
}

/// An identifier, then the molecule in styles that have one: style full is told by its words where none is named.
void Data::read_atoms() {
  const auto mark = lines_.line().find('#');
  std::string_view hint = part(lines_.line(), mark == std::string_view::npos ? lines_.line().size() : mark + 1, 100);
  const std::string style = lower(take_word(hint));
  has_molecules_ = style == "full" || style == "bond" || style == "angle" || style == "molecular";
  for (std::int64_t i = 0; i < atoms_ && next(); ++i) {
    std::array<std::string_view, 11> words;
    std::size_t count = 0;
    for (auto word = take_word(line_); !word.empty() && count < words.size(); word = take_word(line_))
      words[count++] = word;
    if (style.empty() && i == 0) has_molecules_ = count == 7 || count == 10;
    place_[to_count(words[0]).value_or(-1)] = i;
    if (has_molecules_) topology_.molecules.push_back(to_count(words[1]).value_or(0));
  }
}

std::int64_t Data::atom_of(std::string_view identifier) const {
  const auto number = to_count(identifier);
  const auto found = number ? place_.find(*number) : place_.end();
  if (found == place_.end()) fail(fmt::format("'{}' is no atom of this file; correct the bond", shown(identifier)));
  return found->second;
}

/// A bond's identifier and type, and its two atoms.
void Data::read_bonds() {
  if (bonds_ == 0) return;
  if (!find("Bonds"))
    fail(fmt::format("the header states {} bonds, and there is no section Bonds; complete the file", bonds_));
  for (std::int64_t i = 0; i < bonds_; ++i) {
    if (!next()) fail(fmt::format("the file ends after {} of {} bonds; complete it", i, bonds_));
    take_word(line_), take_word(line_);
    for (int end = 0; end < 2; ++end) topology_.bonds.push_back(atom_of(take_word(line_)));
  }
}

Topology Data::read() {
  lines_.next();  // the title
  if (find("Atoms")) read_atoms();
  read_bonds();
  return std::move(topology_);
}

Topology of_text(const std::string& path, std::string_view text) {
  if (looks_like_gro(text)) return of_gro(text);
  return looks_like_lammps(text) ? Data(path, text).read() : Topology();
}

}  // namespace

Topology read_topology(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  const Blob blob = load_file(path);
  return blob.view().starts_with("\x1f\x8b") ? of_text(path, gunzip(path, blob.view()).view())
                                             : of_text(path, blob.view());
}

}  // namespace farfield::io
