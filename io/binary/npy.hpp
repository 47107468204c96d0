// NumPy's array format (npy, versions 1 to 3): one array of numbers behind a header that is a Python dict literal.
#pragma once
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::io {

/// Where an array stands, for sentences: the file, and the member of an archive (empty for a bare npy).
struct NpyPlace {
  std::string path, member;
};

struct NpyHeader {
  char kind = 0;  ///< 'f' float, 'i' signed, 'u' unsigned, 'b' truth; 'V' records and others can be named, not decoded
  int width = 0;  ///< bytes per element
  std::endian order = std::endian::native;
  bool fortran = false;
  std::vector<std::int64_t> shape;
  std::size_t data = 0;  ///< offset of the first element

  bool decodable() const;
  std::optional<std::size_t> bytes() const;  ///< of all elements; none where no machine could hold them
};

/// Understands the header; refuses what is not npy. Nothing is allocated from its numbers.
NpyHeader read_npy_header(const NpyPlace& place, std::string_view bytes);

/// Refuses elements that are no numbers.
void require_decodable(const NpyPlace& place, const NpyHeader& header);

/// The elements as doubles in C order; refuses where the bytes are not exactly what the shape says, kinds other than
/// floats, integers and truth values, and more than three dimensions.
std::vector<double> read_npy_values(const NpyPlace& place, const NpyHeader& header, std::string_view bytes);

/// Which elements of an array: along `axis` those from `begin` to `end`, along the others all.
struct NpySlab {
  std::size_t axis = 0;
  std::int64_t begin = 0, end = 0;
};
/// The same of a slab: no other elements are looked at.
std::vector<double> read_npy_values(const NpyPlace& place, const NpyHeader& header, std::string_view bytes,
                                    const NpySlab& slab);

/// The bytes before the elements of an array in this machine's byte order, C order. `kind` is "f8" or "f4".
std::string npy_header(const std::string& kind, const std::vector<std::int64_t>& shape);

/// Shape as Python prints it: (3,) or (10, 3).
std::string npy_shape(const std::vector<std::int64_t>& shape);

}  // namespace farfield::io
