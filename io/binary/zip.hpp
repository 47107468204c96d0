// Zip archives as NumPy writes and reads them: stored or deflated members, zip64 where 32 bits do not reach.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/binary/bytes.hpp"
#include "io/parts/sink.hpp"

namespace farfield::io {

/// What the central directory says of one member.
struct ZipMember {
  std::string name;
  std::uint64_t packed = 0, size = 0, offset = 0;  ///< bytes in the archive, bytes unpacked, where its header begins
  std::uint32_t crc = 0;
  unsigned method = 0;  ///< 0 stored, 8 deflated; others are not read

  static constexpr unsigned encrypted = 0x10000;  ///< as a method, which no archive can name
  bool readable() const { return method == 0 || method == 8; }
};

/// The members of an archive; refuses a damaged or truncated one.
std::vector<ZipMember> list_zip(const std::string& path, std::string_view bytes);

/// At most `most` bytes from the beginning of a member, checksum unseen; none where it cannot be read.
std::string_view peek(const std::string& path, std::string_view bytes, const ZipMember& member, std::size_t most,
                      Blob& room);

/// One member's content with its checksum verified. Stored members are seen in place, deflated ones live in `room`.
std::string_view unpack(const std::string& path, std::string_view bytes, const ZipMember& member, Blob& room);

/// The content of a stored member, checksum unseen: for who looks at a part of it.
std::string_view stored(const std::string& path, std::string_view bytes, const ZipMember& member);

/// Writes members one after the other, stored, and the directory at the end.
class ZipWriter {
 public:
  static constexpr std::uint64_t reach_of_32_bits = 0xffffffffU;

  /// From `zip64_from` bytes on, sizes and offsets are written with 64 bits; tests lower it.
  explicit ZipWriter(Sink& out, std::uint64_t zip64_from = reach_of_32_bits) : out_(out), zip64_from_(zip64_from) {}

  /// A member is `head` and then `body`, which is not copied: the rows of this part, where `out` is one of several.
  void add(const std::string& name, std::string_view head, std::string_view body);
  void finish();

 private:
  void put(std::string_view bytes);
  Sink& out_;
  std::uint64_t zip64_from_;
  std::uint64_t written_ = 0;
  std::vector<ZipMember> members_;
};

}  // namespace farfield::io
