#include "io/binary/bytes.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <vector>

#include "farfield/error.hpp"
#include "io/text/text.hpp"

namespace farfield::io {
namespace {

constexpr std::size_t piece = std::size_t{1} << 30;  // zlib counts in 32 bits: feed it at most this much at once

// Owns zlib's state, so that a refusal in the middle leaks nothing.
class Inflater {
 public:
  explicit Inflater(int window_bits) {
    if (inflateInit2(&stream, window_bits) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // One step: as much of `in` as fits into `out`; both shrink by what was used. Returns zlib's answer.
  int step(std::string_view& in, char*& out, std::size_t& room) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream.avail_in = static_cast<uInt>(std::min(in.size(), piece));
    stream.next_out = reinterpret_cast<Bytef*>(out);
    stream.avail_out = static_cast<uInt>(std::min(room, piece));
    const uInt in_before = stream.avail_in, out_before = stream.avail_out;
    const int answer = inflate(&stream, Z_NO_FLUSH);
    in.remove_prefix(in_before - stream.avail_in);
    out += out_before - stream.avail_out;
    room -= out_before - stream.avail_out;
    return answer;
  }
  void restart() { inflateReset(&stream); }

 private:
  z_stream stream{};
};

Blob grown(Blob old, std::size_t size) {
  Blob larger(size);
  std::memcpy(larger.data(), old.data(), std::min(size, old.size()));
  return larger;
}

// A pipe tells no size: it is read until it ends, into twice the room each time.
Blob load_stream(const std::string& path, std::FILE* file) {
  Blob blob(std::size_t{1} << 16);
  std::size_t used = 0;
  while (const std::size_t got = std::fread(blob.data() + used, 1, blob.size() - used, file)) {
    used += got;
    if (used == blob.size()) blob = grown(std::move(blob), 2 * used);
  }
  if (std::ferror(file)) refuse(path, fmt::format("byte {}", used), "reading failed; try again");
  blob.shrink(used);
  return blob;
}

Blob load_regular(const std::string& path, std::FILE* file) {
  std::error_code trouble;
  const auto size = std::filesystem::file_size(path, trouble);
  if (trouble) refuse(path, "", "its size cannot be told; check its permissions");
  Blob blob(size);
  const std::size_t got = std::fread(blob.data(), 1, size, file);
  if (got != size) refuse(path, fmt::format("byte {}", got), "reading failed; check the disk and try again");
  return blob;
}

// Unpacks until `blob` is full or the data ends; the answer tells which.
int inflate_into(Blob& blob, std::string_view packed) {
  Inflater inflater(-MAX_WBITS);
  char* out = blob.data();
  std::size_t room = blob.size();
  int answer = Z_OK;
  while (answer == Z_OK) answer = inflater.step(packed, out, room);
  if (answer == Z_MEM_ERROR) throw std::bad_alloc();
  blob.shrink(blob.size() - room);
  return answer;
}

}  // namespace

void refuse(const std::string& path, const std::string& where, const std::string& what) {
  const auto sentence = fmt::format("{}{}{}: {}.", path, where.empty() ? "" : ", ", where, what);
  throw Error(ErrorCode::input, printable(sentence));
}

Blob load_file(const std::string& path) {
  const auto checked = [](const std::string& name, Blob blob) {
    if (blob.size() == 0) refuse(name, "", "the file is empty; write the bodies to it first");
    return blob;
  };
  if (path == "-") return checked("standard input", load_stream("standard input", stdin));
  std::error_code trouble;
  const auto status = std::filesystem::status(path, trouble);
  const bool pipe = std::filesystem::is_fifo(status) || std::filesystem::is_socket(status);
  if (!std::filesystem::exists(status)) refuse(path, "", "there is no such file; check the name");
  if (std::filesystem::is_directory(status)) refuse(path, "", "this is a directory; name a file in it");
  if (!pipe && !std::filesystem::is_regular_file(status))
    refuse(path, "", "this is neither a file nor a pipe; write the data to a file first");

  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) refuse(path, "", fmt::format("cannot be opened ({}); check its permissions", std::strerror(errno)));
  return checked(path, pipe ? load_stream(path, file.get()) : load_regular(path, file.get()));
}

std::size_t unpack_limit(std::size_t packed) {
  return packed > std::numeric_limits<std::size_t>::max() / most_times_packed
             ? std::numeric_limits<std::size_t>::max()
             : std::max(always_unpacked, most_times_packed * packed);
}

Blob gunzip(const std::string& path, std::string_view packed) {
  const std::size_t limit = unpack_limit(packed.size());
  Inflater inflater(16 + MAX_WBITS);
  Blob blob(std::min(limit, std::max<std::size_t>(4 * packed.size(), 4096)));
  std::size_t used = 0;
  std::string_view rest = packed;
  while (true) {
    if (used == blob.size() && used >= limit)
      refuse(path, "",
             fmt::format("it unpacks to more than {} times its size, as no bodies do; where that is right, "
                         "unpack it with gunzip first",
                         most_times_packed));
    if (used == blob.size()) blob = grown(std::move(blob), std::min(limit, 2 * used));
    char* out = blob.data() + used;
    std::size_t room = blob.size() - used;
    const int answer = inflater.step(rest, out, room);
    used = blob.size() - room;
    if (answer == Z_MEM_ERROR) throw std::bad_alloc();
    if (answer == Z_STREAM_END) {
      if (rest.size() < 2 || !rest.starts_with("\x1f\x8b")) break;  // zeros or rubbish after the end are custom
      inflater.restart();
    } else if (answer != Z_OK) {
      const auto where = fmt::format("byte {}", packed.size() - rest.size());
      if (rest.empty()) refuse(path, where, "the gzip data ends too early; fetch or pack the file again");
      refuse(path, where, "the gzip data is damaged; fetch or pack the file again");
    }
  }
  blob.shrink(used);
  if (used == 0) refuse(path, "", "the gzip file holds nothing; pack the bodies again");
  return blob;
}

Blob inflate_raw(const std::string& path, const std::string& where, std::string_view packed, std::size_t size) {
  if (size / deflate_ratio_limit > packed.size())
    refuse(path, where, fmt::format("{} bytes cannot unpack to {}; write the archive again", packed.size(), size));
  Blob blob(size);
  const int answer = inflate_into(blob, packed);
  if (answer != Z_STREAM_END || blob.size() != size)
    refuse(path, where, "the deflated data is damaged; write the archive again");
  return blob;
}

Blob inflate_beginning(std::string_view packed, std::size_t most) {
  Blob blob(most);
  inflate_into(blob, packed);
  return blob;
}

}  // namespace farfield::io
