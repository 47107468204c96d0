// Snapshots as GADGET-4 writes them in HDF5: bodies of one type in one group, numbers in double.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "farfield/error.hpp"
#include "io/hdf5/handle.hpp"
#include "io/output.hpp"
#include "io/snapshot.hpp"

namespace farfield::io {
namespace {

constexpr std::size_t types = 6, halo = 1;  // GADGET's; bodies without a type are of its dark halo
using Indices = std::vector<std::size_t>;

/// libhdf5 writes into memory, so that the file itself appears whole or not at all.
class Image {
 public:
  Image(const std::string& path, std::size_t expected) : path_(path) {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access, expected / 4 + (std::size_t{1} << 16), false);
    file_ = Handle(H5Fcreate("snapshot", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
    require(file_.good());
  }
  Handle group(const std::string& name) {
    Handle group(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    require(group.good());
    return group;
  }
  template <class T>
  void attribute(const Handle& group, const char* name, hid_t type, const std::vector<T>& values) {
    const hsize_t count = values.size();
    const Handle space(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose);
    const Handle attribute(H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    require(attribute.good() && H5Awrite(attribute, type, values.data()) >= 0);
  }
  template <class T>
  void set(const Handle& group, const char* name, hid_t type, const std::vector<T>& values, hsize_t width) {
    const std::array<hsize_t, 2> shape{values.size() / width, width};
    const Handle space(H5Screate_simple(width == 1 ? 1 : 2, shape.data(), nullptr), H5Sclose);
    const Handle settings(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(settings, false);  // the same bodies give the same file
    const Handle set(H5Dcreate2(group, name, type, space, H5P_DEFAULT, settings, H5P_DEFAULT), H5Dclose);
    require(set.good() && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  }
  void write() {
    H5Fflush(file_, H5F_SCOPE_GLOBAL);
    const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
    require(size > 0);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    require(H5Fget_file_image(file_, bytes.data(), bytes.size()) == size);
    Output out(path_);
    out.write(bytes);
    out.commit();
  }

 private:
  void require(bool good) const {
    if (!good) throw Error(ErrorCode::memory, path_ + ": libhdf5 has not enough memory for the snapshot; use npz.");
  }
  const std::string& path_;
  Handle file_;
};

std::array<Indices, types> by_type(const Snapshot& s) {
  const std::vector<double>* type = nullptr;
  for (const Named& column : other_columns(*s.bodies))
    if (column.name == "type") type = column.values;
  std::array<Indices, types> indices;
  for (std::size_t i = 0; i < s.masses->size(); ++i) {
    const double t = type ? (*type)[i] : halo;
    indices[t >= 0 && t < types ? static_cast<std::size_t>(t) : halo].push_back(i);
  }
  return indices;
}

std::vector<double> picked(const std::vector<double>& values, const Indices& indices, std::size_t width) {
  std::vector<double> some;
  some.reserve(width * indices.size());
  for (const std::size_t i : indices)
    for (std::size_t c = 0; c < width; ++c) some.push_back(values[width * i + c]);
  return some;
}

/// Of the file the bodies came from; else their places in it, from 1 on.
std::vector<std::uint64_t> ids_of(const Snapshot& s, const Indices& indices) {
  const std::vector<double>* id = nullptr;
  for (const Named& column : other_columns(*s.bodies))
    if (column.name == "id") id = column.values;
  std::vector<std::uint64_t> ids;
  for (const std::size_t i : indices)
    ids.push_back(id && (*id)[i] >= 0 && (*id)[i] < 0x1p53 ? static_cast<std::uint64_t>((*id)[i]) : i + 1);
  return ids;
}

void put_header(Image& image, const Snapshot& s, const std::array<Indices, types>& indices) {
  const Handle header = image.group("Header");
  std::vector<std::uint64_t> counts;
  for (const Indices& own : indices) counts.push_back(own.size());
  double time = 0;
  for (const auto& [name, value] : s.numbers)
    if (name == "time") time = value;
  image.attribute(header, "NumPart_ThisFile", H5T_NATIVE_UINT64, counts);
  image.attribute(header, "NumPart_Total", H5T_NATIVE_UINT64, counts);
  image.attribute(header, "MassTable", H5T_NATIVE_DOUBLE, std::vector<double>(types));
  image.attribute(header, "Time", H5T_NATIVE_DOUBLE, std::vector<double>{time});
  image.attribute(header, "Redshift", H5T_NATIVE_DOUBLE, std::vector<double>{0});
  image.attribute(header, "BoxSize", H5T_NATIVE_DOUBLE, std::vector<double>{0});
  image.attribute(header, "NumFilesPerSnapshot", H5T_NATIVE_INT, std::vector<int>{1});
}

}  // namespace

void write_gadget_hdf5(const std::string& path, const Snapshot& s) {
  const Quiet quiet;
  const std::array<Indices, types> indices = by_type(s);
  Image image(path, 64 * s.masses->size());
  put_header(image, s, indices);
  for (std::size_t type = 0; type < types; ++type) {
    const Indices& own = indices[type];
    if (own.empty()) continue;
    const Handle group = image.group(fmt::format("PartType{}", type));
    image.set(group, "Coordinates", H5T_NATIVE_DOUBLE, picked(*s.positions, own, 3), 3);
    image.set(group, "Velocities", H5T_NATIVE_DOUBLE, picked(*s.velocities, own, 3), 3);
    image.set(group, "Masses", H5T_NATIVE_DOUBLE, picked(*s.masses, own, 1), 1);
    image.set(group, "ParticleIDs", H5T_NATIVE_UINT64, ids_of(s, own), 1);
    if (s.potential) image.set(group, "Potential", H5T_NATIVE_DOUBLE, picked(*s.potential, own, 1), 1);
  }
  image.write();
}

bool has_hdf5() { return true; }

}  // namespace farfield::io
