// Bodies from NumPy arrays: a bare npy of positions (and strengths), or an npz with one array per quantity.
#include <fmt/format.h>

#include <algorithm>

#include "formats.hpp"
#include "npy.hpp"
#include "zip.hpp"

namespace farfield::io {
namespace {

using Shape = std::vector<std::int64_t>;

bool is_table(const Shape& shape, std::int64_t columns) { return shape.size() == 2 && shape[1] == columns; }

std::string array_name(const std::string& member) {
  return member.ends_with(".npy") ? member.substr(0, member.size() - 4) : member;
}

// One array of an archive: its name without .npy, and how to get at it.
struct Entry {
  std::string name;
  ZipMember member;
};

struct Archive {
  const Origin& origin;
  std::string_view bytes;
  std::vector<Entry> entries;

  const Entry* find(const std::string& name) const {
    const auto at = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
    return at == entries.end() ? nullptr : &*at;
  }
};

// A member opened: `content` may lie in `room`, so an Opened stays where it is.
struct Opened {
  Opened(const Archive& archive, const Entry& entry)
      : place{archive.origin.path, entry.member.name},
        content(unpack(archive.origin.path, archive.bytes, entry.member, room)),
        header(read_npy_header(place, content)) {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  std::vector<double> values() const { return read_npy_values(place, header, content); }
  [[noreturn]] void fail(const std::string& what) const {
    refuse(place.path, fmt::format("member '{}'", place.member),
           fmt::format("its shape is {}, not {}", npy_shape(header.shape), what));
  }

  Blob room;
  NpyPlace place;
  std::string_view content;
  NpyHeader header;
};

void take_positions(const Archive& archive, Bodies& bodies) {
  const Entry* entry = archive.find("positions");
  if (!entry)
    refuse(archive.origin.path, "",
           "the archive has no array positions; save with numpy.savez(file, positions=..., strengths=...)");
  const Opened array(archive, *entry);
  if (!is_table(array.header.shape, 3)) array.fail("(N, 3); store one row x, y, z per body");
  bodies.positions = array.values();
  bodies.single = array.header.kind == 'f' && array.header.width == 4;
}

void take_strengths(const Archive& archive, Bodies& bodies) {
  const Entry* entry = archive.find("strengths");
  if (!entry && !archive.origin.needs_strengths) return;
  if (!entry)
    refuse(archive.origin.path, "",
           "the archive has no array strengths; save with numpy.savez(file, positions=..., strengths=...)");
  const Opened array(archive, *entry);
  const Shape one_each{bodies.count()}, column{bodies.count(), 1};
  if (array.header.shape != one_each && array.header.shape != column)
    array.fail(fmt::format("({},); store one strength per body", bodies.count()));
  bodies.strengths = array.values();
}

void take_other(const Archive& archive, const Entry& entry, Bodies& bodies) {
  const Opened array(archive, entry);
  const Shape& shape = array.header.shape;
  const bool readable = array.header.decodable() && !shape.empty() && shape[0] == bodies.count();
  if (readable && shape.size() == 1 && entry.name == "potential") {
    bodies.reference_potential = array.values();
  } else if (readable && is_table(shape, 3) && entry.name == "gradient") {
    bodies.reference_gradient = array.values();
  } else if (readable && shape.size() == 1) {
    bodies.extra.push_back({entry.name, array.values()});
  } else {
    bodies.warnings.push_back(
        fmt::format("Array {} is not a list of {} numbers and is not carried through.", entry.name, bodies.count()));
  }
}

}  // namespace

Bodies read_npy(const Origin& origin, std::string_view bytes) {
  const NpyPlace place{origin.path, ""};
  const NpyHeader header = read_npy_header(place, bytes);
  const bool with_strengths = is_table(header.shape, 4);
  if (!with_strengths && !is_table(header.shape, 3))
    refuse(origin.path, "header",
           fmt::format("its shape is {}; store (N,3) for positions or (N,4) for x, y, z, strength",
                       npy_shape(header.shape)));
  const auto n = static_cast<std::size_t>(header.shape[0]);
  std::vector<double> values = read_npy_values(place, header, bytes);
  Bodies bodies;
  bodies.single = header.kind == 'f' && header.width == 4;
  bodies.description = fmt::format("npy, {} bodies, {}", n, with_strengths ? "x y z strength" : "unit strengths");
  if (!with_strengths) {
    bodies.positions = std::move(values);
    bodies.strengths.assign(n, 1.0);
    return bodies;
  }
  bodies.positions.resize(3 * n);
  bodies.strengths.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(&values[4 * i], 3, &bodies.positions[3 * i]);
    bodies.strengths[i] = values[4 * i + 3];
  }
  return bodies;
}

Bodies read_npz(const Origin& origin, std::string_view bytes) {
  Archive archive{origin, bytes, {}};
  for (ZipMember& member : list_zip(origin.path, bytes)) {
    std::string name = array_name(member.name);
    if (archive.find(name))
      refuse(origin.path, fmt::format("member '{}'", member.name), "it occurs twice; write the archive again");
    archive.entries.push_back({std::move(name), std::move(member)});
  }
  Bodies bodies;
  take_positions(archive, bodies);
  take_strengths(archive, bodies);
  for (const Entry& entry : archive.entries)
    if (entry.name != "positions" && entry.name != "strengths") take_other(archive, entry, bodies);
  bodies.description = fmt::format("npz, {} bodies", bodies.count());
  return bodies;
}

}  // namespace farfield::io
