// GADGET snapshots in HDF5, as GADGET-2 to 4, AREPO and SWIFT write them: a group for each type of bodies.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "io/binary/bytes.hpp"
#include "io/formats.hpp"
#include "io/hdf5/handle.hpp"

namespace farfield::io {
namespace {

constexpr std::size_t most_types = 16;

class Snapshot5 {
 public:
  Snapshot5(const Origin& origin, std::string_view bytes) : origin_(origin) {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access, std::size_t{1} << 20, false);
    H5Pset_file_image(access, const_cast<char*>(bytes.data()), bytes.size());
    file_ = Handle(H5Fopen("snapshot", H5F_ACC_RDONLY, access), H5Fclose);
    if (!file_.good()) fail("", "this is HDF5 that libhdf5 cannot open; fetch or write the snapshot again");
    header_ = Handle(H5Gopen2(file_, "Header", H5P_DEFAULT), H5Gclose);
    if (!header_.good())
      fail(
          "",
          "this is HDF5 without a group Header, and so no snapshot of GADGET; convert it to csv (x,y,z,q), npy or npz");
  }
  [[noreturn]] void fail(const std::string& where, const std::string& what) const { refuse(origin_.path, where, what); }

  bool has(const std::string& group) const { return H5Lexists(file_, group.c_str(), H5P_DEFAULT) > 0; }

  /// An attribute of the header; none where it is missing or too long.
  std::vector<double> attribute(const char* name) const {
    const Handle attribute(H5Aopen(header_, name, H5P_DEFAULT), H5Aclose);
    if (!attribute.good()) return {};
    const Handle space(H5Aget_space(attribute), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (count < 0 || count > static_cast<hssize_t>(most_types)) return {};
    std::vector<double> values(static_cast<std::size_t>(count));
    return H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()) >= 0 ? values : std::vector<double>{};
  }
  double number(const char* name) const {
    const auto values = attribute(name);
    return values.size() == 1 ? values[0] : 0;
  }

  /// The array `name` (count, width) or (count,), appended to `values`; none where it is missing.
  std::optional<bool> append(const std::string& name, std::size_t count, std::size_t width,
                             std::vector<double>& values) {
    const std::string group = name.substr(0, name.find('/'));
    if (!has(group) || !has(name)) return std::nullopt;
    const Handle set(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle space(H5Dget_space(set), H5Sclose), type(H5Dget_type(set), H5Tclose);
    std::array<hsize_t, 2> shape{0, 1};
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1 || rank > 2 || H5Sget_simple_extent_dims(space, shape.data(), nullptr) < 0 || shape[0] != count ||
        shape[1] != width)
      fail(name, fmt::format("its shape is not ({}, {}); fetch or write the snapshot again", count, width));
    const std::size_t before = values.size();
    values.resize(before + count * width);
    if (count > 0 && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data() + before) < 0)
      fail(name, "its numbers cannot be read; fetch or write the snapshot again");
    return H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) == 4;
  }

  /// How many bodies each type has; refuses more than the file can hold.
  std::vector<std::size_t> counts() const {
    std::vector<std::size_t> counts;
    double all = 0;
    for (const double count : attribute("NumPart_ThisFile")) {
      all += count >= 0 ? count : 1e300;
      if (!(24 * all <= static_cast<double>(origin_.most_bytes)))
        fail("Header", "it promises more bodies than the file can hold; fetch or write the snapshot again");
      counts.push_back(static_cast<std::size_t>(count));
    }
    if (counts.empty()) fail("Header", "it does not say how many bodies there are (NumPart_ThisFile)");
    return counts;
  }

 private:
  const Origin& origin_;
  Handle file_, header_;
};

// Positions, velocities and identifiers of all types, one behind the other; complete lists alone are kept.
struct Parts {
  std::vector<double> velocities, ids, types;
};

void take_masses(Snapshot5& s, const std::string& group, std::size_t count, double of_all, Bodies& bodies) {
  if (of_all != 0) return void(bodies.strengths.insert(bodies.strengths.end(), count, of_all));
  if (!s.append(group + "/Masses", count, 1, bodies.strengths))
    s.fail(group, "its bodies have no mass, neither in the header nor one by one (Masses)");
}

void take_type(Snapshot5& s, std::size_t type, std::size_t count, double mass, Bodies& bodies, Parts& parts) {
  const std::string group = fmt::format("PartType{}", type);
  const auto single = s.append(group + "/Coordinates", count, 3, bodies.positions);
  if (!single) s.fail(group, "its bodies have no Coordinates; fetch or write the snapshot again");
  bodies.single = bodies.single && *single;
  take_masses(s, group, count, mass, bodies);
  s.append(group + "/Velocities", count, 3, parts.velocities);
  s.append(group + "/ParticleIDs", count, 1, parts.ids);
  parts.types.insert(parts.types.end(), count, static_cast<double>(type));
}

void add_columns(Parts parts, Bodies& bodies) {
  const auto n = static_cast<std::size_t>(bodies.count());
  if (parts.velocities.size() == 3 * n)
    for (std::size_t c = 0; c < 3; ++c) {
      Column column{std::string(1, 'v') + "xyz"[c], std::vector<double>(n)};
      for (std::size_t i = 0; i < n; ++i) column.values[i] = parts.velocities[3 * i + c];
      bodies.extra.push_back(std::move(column));
    }
  if (parts.ids.size() == n) bodies.extra.push_back({"id", std::move(parts.ids)});
  bodies.extra.push_back({"type", std::move(parts.types)});
}

void warn(const Snapshot5& s, Bodies& bodies) {
  if (s.number("BoxSize") > 0)
    bodies.warnings.push_back(
        fmt::format("The snapshot has a box of {:g} and may be periodic; it is summed as open.", s.number("BoxSize")));
  if (s.number("Redshift") != 0)
    bodies.warnings.emplace_back(
        "The snapshot is of an expanding universe; its comoving numbers are taken as they stand.");
}

}  // namespace

Bodies read_gadget_hdf5(const Origin& origin, std::string_view bytes) {
  const Quiet quiet;
  Snapshot5 s(origin, bytes);
  if (s.number("NumFilesPerSnapshot") > 1)
    s.fail("Header",
           fmt::format("this is one of {} files of a snapshot, which are not joined", s.number("NumFilesPerSnapshot")));
  const std::vector<std::size_t> counts = s.counts();
  std::vector<double> masses = s.attribute("MassTable");
  masses.resize(counts.size());
  Bodies bodies;
  bodies.single = true;
  Parts parts;
  for (std::size_t type = 0; type < counts.size(); ++type)
    if (counts[type] > 0) take_type(s, type, counts[type], masses[type], bodies, parts);
  add_columns(std::move(parts), bodies);
  bodies.description = fmt::format("GADGET snapshot in HDF5, {} bodies", bodies.count());
  bodies.numbers.emplace_back("time", s.number("Time"));
  warn(s, bodies);
  return bodies;
}

}  // namespace farfield::io
