#include "io/parts/part.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include "farfield/error.hpp"
#include "io/binary/bytes.hpp"

namespace farfield::io {
namespace {

void keep(std::vector<double>& values, const Rows& rows, std::int64_t width) {
  if (values.empty()) return;
  const auto first = values.begin();
  values = std::vector<double>(first + width * rows.begin, first + width * rows.end);  // gives memory back
}

}  // namespace

Checksum checksum_of(std::string_view bytes) {
  // The pointer of no bytes may be null, which zlib would take for a request to start over.
  if (bytes.empty()) return {};
  return {bytes.size(),
          static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()))};
}

Checksum joined(const Checksum& before, const Checksum& behind) {
  const auto crc = crc32_combine(before.crc, behind.crc, static_cast<z_off_t>(behind.bytes));
  return {before.bytes + behind.bytes, static_cast<std::uint32_t>(crc)};
}

void require_checksums(const std::string& path, const std::vector<Piece>& pieces, const std::vector<Checksum>& seen) {
  if (pieces.empty() ? !seen.empty() : seen.size() % pieces.size() != 0)
    refuse(path, "", "it is not the same for all processes; put it where all of them see one file");
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    Checksum whole;
    for (std::size_t at = p; at < seen.size(); at += pieces.size()) whole = joined(whole, seen[at]);
    if (whole.crc != pieces[p].expected)
      refuse(path, fmt::format("member '{}'", pieces[p].member),
             "its checksum is wrong, the data is damaged; write the archive again");
  }
}

void keep_rows(Bodies& bodies, const Rows& rows) {
  bodies.whole = bodies.count();
  keep(bodies.positions, rows, 3);
  keep(bodies.strengths, rows, 1);
  for (Column& column : bodies.extra) keep(column.values, rows, 1);
  keep(bodies.reference_potential, rows, 1);
  keep(bodies.reference_gradient, rows, 3);
  keep(bodies.reference_hessian, rows, 6);
}

}  // namespace farfield::io
