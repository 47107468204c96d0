// Bytes of an input: loading a file, undoing gzip, numbers of either byte order, and the one way to refuse.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace farfield::io {

/// Throws Error(input, "path, where: what."). `where` may be empty.
[[noreturn]] void refuse(const std::string& path, const std::string& where, const std::string& what);

/// Owned bytes, not zeroed first: inputs have gigabytes.
class Blob {
 public:
  Blob() = default;
  explicit Blob(std::size_t size) : data_(std::make_unique_for_overwrite<char[]>(size)), size_(size) {}
  char* data() { return data_.get(); }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {data_.get(), size_}; }
  void shrink(std::size_t size) { size_ = std::min(size_, size); }

 private:
  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
};

/// The whole of a file, a pipe or ("-") standard input; refuses what is missing, empty, unreadable or a directory.
Blob load_file(const std::string& path);

/// What compressed data may unpack to: many times its size, but not all that a few bytes made to do harm can.
/// Coordinates, even those of a lattice, shrink to a tenth or a fifteenth.
inline constexpr std::size_t most_times_packed = 100, always_unpacked = std::size_t{64} << 20;
std::size_t unpack_limit(std::size_t packed);

/// The content of a gzip stream (several members in a row are one content), within `unpack_limit`.
Blob gunzip(const std::string& path, std::string_view packed);

/// Raw deflate data whose unpacked size is known, as in a zip archive; `where` names the member.
Blob inflate_raw(const std::string& path, const std::string& where, std::string_view packed, std::size_t size);

/// At most `most` bytes of it, for a look at the header; fewer where the data ends or is damaged.
Blob inflate_beginning(std::string_view packed, std::size_t most);

/// The number at `offset`, which the caller has checked to lie within `bytes`.
template <class T>
T number_at(std::string_view bytes, std::size_t offset, std::endian order) {
  std::array<char, sizeof(T)> raw;
  std::memcpy(raw.data(), bytes.data() + offset, sizeof(T));
  if (order != std::endian::native) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<T>(raw);
}

/// The smallest honest ratio of packed to unpacked: deflate cannot do better than 1:1032, so a header that claims
/// more is corrupt, and nothing is allocated for it.
inline constexpr std::size_t deflate_ratio_limit = 1040;

}  // namespace farfield::io
