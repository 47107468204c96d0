// Archives of arrays by hand, for the tests of npz.
#pragma once
#include "files.hpp"
#include "io/binary/npy.hpp"
#include "io/binary/zip.hpp"
#include "io/output.hpp"

namespace farfield::io::testing {

/// An archive by hand, member by member.
inline std::string archive(const Folder& folder, const std::vector<std::pair<std::string, std::string>>& members,
                           std::uint64_t zip64_from = ZipWriter::reach_of_32_bits) {
  const std::string path = folder / "made.npz";
  Output out(path);
  ZipWriter zip(out, zip64_from);
  for (const auto& [name, content] : members) zip.add(name, content, {});
  zip.finish();
  out.commit();
  return path;
}

/// A member that numpy reads.
inline std::string array(const std::vector<std::int64_t>& shape, const std::vector<double>& values) {
  return npy_header("f8", shape) + bytes_of(values);
}

}  // namespace farfield::io::testing
