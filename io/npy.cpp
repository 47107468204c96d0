#include "npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "bytes.hpp"

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
    if (literal.accept('[')) {  // a record type: name it, so that an archive may pass over it
      header.kind = 'V';
      literal.fail("arrays of records are not read; store positions and strengths as plain arrays");
    }
    set_type(literal, literal.string(), header);
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

template <class T>
void decode_as(const NpyHeader& header, std::string_view bytes, std::vector<double>& values) {
  const std::size_t rows = header.shape.empty() ? 1 : static_cast<std::size_t>(header.shape[0]);
  const std::size_t columns = rows == 0 ? 0 : values.size() / rows;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // In Fortran order element i of the file is row i % rows, column i / rows.
    const std::size_t at = header.fortran ? (i % rows) * columns + i / rows : i;
    values[at] = static_cast<double>(number_at<T>(bytes, header.data + i * sizeof(T), header.order));
  }
}

void decode(const NpyHeader& header, std::string_view bytes, std::vector<double>& values) {
  switch (header.kind * 16 + header.width) {
    case 'f' * 16 + 4:
      return decode_as<float>(header, bytes, values);
    case 'f' * 16 + 8:
      return decode_as<double>(header, bytes, values);
    case 'i' * 16 + 4:
      return decode_as<std::int32_t>(header, bytes, values);
    case 'i' * 16 + 8:
      return decode_as<std::int64_t>(header, bytes, values);
    case 'u' * 16 + 4:
      return decode_as<std::uint32_t>(header, bytes, values);
    case 'u' * 16 + 8:
      return decode_as<std::uint64_t>(header, bytes, values);
    default:
      break;
  }
}

}  // namespace

bool NpyHeader::decodable() const { return (kind == 'f' || kind == 'i' || kind == 'u') && (width == 4 || width == 8); }

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

std::vector<double> read_npy_values(const NpyPlace& place, const NpyHeader& header, std::string_view bytes) {
  const std::string where = member_of(place);
  if (!header.decodable())
    refuse(place.path, where,
           fmt::format("elements of type {}{} are not read; store float64, float32 or integers", header.kind,
                       header.width));
  if (header.shape.size() > 2)
    refuse(place.path, where,
           fmt::format("shape {} has too many dimensions; store (N,3) and (N,)", npy_shape(header.shape)));
  std::int64_t count = 1, size = 0;
  bool overflow = false;
  for (const std::int64_t length : header.shape) overflow |= __builtin_mul_overflow(count, length, &count);
  overflow |= __builtin_mul_overflow(count, std::int64_t{header.width}, &size);
  const std::size_t held = bytes.size() - header.data;
  if (overflow || static_cast<std::size_t>(size) != held)
    refuse(place.path, where,
           fmt::format("shape {} does not go with the {} bytes of data; write the array again", npy_shape(header.shape),
                       held));
  std::vector<double> values(static_cast<std::size_t>(count));
  decode(header, bytes, values);
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
