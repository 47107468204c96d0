// Bodies from NumPy arrays: a bare npy of positions (and strengths), or an npz with one array per quantity.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "farfield/error.hpp"
#include "io/binary/bytes.hpp"
#include "io/binary/npy.hpp"
#include "io/binary/zip.hpp"
#include "io/columns/densities.hpp"
#include "io/formats.hpp"
#include "io/text/text.hpp"

namespace farfield::io {
namespace {

using Shape = std::vector<std::int64_t>;

bool is_table(const Shape& shape, std::int64_t columns) { return shape.size() == 2 && shape[1] == columns; }

// What lies in an archive beside arrays (a folder, a README) keeps its name.
std::string array_name(const std::string& member) {
  return member.ends_with(".npy") ? member.substr(0, member.size() - 4) : member;
}

class Archive {
 public:
  Archive(const Origin& origin, std::string_view bytes)
      : origin_(origin), bytes_(bytes), members_(list_zip(origin.path, bytes)), room_(origin.most_bytes) {
    for (std::size_t i = 0; i < members_.size(); ++i)
      if (!places_.emplace(array_name(members_[i].name), i).second) several_.insert(array_name(members_[i].name));
  }

  const Origin& origin() const { return origin_; }
  const std::vector<ZipMember>& members() const { return members_; }

  // An array that must be there, or null; its name must be one array's alone.
  const ZipMember* find(const std::string& name) const {
    const auto at = places_.find(name);
    if (at == places_.end()) return nullptr;
    const ZipMember& member = members_[at->second];
    if (several_.contains(name))
      refuse(origin_.path, fmt::format("member '{}'", member.name), "it occurs twice; write the archive again");
    return &member;
  }

  // What the beginning of a member says of the array in it.
  NpyHeader header(const ZipMember& member) const {
    constexpr std::size_t longest = 12 + 0xffff;  // a header of version 1 is no longer, others have no reason to be
    Blob room;
    return read_npy_header(place(member), peek(origin_.path, bytes_, member, longest, room));
  }

  // How many bodies the archive has; of these, those that are read.
  void set_count(std::int64_t count) { count_ = count, rows_ = rows_of(origin_.part, count); }
  std::int64_t count() const { return count_; }
  const Rows& rows() const { return rows_; }

  // The numbers of an array whose header goes with its size: so no more is unpacked than the shape says. Along `axis`
  // are the bodies, of which those of this part are taken; of_all: along none.
  static constexpr std::size_t of_all = 3;
  std::vector<double> values(const ZipMember& member, const NpyHeader& header, std::size_t axis = 0) {
    require_decodable(place(member), header);
    const auto size = header.bytes();
    if (member.readable() && (!size || *size > member.size || *size + header.data != member.size))
      refuse(origin_.path, fmt::format("member '{}'", member.name),
             fmt::format("shape {} does not go with its {} bytes; write the array again", npy_shape(header.shape),
                         member.size));
    if (member.method != 0) take_room(member);
    Blob room;
    const bool in_part = origin_.in_parts() && member.method == 0;
    const std::string_view content =
        in_part ? stored(origin_.path, bytes_, member) : unpack(origin_.path, bytes_, member, room);
    if (in_part) origin_.pieces->push_back({member.name, member.crc, checksum_of(share(content, header, axis))});
    if (axis == of_all) return read_npy_values(place(member), header, content);
    return read_npy_values(place(member), header, content, {axis, rows_.begin, rows_.end});
  }

 private:
  NpyPlace place(const ZipMember& member) const { return {origin_.path, member.name}; }

  // Of a member that the parts check together: what this part reads anyway where that is in one place, with what stands
  // before the first row and behind the last one; else an equal share.
  std::string_view share(std::string_view content, const NpyHeader& header, std::size_t axis) const {
    const auto size = static_cast<std::int64_t>(content.size()), data = static_cast<std::int64_t>(header.data);
    Rows bytes = rows_of(origin_.part, size);
    if (axis == 0 && !header.fortran && count_ > 0) {
      const std::int64_t row = (size - data) / count_;
      const bool first = origin_.part.number == 0, last = origin_.part.number + 1 == origin_.part.of;
      bytes = {first ? 0 : data + row * rows_.begin, last ? size : data + row * rows_.end};
    }
    return content.substr(static_cast<std::size_t>(bytes.begin), static_cast<std::size_t>(bytes.end - bytes.begin));
  }

