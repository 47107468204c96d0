// Reading of zip archives. Every size and offset is checked against the file before it is used.
#include "io/binary/zip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

namespace farfield::io {
namespace {

constexpr std::uint32_t end_mark = 0x06054b50, end64_mark = 0x06064b50, end64_locator_mark = 0x07064b50;
constexpr std::uint32_t directory_mark = 0x02014b50, local_mark = 0x04034b50;
constexpr std::size_t end_size = 22, end64_size = 56, end64_locator_size = 20, directory_size = 46, local_size = 30;

struct Archive {
  const std::string& path;
  std::string_view bytes;

  template <class T>
  std::uint64_t number(std::uint64_t offset) const {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) fail(offset, "the archive ends too early");
    return number_at<T>(bytes, offset, std::endian::little);
  }
  std::uint64_t u16(std::uint64_t offset) const { return number<std::uint16_t>(offset); }
  std::uint64_t u32(std::uint64_t offset) const { return number<std::uint32_t>(offset); }
  std::uint64_t u64(std::uint64_t offset) const { return number<std::uint64_t>(offset); }

  std::string_view range(std::uint64_t offset, std::uint64_t length) const {
    if (offset > bytes.size() || length > bytes.size() - offset) fail(offset, "the archive ends too early");
    return bytes.substr(offset, length);
  }
  [[noreturn]] void fail(std::uint64_t offset, const std::string& what) const {
    refuse(path, fmt::format("byte {}", offset), what + "; write it again, for example with numpy.savez");
  }
};

struct Directory {
  std::uint64_t members = 0, offset = 0;
};

// The end record is the last thing in the file but for a comment of at most 65535 bytes.
std::uint64_t find_end(const Archive& archive) {
  const std::size_t size = archive.bytes.size();
  for (std::size_t back = end_size; back <= size && back <= end_size + 0xffff; ++back)
    if (archive.u32(size - back) == end_mark && archive.u16(size - back + 20) == back - end_size) return size - back;
  archive.fail(size, "the zip archive has no directory at its end: it is truncated or no archive at all");
}

Directory find_directory(const Archive& archive) {
  const std::uint64_t end = find_end(archive);
  Directory directory{archive.u16(end + 10), archive.u32(end + 16)};
  const bool wide = end >= end64_locator_size && archive.u32(end - end64_locator_size) == end64_locator_mark;
  if (!wide) return directory;
  const std::uint64_t end64 = archive.u64(end - end64_locator_size + 8);
  if (archive.u32(end64) != end64_mark) archive.fail(end64, "the zip64 directory is not where the archive says");
  return {archive.u64(end64 + 32), archive.u64(end64 + 48)};
}

// Where 32 bits do not reach, the field holds all ones and the number stands in the extra field, in this order.
void widen(const Archive& archive, std::uint64_t at, std::uint64_t length, ZipMember& member) {
  const std::uint64_t end = at + length;
  while (at + 4 <= end) {
    const std::uint64_t id = archive.u16(at), size = archive.u16(at + 2);
    at += 4;
    if (size > end - at) return;
    if (id == 1) {
      std::uint64_t field = at;
      for (std::uint64_t* value : {&member.size, &member.packed, &member.offset}) {
        if (*value != ZipWriter::reach_of_32_bits) continue;
        if (field + 8 > at + size) archive.fail(field, "a zip64 field of the archive is too short");
        *value = archive.u64(field);
        field += 8;
      }
      return;
    }
    at += size;
  }
}

}  // namespace

std::vector<ZipMember> list_zip(const std::string& path, std::string_view bytes) {
  const Archive archive{path, bytes};
  const Directory directory = find_directory(archive);
  if (directory.members > bytes.size() / directory_size)
    archive.fail(0, fmt::format("{} members cannot lie in {} bytes of archive", directory.members, bytes.size()));
  std::vector<ZipMember> members;
  std::uint64_t held = 0;
  std::uint64_t at = directory.offset;
  for (std::uint64_t i = 0; i < directory.members; ++i) {
    if (archive.u32(at) != directory_mark) archive.fail(at, "the directory of the archive is damaged");
    const std::uint64_t name = archive.u16(at + 28), extra = archive.u16(at + 30), comment = archive.u16(at + 32);
    archive.range(at, directory_size + name + extra + comment);
    ZipMember member{std::string(archive.range(at + directory_size, name)),
                     archive.u32(at + 20),
                     archive.u32(at + 24),
                     archive.u32(at + 42),
                     static_cast<std::uint32_t>(archive.u32(at + 16)),
                     static_cast<unsigned>(archive.u16(at + 10))};
    if (archive.u16(at + 8) & 1) member.method = ZipMember::encrypted;
    widen(archive, at + directory_size + name, extra, member);
    held += std::min<std::uint64_t>(member.packed, bytes.size());
    if (held > bytes.size()) archive.fail(at, "members of the archive overlap");  // a few bytes read again and again
    members.push_back(std::move(member));
    at += directory_size + name + extra + comment;
  }
  return members;
}

namespace {

std::string_view packed_bytes(const Archive& archive, const ZipMember& member) {
  if (archive.u32(member.offset) != local_mark)
    archive.fail(member.offset, "no member begins where the directory says");
  const std::uint64_t skip = local_size + archive.u16(member.offset + 26) + archive.u16(member.offset + 28);
  return archive.range(member.offset + skip, member.packed);
}

void require_one_size(const std::string& path, const ZipMember& member) {
  if (member.packed != member.size)
    refuse(path, fmt::format("member '{}'", member.name), "it has two different sizes; write the archive again");
}

}  // namespace

std::string_view stored(const std::string& path, std::string_view bytes, const ZipMember& member) {
  require_one_size(path, member);
  return packed_bytes({path, bytes}, member);
}

std::string_view peek(const std::string& path, std::string_view bytes, const ZipMember& member, std::size_t most,
                      Blob& room) {
  const std::string_view packed = packed_bytes({path, bytes}, member);
  if (!member.readable()) return {};
  if (member.method == 0) return packed.substr(0, most);
  room = inflate_beginning(packed, std::min<std::uint64_t>(most, member.size));
  return room.view();
}

std::string_view unpack(const std::string& path, std::string_view bytes, const ZipMember& member, Blob& room) {
  const std::string where = fmt::format("member '{}'", member.name);
  const std::string_view packed = packed_bytes({path, bytes}, member);
  if (member.method == ZipMember::encrypted)
    refuse(path, where, "it is encrypted, which is not read; write it with numpy.savez");
  if (!member.readable())
    refuse(path, where, "its compression is not read; write it with numpy.savez or numpy.savez_compressed");
  if (member.method == 0) require_one_size(path, member);
  if (member.method == 8) room = inflate_raw(path, where, packed, member.size);
  const std::string_view content = member.method == 8 ? room.view() : packed;
  if (crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()) != member.crc)
    refuse(path, where, "its checksum is wrong, the data is damaged; write the archive again");
  return content;
}

}  // namespace farfield::io
