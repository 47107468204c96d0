// Which format a file has: its first bytes decide where they can, its extension or the look of its text otherwise.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>

#include "farfield/error.hpp"
#include "io/binary/bytes.hpp"
#include "io/foreign.hpp"
#include "io/formats.hpp"
#include "io/parts/mapping.hpp"
#include "io/text/text.hpp"

namespace farfield::io {
namespace {

using Reader = Bodies (*)(const Origin&, std::string_view);

struct Format {
  const char* name;
  Reader reader;
};

constexpr Format formats[] = {
    {"csv", read_csv}, {"npy", read_npy}, {"npz", read_npz},       {"obj", read_obj},       {"ply", read_ply},
    {"xyz", read_xyz}, {"gro", read_gro}, {"lammps", read_lammps}, {"gadget", read_gadget}, {"xml", read_scafacos}};

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
  if (bytes.starts_with("ply\n") || bytes.starts_with("ply\r")) return read_ply;
  if (bytes.starts_with("\x89HDF")) return read_gadget_hdf5;
  if (is_marker(bytes, 256) || (is_marker(bytes, 8) && bytes.substr(4).starts_with("HEAD"))) return read_gadget;
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff"))
    refuse(origin.path, "byte 0", "this is text in UTF-16; save it as UTF-8, for example with iconv");
  return nullptr;
}

void refuse_foreign(const Origin& origin, const std::string& name, std::string_view bytes) {
  const std::string format = foreign_format(bytes, name);
  if (!format.empty() && format.starts_with("compressed"))
    refuse(origin.path, "", fmt::format("this is {}, which this version does not read; unpack it first", format));
  if (!format.empty())
    refuse(
        origin.path, "",
        fmt::format("this is {}, which this version does not read; convert it to csv (x,y,z,q), npy or npz", format));
}

// The reader that the name promises. It is used only where the first bytes tell nothing, and so it mostly refuses,
// in the words of the format that the user had in mind.
Reader by_extension(const std::string& name) {
  for (const Format& format : formats)
    if (name.ends_with(std::string(".") + format.name)) return format.reader;
  if (name.ends_with(".txt")) return read_csv;
  if (name.ends_with(".lmp")) return read_lammps;
  return nullptr;
}

// Text of molecules; a table may begin as these do.
Reader by_sight(const std::string& name, std::string_view bytes) {
  if (name.ends_with(".csv") || name.ends_with(".txt")) return nullptr;
  if (looks_like_gro(bytes)) return read_gro;
  return looks_like_lammps(bytes) ? read_lammps : nullptr;
}

// The header of a table: x and y are among its words, or the columns were named by the caller.
bool looks_like_csv(const Origin& origin, std::string_view header) {
  if (!origin.reading.columns.empty()) return true;
  std::vector<std::string> words(1);
  for (const char c : header) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
      words.back() += c;
    else
      words.emplace_back();
  }
  const auto has = [&](const char* name) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return lower(word) == name; });
  };
  return has("x") && has("y");
}

// Text from a pipe or with an unknown extension: the first line that says something tells.
Reader by_look(const Origin& origin, std::string_view bytes) {
  Lines lines(bytes);
  if (!lines.next_significant()) return nullptr;
  std::string_view line = lines.line();
  if (looks_like_csv(origin, line.substr(0, 100000))) return read_csv;
  const auto first = take_word(line);
  if (first == "v" || first == "mtllib" || first == "o" || first == "g") return read_obj;
  const bool lone_number = to_number(first) && trimmed(line).empty();
  return lone_number ? read_xyz : nullptr;
}

Reader by_name(const std::string& wanted) {
  std::vector<std::string_view> names;
  for (const Format& format : formats) {
    if (wanted == format.name) return format.reader;
    names.push_back(format.name);
  }
  throw Error(ErrorCode::usage, fmt::format("There is no format '{}' to read; it is one of {}.", printable(wanted),
                                            fmt::join(names, ", ")));
}

