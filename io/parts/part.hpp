// Parts of a file of bodies: each of several processes reads, and later writes, rows of its own that follow one
// another.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/bodies.hpp"

namespace farfield::io {

/// One of several parts of about equal length; the first ones are the longer ones.
struct Part {
  std::int64_t number = 0, of = 1;
};

struct Rows {
  std::int64_t begin = 0, end = 0;
};
inline Rows rows_of(const Part& part, std::int64_t count) {
  const std::int64_t each = count / part.of, more = count % part.of;
  const auto begin = [&](std::int64_t number) { return number * each + std::min(number, more); };
  return {begin(part.number), begin(part.number + 1)};
}

/// Bytes and their CRC-32: those of parts that follow one another give that of the whole.
struct Checksum {
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
};
Checksum checksum_of(std::string_view bytes);
Checksum joined(const Checksum& before, const Checksum& behind);

/// What one part saw of an array whose checksum stands in the file.
struct Piece {
  std::string member;
  std::uint32_t expected;  ///< CRC-32 of the whole
  Checksum own;
};

/// A part of the bodies that `read` would give: Bodies::all is the number of all of them. Of npy, and of stored arrays
/// in npz, no more than the part is read, and a piece of each array is added to `pieces`, the same arrays in every
/// part; of all other files every part reads the whole. Refuses pipes and standard input, which parts cannot share.
Bodies read_part(const std::string& path, const Reading& reading, const Part& part, std::vector<Piece>& pieces);
Bodies read_points_part(const std::string& path, const Reading& reading, const Part& part, std::vector<Piece>& pieces);

/// Throws Error(input) where an array is not what its checksum says. `seen`: the parts' checksums of `pieces`, those of
/// the first part in front.
void require_checksums(const std::string& path, const std::vector<Piece>& pieces, const std::vector<Checksum>& seen);

/// Of bodies that were read whole.
void keep_rows(Bodies& bodies, const Rows& rows);

}  // namespace farfield::io
