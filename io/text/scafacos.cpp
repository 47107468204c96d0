// The XML test systems of the ScaFaCoS library: particles with charges, and potentials and fields computed by others.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "io/binary/bytes.hpp"
#include "io/formats.hpp"
#include "io/text/xml.hpp"

namespace farfield::io {
namespace {

constexpr const char* blanks = " \t\r\n";

// What is being gathered while the tags pass by.
struct System {
  Bodies bodies;
  std::string name, method;
  std::string periodicity;  // empty while no dimension is periodic
  int configurations = 0;
  bool started = false;  // <scafacos_test> was seen
};

std::string shown(std::string_view text) {
  std::string result(text.substr(0, 40));
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 32) c = ' ';
  return result;
}

void append_numbers(const TagScanner& scanner, const Tag& tag, const char* key, std::size_t count,
                    std::vector<double>& values) {
  const auto text = tag.attribute(key);
  if (!text) scanner.fail(tag.at, fmt::format("<{}> has no attribute {}; add it", tag.name, key));
  std::string_view rest = *text;
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = rest.find_first_not_of(blanks);
    if (first != rest.npos) rest.remove_prefix(first);
    if (rest.starts_with('+')) rest.remove_prefix(1);
    double value = 0;
    const auto [end, trouble] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const bool separated = rest.empty() || std::string_view(blanks).find(rest.front()) != std::string_view::npos;
    if (trouble != std::errc{} || !separated)
      scanner.fail(tag.at, fmt::format("{}=\"{}\" is not {} numbers; correct it", key, shown(*text), count));
    values.push_back(value);
  }
  if (rest.find_first_not_of(blanks) != rest.npos)
    scanner.fail(tag.at, fmt::format("{}=\"{}\" has more than {} numbers; correct it", key, shown(*text), count));
}

void add_particle(const TagScanner& scanner, const Tag& tag, bool needs_strengths, Bodies& bodies) {
  append_numbers(scanner, tag, "position", 3, bodies.positions);
  if (needs_strengths || tag.attribute("q")) append_numbers(scanner, tag, "q", 1, bodies.strengths);
  if (tag.attribute("potential")) append_numbers(scanner, tag, "potential", 1, bodies.reference_potential);
  if (tag.attribute("field")) append_numbers(scanner, tag, "field", 3, bodies.reference_gradient);
}

void add_cell(const TagScanner& scanner, const Tag& tag, Bodies& bodies) {
  if (!tag.attribute("box_a") || !tag.attribute("box_b") || !tag.attribute("box_c")) return;
  for (const char* vector : {"box_a", "box_b", "box_c"}) append_numbers(scanner, tag, vector, 3, bodies.cell);
  if (!tag.attribute("offset")) return;
  std::vector<double> offset;
  append_numbers(scanner, tag, "offset", 3, offset);
  std::copy(offset.begin(), offset.end(), bodies.origin.begin());
}

void add_configuration(const TagScanner& scanner, const Tag& tag, System& system) {
  if (system.configurations++ > 0) return;
  add_cell(scanner, tag, system.bodies);
  if (!tag.attribute("periodicity")) return;
  std::vector<double> flags;
  append_numbers(scanner, tag, "periodicity", 3, flags);
  for (std::size_t c = 0; c < 3; ++c) {
    system.bodies.periodic[c] = flags[c] != 0;
    if (flags[c] != 0) system.periodicity += "xyz"[c];
  }
}

void refuse_duplicates(const TagScanner& scanner, const Tag& tag) {
  std::vector<double> times;
  append_numbers(scanner, tag, "times", 3, times);
  if (times != std::vector<double>{1, 1, 1})
    scanner.fail(tag.at, "duplicated particles are not read; write them out and use times=\"1 1 1\"");
}

void take_tag(const TagScanner& scanner, const Tag& tag, const Origin& origin, System& system) {
  if (!tag.opens) return;
  if (!system.started && tag.name != "scafacos_test")
    scanner.fail(tag.at, fmt::format("the document is <{}>, not <scafacos_test>; use another format", shown(tag.name)));
  if (tag.name == "scafacos_test") {
    system.started = true;
    system.name = shown(tag.attribute("name").value_or("unnamed"));
    system.method = shown(tag.attribute("reference_method").value_or("unknown"));
  } else if (tag.name == "configuration") {
    add_configuration(scanner, tag, system);
  } else if (tag.name == "duplicate" && system.configurations == 1) {
    refuse_duplicates(scanner, tag);
  } else if (tag.name == "particle" && system.configurations == 0) {
    scanner.fail(tag.at, "a <particle> stands outside a <configuration>; correct the XML");
  } else if (tag.name == "particle" && system.configurations == 1) {
    add_particle(scanner, tag, origin.needs_strengths, system.bodies);
  }
}

// References and (for targets) charges count only where every particle has them.
void drop_partial(Bodies& bodies) {
  const std::size_t n = bodies.positions.size() / 3;
  const auto drop = [&](std::vector<double>& values, std::size_t size, const char* what) {
    if (values.empty() || values.size() == size) return;
    values.clear();
    bodies.warnings.push_back(fmt::format("Only some particles have a {}, so none is used.", what));
  };
  drop(bodies.strengths, n, "charge");
  drop(bodies.reference_potential, n, "potential");
  drop(bodies.reference_gradient, 3 * n, "field");
}

}  // namespace

Bodies read_scafacos(const Origin& origin, std::string_view text) {
  TagScanner scanner(origin.path, text);
  System system;
  for (Tag tag; scanner.next(tag);) take_tag(scanner, tag, origin, system);
  if (system.configurations == 0) scanner.fail(text.size(), "the document has no <configuration>; add one");

  Bodies bodies = std::move(system.bodies);
  drop_partial(bodies);
  for (double& component : bodies.reference_gradient) component = -component;  // the file states fields
  bodies.description =
      fmt::format("ScaFaCoS system '{}', {} charges, reference by {}", system.name, bodies.count(), system.method);
  if (!system.periodicity.empty()) {
    bodies.description += fmt::format("; periodic in {}", system.periodicity);
    bodies.references_apply = false;
  }
  if (system.configurations > 1)
    bodies.warnings.push_back(fmt::format("The file has {} configurations; the first is read.", system.configurations));
  return bodies;
}

}  // namespace farfield::io