Reader find_reader(const Origin& origin, const std::string& name, std::string_view bytes) {
  if (!origin.reading.format.empty()) return by_name(origin.reading.format);
  if (const Reader reader = by_magic(origin, bytes)) return reader;
  refuse_foreign(origin, name, bytes);
  if (starts_as_xml(bytes)) return read_scafacos;
  if (const Reader reader = by_sight(name, bytes)) return reader;
  if (const Reader reader = by_extension(name)) return reader;
  if (const Reader reader = by_look(origin, bytes)) return reader;
  if (name.ends_with(".dat")) return read_gadget;
  refuse(origin.path, "byte 0",
         "the format is not recognised; use .csv, .npy, .npz, .obj, .ply, .xyz, .gro, LAMMPS data, a GADGET snapshot "
         "(format 1 or 2) or a ScaFaCoS .xml, each also as .gz");
}

Bodies read_content(const Origin& origin, const std::string& name, std::string_view bytes) {
  const Reader reader = find_reader(origin, name, bytes);
  // Targets may well be of another format than the bodies whose columns were named.
  if (reader != read_csv && origin.needs_strengths && (origin.reading.delimiter || !origin.reading.columns.empty()))
    refuse(origin.path, "", "a delimiter and names of columns are for csv, which this is not; leave them out");
  Bodies bodies = reader(origin, bytes);
  bodies.description = printable(bodies.description);
  for (std::string& warning : bodies.warnings) warning = printable(warning);
  return bodies;
}

// Bodies of npy and npz are read from where they stand, by no more than one part; of all else every part reads the
// whole. A pipe is gone when one of them has read it.
std::optional<Bodies> read_in_place(const Origin& origin) {
  std::error_code ignored;
  const auto status = std::filesystem::status(origin.path, ignored);
  if (origin.path == "-" || std::filesystem::is_fifo(status) || std::filesystem::is_socket(status))
    refuse(origin.path == "-" ? "standard input" : origin.path, "",
           "several processes cannot share a pipe; write the bodies to a file first");
  if (!std::filesystem::is_regular_file(status)) return std::nullopt;
  const Mapping file(origin.path);
  const Reader reader = by_magic(origin, file.view());
  const bool in_place = (reader == read_npy || reader == read_npz) &&
                        (origin.reading.format.empty() || by_name(origin.reading.format) == reader);
  if (!in_place) return std::nullopt;
  Origin mapped = origin;
  mapped.most_bytes = unpack_limit(file.view().size());
  return read_content(mapped, lower(origin.path), file.view());
}

Bodies read_whole(Origin origin) {
  const Blob blob = load_file(origin.path);
  const std::string name = lower(origin.path);
  if (origin.path == "-") origin.path = "standard input";
  origin.most_bytes = unpack_limit(blob.size());
  if (!blob.view().starts_with("\x1f\x8b")) {
    if (name.ends_with(".gz")) refuse(origin.path, "byte 0", "this is not gzip data; remove .gz from the name");
    return read_content(origin, name, blob.view());
  }
  const Blob content = gunzip(origin.path, blob.view());
  return read_content(origin, name.ends_with(".gz") ? name.substr(0, name.size() - 3) : name, content.view());
}

Bodies read_in_parts(const Origin& origin) {
  if (auto bodies = read_in_place(origin)) return std::move(*bodies);
  Bodies bodies = read_whole({origin.path, origin.needs_strengths, origin.reading});
  keep_rows(bodies, rows_of(origin.part, bodies.count()));
  return bodies;
}

Bodies read_file(const Origin& origin) {
  try {
    return origin.in_parts() ? read_in_parts(origin) : read_whole(origin);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::memory,
                printable(fmt::format("{}: not enough memory to read it; use a machine with more, or fewer bodies.",
                                      origin.path == "-" ? "standard input" : origin.path)));
  }
}

}  // namespace

Bodies read(const std::string& path, const Reading& reading) { return read_file({path, true, reading}); }
Bodies read_points(const std::string& path, const Reading& reading) { return read_file({path, false, reading}); }
Bodies read_part(const std::string& path, const Reading& reading, const Part& part, std::vector<Piece>& pieces) {
  return read_file({path, true, reading, 0, part, &pieces});
}
Bodies read_points_part(const std::string& path, const Reading& reading, const Part& part, std::vector<Piece>& pieces) {
  return read_file({path, false, reading, 0, part, &pieces});
}

std::vector<std::string> input_formats() {
  std::vector<std::string> names;
  for (const Format& format : formats) names.emplace_back(format.name);
  return names;
}

}  // namespace farfield::io
