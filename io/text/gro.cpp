// GROMACS structures: a title, the number of atoms, atoms in columns of fixed width, and the box; lengths are in nm.
#include <fmt/format.h>

#include "io/binary/bytes.hpp"
#include "io/formats.hpp"
#include "io/text/text.hpp"

namespace farfield::io {
namespace {

// Number and name of the residue, name and number of the atom: five letters each.
constexpr std::size_t names_end = 20;

// The numbers may have any precision: their width is the distance of the decimal points. 0: they stand otherwise.
std::size_t width_of(std::string_view atom) {
  std::size_t points[3], from = names_end;
  for (std::size_t& point : points) {
    point = atom.find('.', from);
    if (point == atom.npos) return 0;
    from = point + 1;
  }
  const std::size_t width = points[1] - points[0];
  return points[2] - points[1] == width && points[0] < names_end + width ? width : 0;
}

std::string_view field(std::string_view atom, std::size_t width, std::size_t index) {
  const std::size_t at = names_end + width * index;
  return at < atom.size() ? trimmed(atom.substr(at, width)) : std::string_view();
}

class Structure {
 public:
  Structure(const Origin& origin, std::string_view text) : origin_(origin), lines_(text) {}
  Bodies read();

 private:
  [[noreturn]] void fail(const std::string& what) const { refuse(origin_.path, lines_.where(), what); }
  std::int64_t read_count();
  double number(std::size_t index) const;
  void read_atom(bool first);
  void read_box();

  const Origin& origin_;
  Lines lines_;
  std::size_t width_ = 0;
  bool moving_ = false;  // there are velocities
  Bodies bodies_;
};

std::int64_t Structure::read_count() {
  if (!lines_.next() || !lines_.next()) fail("the number of atoms is missing behind the title; complete the file");
  const auto count = to_count(trimmed(lines_.line()));
  if (!count)
    fail(fmt::format("'{}' is no number of atoms, which the second line of a gro file states; correct it",
                     shown(trimmed(lines_.line()))));
  return *count;
}

double Structure::number(std::size_t index) const {
  static constexpr const char* names[] = {"x", "y", "z", "vx", "vy", "vz"};
  const auto text = field(lines_.line(), width_, index);
  const auto value = to_number(text);
  if (!value) fail(fmt::format("'{}' for {} of an atom is not a number; correct it", shown(text), names[index]));
  return *value;
}

void Structure::read_atom(bool first) {
  const std::size_t width = width_of(lines_.line());
  if (width == 0) fail("this is no atom: the decimal points of x, y and z are not equally far apart; correct the line");
  if (first) width_ = width;
  if (width != width_)
    fail(fmt::format("numbers {} letters wide where the first atom's have {}; write all with one precision", width,
                     width_));
  const bool moving = !field(lines_.line(), width, 3).empty();
  if (first) moving_ = moving;
  if (moving != moving_) fail("some atoms have velocities and others none; give them to all");
  for (std::size_t c = 0; c < 3; ++c) bodies_.positions.push_back(number(c));
  if (first && moving_) bodies_.extra = {{"vx", {}}, {"vy", {}}, {"vz", {}}};
  for (std::size_t c = 0; c < bodies_.extra.size(); ++c) bodies_.extra[c].values.push_back(number(3 + c));
}

// Three numbers, the edges of a rectangular box, or nine: v1x v2y v3z v1y v1z v2x v2z v3x v3y. Zeros: there is no box.
void Structure::read_box() {
  static constexpr std::size_t places[] = {0, 4, 8, 1, 2, 3, 5, 6, 7};
  if (!lines_.next()) fail("the line of the box is missing behind the atoms; add it, 0 0 0 where there is none");
  std::vector<double> cell(9, 0.0);
  std::string_view rest = lines_.line();
  std::size_t count = 0;
  for (auto word = take_word(rest); !word.empty(); word = take_word(rest), ++count) {
    const auto value = to_number(word);
    if (!value || count == 9)
      fail(fmt::format("'{}' does not belong to a box of 3 or 9 numbers; correct it", shown(word)));
    cell[places[count]] = *value;
  }
  if (count != 3 && count != 9) fail(fmt::format("{} numbers where a box has 3 or 9; correct the line", count));
  for (std::size_t v = 0; v < 3; ++v)
    bodies_.periodic[v] = cell[3 * v] != 0 || cell[3 * v + 1] != 0 || cell[3 * v + 2] != 0;
  if (!(bodies_.periodic[0] || bodies_.periodic[1] || bodies_.periodic[2])) return;
  bodies_.cell = std::move(cell);
}

Bodies Structure::read() {
  const std::int64_t count = read_count();
  for (std::int64_t i = 0; i < count; ++i) {
    if (!lines_.next()) fail(fmt::format("the file ends after {} of {} atoms; complete it", i, count));
    read_atom(i == 0);
  }
  read_box();
  if (lines_.next_significant())
    bodies_.warnings.emplace_back("More follows behind the first frame; only that one is read.");
  bodies_.description = fmt::format("gro, {} bodies (atoms), nm, without charges", count);
  return std::move(bodies_);
}

}  // namespace

bool looks_like_gro(std::string_view text) {
  Lines lines(text);
  if (!lines.next() || !lines.next() || !to_count(trimmed(lines.line())) || !lines.next()) return false;
  const std::size_t width = width_of(lines.line());
  for (std::size_t c = 0; c < 3; ++c)
    if (width == 0 || !to_number(field(lines.line(), width, c))) return false;
  return true;
}

Bodies read_gro(const Origin& origin, std::string_view text) {
  if (origin.needs_strengths)
    refuse(
        origin.path, "",
        "a gro file has no charges, and none are guessed from its names; write x,y,z,q as csv, or use it as targets");
  return Structure(origin, text).read();
}

}  // namespace farfield::io
