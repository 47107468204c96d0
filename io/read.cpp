// Which format a file has: its first bytes decide where they can, its extension otherwise.
#include <fmt/format.h>

#include <cctype>

#include "bytes.hpp"
#include "farfield/error.hpp"
#include "formats.hpp"

namespace farfield::io {
namespace {

using Reader = Bodies (*)(const Origin&, std::string_view);

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool is_marker(std::string_view bytes, std::uint32_t value) {
  return bytes.size() >= 4 && (number_at<std::uint32_t>(bytes, 0, std::endian::little) == value ||
                               number_at<std::uint32_t>(bytes, 0, std::endian::big) == value);
}

bool starts_as_xml(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '<';
}

Reader by_magic(const Origin& origin, std::string_view bytes) {
  if (bytes.starts_with("\x93NUMPY")) return read_npy;
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06")) return read_npz;
  if (is_marker(bytes, 256)) return read_gadget;
  if (is_marker(bytes, 8) && bytes.substr(4).starts_with("HEAD"))
    refuse(origin.path, "byte 4", "this is a GADGET snapshot of format 2; write it with SnapFormat 1");
  if (bytes.starts_with("\x89HDF"))
    refuse(origin.path, "byte 0", "HDF5 is not read; convert it to npz with positions (N,3) and strengths (N,)");
  if (starts_as_xml(bytes)) return read_scafacos;
  return nullptr;
}

// The reader that the name promises. It is used only where the first bytes tell nothing, and so it mostly refuses,
// in the words of the format that the user had in mind.
Reader by_extension(const std::string& name) {
  if (name.ends_with(".csv") || name.ends_with(".txt")) return read_csv;
  if (name.ends_with(".npy")) return read_npy;
  if (name.ends_with(".npz")) return read_npz;
  if (name.ends_with(".xml")) return read_scafacos;
  return nullptr;
}

Bodies read_content(const Origin& origin, const std::string& name, std::string_view bytes) {
  Reader reader = by_magic(origin, bytes);
  if (reader == nullptr) reader = by_extension(name);
  if (reader == nullptr && (name.ends_with(".dat") || name.ends_with(".gadget"))) reader = read_gadget;
  if (reader == nullptr)
    refuse(origin.path, "byte 0",
           "the format is not recognised; use .csv, .npy, .npz, a GADGET-1 snapshot or a ScaFaCoS .xml[.gz]");
  return reader(origin, bytes);
}

Bodies read_file(const Origin& origin) {
  try {
    const Blob blob = load_file(origin.path);
    const std::string name = lower(origin.path);
    if (!blob.view().starts_with("\x1f\x8b")) {
      if (name.ends_with(".gz")) refuse(origin.path, "byte 0", "this is not gzip data; remove .gz from the name");
      return read_content(origin, name, blob.view());
    }
    const Blob content = gunzip(origin.path, blob.view());
    return read_content(origin, name.ends_with(".gz") ? name.substr(0, name.size() - 3) : name, content.view());
  } catch (const std::bad_alloc&) {
    throw Error(
        ErrorCode::memory,
        fmt::format("{}: not enough memory to read it; use a machine with more, or fewer bodies.", origin.path));
  }
}

}  // namespace

Bodies read(const std::string& path) { return read_file({path, true}); }
Bodies read_points(const std::string& path) { return read_file({path, false}); }

}  // namespace farfield::io
