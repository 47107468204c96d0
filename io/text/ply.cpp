// Vertices of a ply file, ascii or binary of either byte order: x, y, z and, where there is one, a strength.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "io/binary/bytes.hpp"
#include "io/formats.hpp"
#include "io/text/text.hpp"

namespace farfield::io {
namespace {

enum class Type { none, int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct Property {
  std::string name;
  Type type = Type::none, count = Type::none;  // `count` is that of a list's length; none: no list
};

struct Element {
  std::string name;
  std::size_t count = 0;
  std::vector<Property> properties;
};

struct Header {
  bool ascii = false;
  std::endian order = std::endian::little;
  std::vector<Element> elements;
};

constexpr std::array<const char*, 6> strength_names = {"q",    "strength",  "charge",
                                                       "mass", "intensity", "scalar_intensity"};

Type type_of(std::string_view word) {
  constexpr std::pair<const char*, Type> names[] = {
      {"char", Type::int8},     {"int8", Type::int8},       {"uchar", Type::uint8},    {"uint8", Type::uint8},
      {"short", Type::int16},   {"int16", Type::int16},     {"ushort", Type::uint16},  {"uint16", Type::uint16},
      {"int", Type::int32},     {"int32", Type::int32},     {"uint", Type::uint32},    {"uint32", Type::uint32},
      {"float", Type::float32}, {"float32", Type::float32}, {"double", Type::float64}, {"float64", Type::float64}};
  for (const auto& [name, type] : names)
    if (word == name) return type;
  return Type::none;
}

std::size_t size_of(Type type) {
  constexpr std::size_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

double value_at(Type type, std::string_view bytes, std::size_t at, std::endian order) {
  switch (type) {
    case Type::int8:
      return number_at<std::int8_t>(bytes, at, order);
    case Type::uint8:
      return number_at<std::uint8_t>(bytes, at, order);
    case Type::int16:
      return number_at<std::int16_t>(bytes, at, order);
    case Type::uint16:
      return number_at<std::uint16_t>(bytes, at, order);
    case Type::int32:
      return number_at<std::int32_t>(bytes, at, order);
    case Type::uint32:
      return number_at<std::uint32_t>(bytes, at, order);
    case Type::float32:
      return number_at<float>(bytes, at, order);
    default:
      return number_at<double>(bytes, at, order);
  }
}

class Reader {
 public:
  Reader(const Origin& origin, std::string_view bytes) : origin_(origin), lines_(bytes), bytes_(bytes) {}
  Bodies read();

 private:
  [[noreturn]] void fail(const std::string& what) const { refuse(origin_.path, lines_.where(), what); }
  [[noreturn]] void fail_at(std::size_t at, const std::string& what) const {
    refuse(origin_.path, fmt::format("byte {}", at), what + "; export it again");
  }
  void read_header();
  void read_format(std::string_view words);
  void read_element(std::string_view words);
  void read_property(std::string_view words);
  void read_text(const Element& element);
  void read_binary(const Element& element);
  double binary_value(Type type);
  void arrange(const Element& vertices);
  const Element& vertices() const;

  const Origin& origin_;
  Lines lines_;
  std::string_view bytes_;
  std::size_t at_ = 0;  // where the binary data goes on
  Header header_;
  std::vector<std::vector<double>> columns_;  // of the vertices, lists left empty
  Bodies bodies_;
};

void Reader::read_format(std::string_view words) {
  const auto format = take_word(words);
  header_.ascii = format == "ascii";
  header_.order = format == "binary_big_endian" ? std::endian::big : std::endian::little;
  if (!header_.ascii && format != "binary_little_endian" && format != "binary_big_endian")
    fail(fmt::format("format '{}' is none of ascii, binary_little_endian, binary_big_endian; export it again",
                     shown(format)));
}

void Reader::read_element(std::string_view words) {
  Element element{std::string(take_word(words)), 0, {}};
  const auto count = to_number(take_word(words));
  if (element.name.empty() || !count || !(*count >= 0 && *count < 1e15))
    fail("an element has no name or number; export the file again");
  element.count = static_cast<std::size_t>(*count);
  header_.elements.push_back(std::move(element));
}

void Reader::read_property(std::string_view words) {
  Property property;
  auto word = take_word(words);
  const bool list = word == "list";
  if (list) {
    property.count = type_of(take_word(words));
    word = take_word(words);
  }
  property.type = type_of(word);
  property.name = lower(take_word(words));
  const bool whole = property.count != Type::float32 && property.count != Type::float64;
  if (header_.elements.empty() || property.type == Type::none || property.name.empty() || !whole ||
      (list && property.count == Type::none))
    fail("a property makes no sense; export the file again");
  header_.elements.back().properties.push_back(std::move(property));
}

void Reader::read_header() {
  bool formatted = false;
  lines_.next();  // the word ply
  while (true) {
    if (!lines_.next()) fail("the header does not end; export the file again");
    std::string_view words = lines_.line();
    const auto keyword = take_word(words);
    if (keyword == "end_header") break;
    if (keyword == "format") read_format(words), formatted = true;
    if (keyword == "element") read_element(words);
    if (keyword == "property") read_property(words);
  }
  if (!formatted) fail("the header names no format; export the file again");
  at_ = bytes_.size() - lines_.rest().size();
}

const Element& Reader::vertices() const {
  for (const Element& element : header_.elements)
    if (element.name == "vertex") return element;
  refuse(origin_.path, "header", "there is no element vertex; export the model with its vertices");
}

double Reader::binary_value(Type type) {
  if (bytes_.size() - at_ < size_of(type)) fail_at(at_, "the file ends within its elements");
  const double value = value_at(type, bytes_, at_, header_.order);
  at_ += size_of(type);
  return value;
}

void Reader::read_binary(const Element& element) {
  const bool kept = element.name == "vertex";
  std::size_t least = 0;  // bytes of one element, at least
  for (const Property& p : element.properties) least += size_of(p.count != Type::none ? p.count : p.type);
  if (least == 0) return;
  if (element.count > (bytes_.size() - at_) / least)
    fail_at(at_, fmt::format("{} elements {} cannot lie in the rest of the file", element.count, element.name));
  for (std::size_t i = 0; i < element.count; ++i)
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const Property& property = element.properties[p];
      if (property.count == Type::none) {
        const double value = binary_value(property.type);
        if (kept) columns_[p].push_back(value);
        continue;
      }
      const double length = binary_value(property.count);
      if (length < 0 || length * static_cast<double>(size_of(property.type)) > static_cast<double>(bytes_.size() - at_))
        fail_at(at_, "a list is longer than the rest of the file");
      at_ += static_cast<std::size_t>(length) * size_of(property.type);
    }
}

void Reader::read_text(const Element& element) {
  const bool kept = element.name == "vertex";
  for (std::size_t i = 0; i < element.count && !element.properties.empty(); ++i) {
    if (!lines_.next_significant())
      fail(fmt::format("the file ends after {} of {} elements {}; complete it", i, element.count, element.name));
    std::string_view words = lines_.line();
    for (std::size_t p = 0; p < element.properties.size() && kept; ++p) {
      const Property& property = element.properties[p];
      const auto word = take_word(words);
      const auto value = to_number(word);
      if (!value)
        fail(fmt::format("'{}' for {} of a vertex is not a number that fits a double; correct it", shown(word),
                         property.name));
      if (property.count == Type::none) columns_[p].push_back(*value);
      for (double k = 0; property.count != Type::none && k < *value; ++k)
        if (take_word(words).empty()) fail(fmt::format("the list {} is too short; correct it", property.name));
    }
  }
}

void Reader::arrange(const Element& vertices) {
  const auto find = [&](std::string_view name) {
    const auto& list = vertices.properties;
    const auto at = std::find_if(list.begin(), list.end(),
                                 [&](const Property& p) { return p.name == name && p.count == Type::none; });
    return static_cast<std::size_t>(at - list.begin());
  };
  std::vector<bool> used(vertices.properties.size());
  std::array<std::size_t, 3> axes{};
  for (std::size_t c = 0; c < 3; ++c) {
    axes[c] = find(std::string_view("xyz").substr(c, 1));
    if (axes[c] == used.size())
      refuse(origin_.path, "header", "the vertices lack one of x, y, z; export the file again");
    used[axes[c]] = true;
  }
  bodies_.single = std::all_of(axes.begin(), axes.end(),
                               [&](std::size_t at) { return vertices.properties[at].type == Type::float32; });
  bodies_.positions.resize(3 * vertices.count);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < vertices.count; ++i) bodies_.positions[3 * i + c] = columns_[axes[c]][i];
  std::string strengths = "unit strengths";
  for (const char* name : strength_names) {
    const std::size_t at = find(name);
    if (at == used.size() || !bodies_.strengths.empty()) continue;
    used[at] = true;
    bodies_.strengths = std::move(columns_[at]);
    strengths = fmt::format("strengths from property {}", name);
  }
  if (bodies_.strengths.empty()) bodies_.strengths.assign(vertices.count, 1.0);
  for (std::size_t p = 0; p < used.size(); ++p)
    if (!used[p] && vertices.properties[p].count == Type::none)
      bodies_.extra.push_back({vertices.properties[p].name, std::move(columns_[p])});
  bodies_.description = fmt::format("ply, {} bodies (vertices), {}", vertices.count, strengths);
  bodies_.up = 1;
}

Bodies Reader::read() {
  read_header();
  const Element& wanted = vertices();
  columns_.resize(wanted.properties.size());
  for (const Element& element : header_.elements) {
    if (header_.ascii)
      read_text(element);
    else
      read_binary(element);
    if (&element == &wanted) break;  // what follows is not needed
  }
  arrange(wanted);
  return std::move(bodies_);
}

}  // namespace

Bodies read_ply(const Origin& origin, std::string_view bytes) { return Reader(origin, bytes).read(); }

}  // namespace farfield::io
