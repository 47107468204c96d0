#include "io/binary/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "io/binary/bytes.hpp"

namespace farfield::io {
namespace {

// Reads the dict literal {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } as far as NumPy writes it.
class Literal {
 public:
  Literal(const NpyPlace& place, std::string_view text, std::size_t start)
      : place_(place), rest_(text), end_(start + text.size()) {}

  bool accept(char c) {
    const auto first = rest_.find_first_not_of(" \t\n");
    rest_.remove_prefix(first == rest_.npos ? rest_.size() : first);
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}' is missing in the header", c));
  }
  std::string string() {
    if (!accept('\'')) expect('"');
    const auto end = rest_.find_first_of("'\"");
    if (end == rest_.npos) fail("a string in the header does not end");
    const std::string value(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return value;
  }
  bool boolean() {
    accept(' ');
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    fail("fortran_order is neither True nor False");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    expect('(');
    while (!accept(')')) {
      std::int64_t value = 0;
      const auto [end, trouble] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (trouble != std::errc{} || value < 0 || values.size() == 32) fail("the shape in the header makes no sense");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      if (rest_.starts_with('L')) rest_.remove_prefix(1);  // Python 2 wrote long integers so
      values.push_back(value);
      if (!accept(',')) {
        expect(')');
        break;
      }
      accept(' ');
    }
    return values;
  }
  // What is left of a list whose bracket was taken: brackets within strings are letters.
  void skip_list() {
    int open = 1;
    char quote = 0;
    std::size_t at = 0;
    for (; at < rest_.size() && open > 0; ++at) {
      const char c = rest_[at];
      if (quote) {
        if (c == quote) quote = 0;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else {
        open += (c == '[') - (c == ']');
      }
    }
    if (open > 0) fail("a list in the header does not end");
    rest_.remove_prefix(at);
  }
  [[noreturn]] void fail(const std::string& what) const {
    refuse(place_.path, where(), what + "; write the array again with numpy.save");
  }

 private:
  std::string where() const {
    const auto byte = fmt::format("byte {}", end_ - rest_.size());
    return place_.member.empty() ? byte : fmt::format("member '{}', {}", place_.member, byte);
  }
  const NpyPlace& place_;
  std::string_view rest_;
  std::size_t end_;
};

std::string member_of(const NpyPlace& place) {
  return place.member.empty() ? "" : fmt::format("member '{}'", place.member);
}

void set_type(const Literal& literal, const std::string& descr, NpyHeader& header) {
  std::string_view rest = descr;
  if (rest.starts_with('>')) header.order = std::endian::big;
  if (rest.starts_with('<')) header.order = std::endian::little;
  if (!rest.empty() && std::string_view("<>|=").find(rest.front()) != std::string_view::npos) rest.remove_prefix(1);
  if (rest.empty()) literal.fail("the element type in the header makes no sense");
  header.kind = rest.front();
  rest.remove_prefix(1);
  std::from_chars(rest.data(), rest.data() + rest.size(), header.width);
}

void set_entry(Literal& literal, NpyHeader& header) {
  const std::string key = literal.string();
  literal.expect(':');
  if (key == "descr") {
    if (!literal.accept('[')) return set_type(literal, literal.string(), header);
    header.kind = 'V';  // records: whoever wants their numbers is refused, an archive may pass over them
    literal.skip_list();
  } else if (key == "fortran_order") {
    literal.accept(' ');
    header.fortran = literal.boolean();
  } else if (key == "shape") {
    header.shape = literal.tuple();
  } else {
    literal.fail("the header has an unknown key");
  }
}

// Bytes before the dict: magic, version, and its length in 2 bytes (version 1) or 4 (versions 2 and 3).
std::pair<std::size_t, std::size_t> dict_range(const NpyPlace& place, std::string_view bytes) {
  const auto fail = [&](const char* what) { refuse(place.path, member_of(place), what); };
  if (!bytes.starts_with("\x93NUMPY"))
    fail("it does not begin with the bytes of an npy array; write it again with numpy.save");
  if (bytes.size() < 12) fail("the npy header ends too early; write the array again with numpy.save");
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) fail("npy versions 1 to 3 are read, this is another; write it with numpy.save");
  const std::size_t start = version == 1 ? 10 : 12;
  const std::size_t length = version == 1 ? number_at<std::uint16_t>(bytes, 8, std::endian::little)
                                          : number_at<std::uint32_t>(bytes, 8, std::endian::little);
  if (length > bytes.size() - start) fail("the npy header ends too early; write the array again with numpy.save");
  return {start, length};
}

// The place in Fortran order, whose first index runs fastest, of element i of an array in C order.
std::size_t place_in_fortran(const std::vector<std::int64_t>& shape, std::size_t i) {
  std::size_t at = 0;
  for (auto length = shape.rbegin(); length != shape.rend(); ++length) {
    const auto size = static_cast<std::size_t>(*length);
    at = at * size + i % size;
    i /= size;
  }
  return at;
}

// Elements in C order: blocks of `length`, the first of which begins at `first`, one every `stride`.
struct Blocks {
  std::size_t count = 1, first = 0, length = 1, stride = 1;
};

Blocks blocks_of(const std::vector<std::int64_t>& shape, const NpySlab& slab) {
  if (shape.empty()) return {};
  Blocks blocks;
  std::size_t inner = 1;
  for (std::size_t d = 0; d < shape.size(); ++d)
    (d < slab.axis ? blocks.count : d > slab.axis ? inner : blocks.stride) *= static_cast<std::size_t>(shape[d]);
  blocks.stride *= inner;
  blocks.first = static_cast<std::size_t>(slab.begin) * inner;
  blocks.length = static_cast<std::size_t>(slab.end - slab.begin) * inner;
  if (blocks.length == 0) blocks.count = 0;  // a few bytes can claim any number of empty ones
  return blocks;
}

template <class T>
void decode_as(const NpyHeader& header, std::string_view bytes, const Blocks& blocks, double* value) {
  for (std::size_t block = 0; block < blocks.count; ++block)
    for (std::size_t k = 0; k < blocks.length; ++k) {
      const std::size_t in_c = blocks.first + block * blocks.stride + k;
      const std::size_t at = header.fortran ? place_in_fortran(header.shape, in_c) : in_c;
      *value++ = static_cast<double>(number_at<T>(bytes, header.data + at * sizeof(T), header.order));
    }
}

using Decode = void (*)(const NpyHeader&, std::string_view, const Blocks&, double*);

struct ElementType {
  char kind;
  int width;
  Decode decode;
};

// Truth values are bytes 0 and 1.
constexpr ElementType element_types[] = {
    {'f', 4, decode_as<float>},         {'f', 8, decode_as<double>},        {'i', 1, decode_as<std::int8_t>},
    {'i', 2, decode_as<std::int16_t>},  {'i', 4, decode_as<std::int32_t>},  {'i', 8, decode_as<std::int64_t>},
    {'u', 1, decode_as<std::uint8_t>},  {'u', 2, decode_as<std::uint16_t>}, {'u', 4, decode_as<std::uint32_t>},
    {'u', 8, decode_as<std::uint64_t>}, {'b', 1, decode_as<std::uint8_t>},
};

Decode decoder_of(const NpyHeader& header) {
  for (const ElementType& type : element_types)
    if (type.kind == header.kind && type.width == header.width) return type.decode;
  return nullptr;
}

}  // namespace

bool NpyHeader::decodable() const { return decoder_of(*this) != nullptr; }

std::optional<std::size_t> NpyHeader::bytes() const {
  std::size_t size = static_cast<std::size_t>(width);
  for (const std::int64_t length : shape)
    if (__builtin_mul_overflow(size, static_cast<std::size_t>(length), &size)) return std::nullopt;
  return size;
}

NpyHeader read_npy_header(const NpyPlace& place, std::string_view bytes) {
  const auto [start, length] = dict_range(place, bytes);
  NpyHeader header;
  header.data = start + length;
  Literal literal(place, bytes.substr(start, length), start);
  literal.expect('{');
  int entries = 0;
  while (entries < 3 && !literal.accept('}')) {
    set_entry(literal, header);
    if (++entries < 3) literal.accept(',');
  }
  if (entries < 3 || header.kind == 0) literal.fail("the header lacks one of descr, fortran_order and shape");
  literal.accept(',');
  literal.expect('}');
  return header;
}

void require_decodable(const NpyPlace& place, const NpyHeader& header) {
  const std::string where = member_of(place);
  if (header.kind == 'V')
    refuse(place.path, where, "arrays of records are not read; store positions and strengths as plain arrays");
  if (!header.decodable())
    refuse(place.path, where,
           fmt::format("elements of type {}{} are not read; store float64, float32, integers or truth values",
                       header.kind, header.width));
}

std::vector<double> read_npy_values(const NpyPlace& place, const NpyHeader& header, std::string_view bytes) {
  return read_npy_values(place, header, bytes, {0, 0, header.shape.empty() ? 1 : header.shape[0]});
}

std::vector<double> read_npy_values(const NpyPlace& place, const NpyHeader& header, std::string_view bytes,
                                    const NpySlab& slab) {
  require_decodable(place, header);
  const std::string where = member_of(place);
  if (header.shape.size() > 3)
    refuse(place.path, where,
           fmt::format("shape {} has too many dimensions; store (N,3) and (N,)", npy_shape(header.shape)));
  const std::size_t held = bytes.size() - header.data;
  if (header.bytes() != held)
    refuse(place.path, where,
           fmt::format("shape {} does not go with the {} bytes of data; write the array again", npy_shape(header.shape),
                       held));
  const Blocks blocks = blocks_of(header.shape, slab);
  std::vector<double> values(blocks.count * blocks.length);
  decoder_of(header)(header, bytes, blocks, values.data());
  return values;
}

std::string npy_shape(const std::vector<std::int64_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::string npy_header(const std::string& kind, const std::vector<std::int64_t>& shape) {
  const char order = std::endian::native == std::endian::little ? '<' : '>';
  std::string dict =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}", order, kind, npy_shape(shape));
  // NumPy pads so that the elements begin at a multiple of 64 bytes and can be mapped.
  const std::size_t unpadded = 10 + dict.size() + 1;
  dict.append((64 - unpadded % 64) % 64, ' ');
  dict.push_back('\n');
  std::string header("\x93NUMPY\x01\x00", 8);
  header.push_back(static_cast<char>(dict.size() & 0xff));
  header.push_back(static_cast<char>(dict.size() >> 8));
  return header + dict;
}

}  // namespace farfield::io