  void take_room(const ZipMember& member) {
    if (member.size > room_)
      refuse(origin_.path, fmt::format("member '{}'", member.name),
             fmt::format("the archive unpacks to more than {} times its size, as no bodies do; where that is right, "
                         "write it with numpy.savez",
                         most_times_packed));
    room_ -= member.size;
  }

  const Origin& origin_;
  std::string_view bytes_;
  std::vector<ZipMember> members_;
  std::unordered_map<std::string, std::size_t> places_;  // by the array's name
  std::unordered_set<std::string> several_;
  std::int64_t count_ = 0;
  Rows rows_;
  std::size_t room_;  // bytes that deflated members may still unpack to
};

// Points of the plane, x and y of each, at z = 0.
std::vector<double> in_space(const std::vector<double>& plane) {
  std::vector<double> space(plane.size() / 2 * 3);
  for (std::size_t i = 0; i < plane.size() / 2; ++i) space[3 * i] = plane[2 * i], space[3 * i + 1] = plane[2 * i + 1];
  return space;
}

void take_positions(Archive& archive, Bodies& bodies) {
  const ZipMember* member = archive.find("positions");
  if (!member)
    refuse(archive.origin().path, "",
           "the archive has no array positions; save with numpy.savez(file, positions=..., strengths=...)");
  const NpyHeader header = archive.header(*member);
  const bool flat = is_table(header.shape, 2);
  if (!flat && !is_table(header.shape, 3))
    refuse(archive.origin().path, fmt::format("member '{}'", member->name),
           fmt::format("its shape is {}, not (N, 3); store one row x, y, z per body, or x, y in the plane",
                       npy_shape(header.shape)));
  archive.set_count(header.shape[0]);
  if (archive.origin().in_parts()) bodies.whole = archive.count();
  bodies.positions = archive.values(*member, header);
  if (flat) bodies.positions = in_space(bodies.positions);
  bodies.single = header.kind == 'f' && header.width == 4;
}

// Strengths, or masses or charges where these are their name.
constexpr const char* strength_names[] = {"strengths", "masses", "charges"};

const ZipMember* strengths_of(const Archive& archive) {
  for (const char* name : strength_names)
    if (const ZipMember* member = archive.find(name)) return member;
  return nullptr;
}

// Strengths of the first vector stay, those of others become columns.
void part_strengths(Bodies& bodies, std::int64_t vectors) {
  const std::int64_t n = bodies.count();
  const std::vector<double> all = std::move(bodies.strengths);
  bodies.strengths.assign(all.begin(), all.begin() + n);
  for (std::int64_t v = 1; v < vectors; ++v)
    bodies.extra.push_back({strength_column(v), {all.begin() + v * n, all.begin() + (v + 1) * n}});
}

// Of one vector or of several.
bool is_dipoles(const Shape& shape, std::int64_t count) {
  return shape == Shape{count, 3} || (shape.size() == 3 && shape[0] > 0 && shape[1] == count && shape[2] == 3);
}

bool has_dipoles(const Archive& archive) {
  if (archive.find("dipoles")) return true;
  for (const std::string& name : dipole_columns(0))
    if (!archive.find(name)) return false;
  return true;
}

void take_dipoles(Archive& archive, const ZipMember& member, Bodies& bodies) {
  const NpyHeader header = archive.header(member);
  const std::int64_t n = bodies.count();
  if (!is_dipoles(header.shape, archive.count()))
    refuse(archive.origin().path, fmt::format("member '{}'", member.name),
           fmt::format("its shape is {}, not ({}, 3); store one row x, y, z per body", npy_shape(header.shape),
                       archive.count()));
  const bool several = header.shape.size() == 3;
  const std::vector<double> all = archive.values(member, header, several ? 1 : 0);
  for (std::int64_t v = 0; v < (several && archive.count() > 0 ? header.shape[0] : 1); ++v)
    add_dipoles(bodies, {all.begin() + 3 * v * n, all.begin() + 3 * (v + 1) * n}, v);
}

void take_strengths(Archive& archive, Bodies& bodies) {
  const ZipMember* member = strengths_of(archive);
  const Origin& origin = archive.origin();
  if (!member && !origin.needs_strengths) return;
  if (!member && origin.reading.densities && has_dipoles(archive))
    return bodies.strengths.assign(static_cast<std::size_t>(bodies.count()), 0.0);
  if (!member)
    refuse(archive.origin().path, "",
           "the archive has no array strengths (or masses, charges); save with numpy.savez(file, positions=..., "
           "strengths=...)");
  const NpyHeader header = archive.header(*member);
  const Shape one_each{archive.count()}, column{archive.count(), 1};
  const bool several = is_table(header.shape, archive.count()) && header.shape[0] > 0 && header.shape != column;
  if (header.shape != one_each && header.shape != column && !several)
    refuse(archive.origin().path, fmt::format("member '{}'", member->name),
           fmt::format("its shape is {}, not ({},); store one strength per body", npy_shape(header.shape),
                       archive.count()));
  bodies.strengths = archive.values(*member, header, several ? 1 : 0);
  if (several && archive.count() > 0) part_strengths(bodies, header.shape[0]);  // of no bodies any number is claimed
}

// Nothing that is no array of numbers is needed here: it is passed over, whatever it is.
std::optional<NpyHeader> readable_header(const Archive& archive, const ZipMember& member) {
  if (!member.readable()) return std::nullopt;
  try {
    const NpyHeader header = archive.header(member);
    if (header.decodable()) return header;
  } catch (const Error&) {
  }
  return std::nullopt;
}

void take_velocities(const std::vector<double>& velocities, Bodies& bodies) {
  for (std::size_t c = 0; c < 3; ++c) {
    Column column{std::string(1, 'v') + "xyz"[c], std::vector<double>(velocities.size() / 3)};
    for (std::size_t i = 0; i < column.values.size(); ++i) column.values[i] = velocities[3 * i + c];
    bodies.extra.push_back(std::move(column));
  }
}

void take_other(Archive& archive, const ZipMember& member, Bodies& bodies) {
  if (member.name.ends_with('/')) return;  // a folder
  const std::string name = array_name(member.name);
  const auto header = readable_header(archive, member);
  const std::int64_t n = archive.count();
  const bool one_each = header && header->shape == Shape{n};
  if (archive.origin().reading.densities && archive.find("potential") && is_further_result(name)) return;
  if (name == "dipoles" && archive.origin().reading.densities) return take_dipoles(archive, member, bodies);
  if (one_each && name == "potential") {
    bodies.reference_potential = archive.values(member, *header);
  } else if (header && name == "gradient" && header->shape == Shape{n, 3}) {
    bodies.reference_gradient = archive.values(member, *header);
  } else if (header && name == "hessian" && header->shape == Shape{n, 6}) {
    bodies.reference_hessian = archive.values(member, *header);
  } else if (header && name == "velocities" && header->shape == Shape{n, 3}) {
    take_velocities(archive.values(member, *header), bodies);
  } else if (header && header->shape.empty()) {
    bodies.numbers.emplace_back(name, archive.values(member, *header, Archive::of_all).at(0));
  } else if (one_each) {
    bodies.extra.push_back({name, archive.values(member, *header)});
  } else {
    bodies.warnings.push_back(fmt::format("{} {} is not a list of {} numbers and is not carried through.",
                                          member.name == name ? "Member" : "Array", shown(name), n));
  }
}

}  // namespace

Bodies read_npy(const Origin& origin, std::string_view bytes) {
  const NpyPlace place{origin.path, ""};
  const NpyHeader header = read_npy_header(place, bytes);
  require_decodable(place, header);
  const bool with_strengths = is_table(header.shape, 4);
  if (!with_strengths && !is_table(header.shape, 3))
    refuse(origin.path, "header",
           fmt::format("its shape is {}; store (N,3) for positions or (N,4) for x, y, z, strength",
                       npy_shape(header.shape)));
  const Rows rows = rows_of(origin.part, header.shape[0]);
  const auto n = static_cast<std::size_t>(rows.end - rows.begin);
  std::vector<double> values = read_npy_values(place, header, bytes, {0, rows.begin, rows.end});
  Bodies bodies;
  if (origin.in_parts()) bodies.whole = header.shape[0];
  bodies.single = header.kind == 'f' && header.width == 4;
  bodies.description =
      fmt::format("npy, {} bodies, {}", header.shape[0], with_strengths ? "x y z strength" : "unit strengths");
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
  Archive archive(origin, bytes);
  Bodies bodies;
  take_positions(archive, bodies);
  take_strengths(archive, bodies);
  const ZipMember* const strengths = strengths_of(archive);
  for (const ZipMember& member : archive.members())
    if (array_name(member.name) != "positions" && &member != strengths) take_other(archive, member, bodies);
  bodies.description = fmt::format("npz, {} bodies", archive.count());
  return bodies;
}

}  // namespace farfield::io
