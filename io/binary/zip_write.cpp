// Writing of zip archives, stored: numbers from a simulation hardly shrink, and deflate would cost more than the sum.
#include "io/binary/zip.hpp"

namespace farfield::io {
namespace {

constexpr std::uint16_t version_zip64 = 45, version_plain = 20;
constexpr std::uint16_t date_1980 = 0x21;  // a fixed date: the same bodies give the same file

class Record {
 public:
  template <class T>
  Record& put(T value) {
    for (std::size_t byte = 0; byte < sizeof(T); ++byte)
      bytes_.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * byte)));
    return *this;
  }
  Record& put32(std::uint64_t value) { return put(static_cast<std::uint32_t>(value)); }
  Record& put16(std::uint64_t value) { return put(static_cast<std::uint16_t>(value)); }
  Record& put64(std::uint64_t value) { return put(value); }
  Record& text(const std::string& value) {
    bytes_ += value;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// What local header and directory entry share: version needed, flags (names are UTF-8), method, time, date, crc, sizes.
Record& put_common(Record& record, const ZipMember& member, bool wide) {
  const std::uint64_t size = wide ? ZipWriter::reach_of_32_bits : member.size;
  record.put16(wide ? version_zip64 : version_plain).put16(0x800).put16(0).put16(0).put16(date_1980);
  return record.put32(member.crc).put32(size).put32(size).put16(member.name.size());
}

Record local_header(const ZipMember& member, bool wide) {
  Record record;
  record.put32(0x04034b50);
  put_common(record, member, wide).put16(wide ? 20 : 0).text(member.name);
  if (wide) record.put16(1).put16(16).put64(member.size).put64(member.size);
  return record;
}

Record directory_entry(const ZipMember& member, bool wide_size, bool wide_offset) {
  const bool wide = wide_size || wide_offset;
  Record record;
  record.put32(0x02014b50).put16(wide ? version_zip64 : version_plain);
  const int fields = (wide_size ? 16 : 0) + (wide_offset ? 8 : 0);
  put_common(record, member, wide_size).put16(wide ? 4 + fields : 0);
  record.put16(0).put16(0).put16(0).put32(0);  // no comment, first disk, no attributes
  record.put32(wide_offset ? ZipWriter::reach_of_32_bits : member.offset).text(member.name);
  if (wide) record.put16(1).put16(fields);
  if (wide_size) record.put64(member.size).put64(member.size);
  if (wide_offset) record.put64(member.offset);
  return record;
}

// The zip64 end record and the locator that leads to it.
Record wide_end(std::uint64_t members, std::uint64_t size, std::uint64_t offset) {
  Record record;
  record.put32(0x06064b50).put64(44).put16(version_zip64).put16(version_zip64).put32(0).put32(0);
  record.put64(members).put64(members).put64(size).put64(offset);
  return record.put32(0x07064b50).put32(0).put64(offset + size).put32(1);
}

}  // namespace

void ZipWriter::add(const std::string& name, std::string_view head, std::string_view body) {
  const Checksum whole = joined(checksum_of(head), out_.of_all(checksum_of(body)));
  ZipMember member{name, whole.bytes, whole.bytes, written_, whole.crc, 0};
  put(local_header(member, whole.bytes >= zip64_from_).bytes());
  put(head);
  out_.begin_rows(body.size());
  out_.write_rows(body);
  written_ += whole.bytes - head.size();
  members_.push_back(std::move(member));
}

void ZipWriter::finish() {
  const std::uint64_t offset = written_;
  for (const ZipMember& member : members_)
    put(directory_entry(member, member.size >= zip64_from_, member.offset >= zip64_from_).bytes());
  const std::uint64_t size = written_ - offset, count = members_.size();
  const bool wide = offset >= zip64_from_ || count >= 0xffff;
  if (wide) put(wide_end(count, size, offset).bytes());
  Record end;
  end.put32(0x06054b50).put16(0).put16(0);
  end.put16(wide ? 0xffff : count).put16(wide ? 0xffff : count).put32(wide ? reach_of_32_bits : size);
  end.put32(wide ? reach_of_32_bits : offset).put16(0);
  put(end.bytes());
}

void ZipWriter::put(std::string_view bytes) {
  out_.write(bytes);
  written_ += bytes.size();
}

}  // namespace farfield::io
