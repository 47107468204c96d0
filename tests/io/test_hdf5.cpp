// Snapshots of GADGET in HDF5: ours read again, files as other programs write them, and what is no snapshot.
#include <filesystem>

#include "files.hpp"
#include "io/hdf5/handle.hpp"
#include "io/snapshot.hpp"

namespace farfield::io {
namespace {
using testing::content_of;
using testing::expect_refusal;
using testing::Folder;
using Values = std::vector<double>;

/// A file in the making, by another hand than ours: float32 numbers, 32-bit counts.
struct Made {
  Handle file;
  explicit Made(const std::string& path)
      : file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose) {}
  Handle group(const char* name) const {
    return {H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose};
  }
  template <class T>
  static void attribute(const Handle& group, const char* name, hid_t type, const std::vector<T>& values) {
    const hsize_t count = values.size();
    const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const Handle made(H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    H5Awrite(made, type, values.data());
  }
  static void set(const Handle& group, const char* name, const std::vector<float>& values, hsize_t width) {
    const hsize_t shape[] = {values.size() / width, width};
    const Handle space(H5Screate_simple(width == 1 ? 1 : 2, shape, nullptr), H5Sclose);
    const Handle made(H5Dcreate2(group, name, H5T_IEEE_F32BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    H5Dwrite(made, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
};

/// Two halo bodies of mass 0.5, by the header, and a disc body of mass 2.
std::string put_snapshot(const std::string& path, const std::vector<int>& counts = {0, 2, 1, 0, 0, 0}, int files = 1) {
  const Made made(path);
  const Handle header = made.group("Header"), halo = made.group("PartType1"), disc = made.group("PartType2");
  Made::attribute(header, "NumPart_ThisFile", H5T_NATIVE_INT, counts);
  Made::attribute(header, "MassTable", H5T_NATIVE_DOUBLE, Values{0, 0.5, 0, 0, 0, 0});
  Made::attribute(header, "NumFilesPerSnapshot", H5T_NATIVE_INT, std::vector<int>{files});
  Made::attribute(header, "Time", H5T_NATIVE_DOUBLE, Values{1.5});
  Made::set(halo, "Coordinates", {1, 2, 3, 4, 5, 6}, 3);
  Made::set(halo, "Velocities", {-1, -2, -3, -4, -5, -6}, 3);
  Made::set(disc, "Coordinates", {7, 8, 9}, 3);
  Made::set(disc, "Velocities", {-7, -8, -9}, 3);
  Made::set(disc, "Masses", {2}, 1);
  return path;
}

TEST(Hdf5, ReadsWhatOthersWrite) {
  const Folder folder;
  const Bodies bodies = read(put_snapshot(folder / "s.hdf5"));
  EXPECT_EQ(bodies.positions, (Values{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(bodies.strengths, (Values{0.5, 0.5, 2}));
  EXPECT_EQ(velocities_of(bodies), (Values{-1, -2, -3, -4, -5, -6, -7, -8, -9}));
  EXPECT_TRUE(bodies.single);
  EXPECT_EQ(bodies.numbers, (Numbers{{"time", 1.5}}));
  const auto others = other_columns(bodies);
  ASSERT_EQ(others.size(), 1u);  // there are no identifiers
  EXPECT_EQ(*others[0].values, (Values{1, 1, 2}));
}

TEST(Hdf5, ReadsWhatItWritesByType) {
  const Folder folder;
  Bodies bodies;
  bodies.positions = Values(9);
  bodies.extra = {{"type", {2, 0, 2}}, {"id", {30, 10, 20}}};
  const Values positions{0.1, 2, 3, 4, 1.0 / 3, 6, 7, 8, 9}, velocities{1, 2, 3, 4, 5, 6, 7, 8, 9e-300},
      masses{1, 2, 3};
  write_gadget_hdf5(folder / "s.hdf5", {&bodies, &positions, &velocities, &masses, nullptr, {{"time", 0.25}}});
  EXPECT_EQ(folder.files(), 1u);
  const Bodies back = read(folder / "s.hdf5");
  EXPECT_EQ(back.positions, (Values{4, 1.0 / 3, 6, 0.1, 2, 3, 7, 8, 9}));  // the gas comes first
  EXPECT_EQ(velocities_of(back), (Values{4, 5, 6, 1, 2, 3, 7, 8, 9e-300}));
  EXPECT_EQ(back.strengths, (Values{2, 1, 3}));
  EXPECT_EQ(*other_columns(back)[0].values, (Values{10, 30, 20}));
  EXPECT_EQ(*other_columns(back)[1].values, (Values{0, 2, 2}));
  EXPECT_EQ(back.numbers, (Numbers{{"time", 0.25}}));
  EXPECT_FALSE(back.single);
  const std::string first = content_of(folder / "s.hdf5");
  write_gadget_hdf5(folder / "s.hdf5", {&bodies, &positions, &velocities, &masses, nullptr, {{"time", 0.25}}});
  EXPECT_EQ(content_of(folder / "s.hdf5"), first) << "the same bodies give another file";
}

TEST(Hdf5, RefusesWhatCannotBe) {
  const Folder folder;
  expect_refusal(put_snapshot(folder / "a.hdf5", {0, 3, 1, 0, 0, 0}), "its shape is not (3, 3)");
  expect_refusal(put_snapshot(folder / "b.hdf5", {0, 2, 1, 4, 0, 0}), "PartType3: its bodies have no Coordinates");
  expect_refusal(put_snapshot(folder / "c.hdf5", {0, 2000000000, 1, 0, 0, 0}), "more bodies than the file can hold");
  expect_refusal(put_snapshot(folder / "d.hdf5", {0, -2, 1, 0, 0, 0}), "more bodies than the file can hold");
  expect_refusal(put_snapshot(folder / "e.hdf5", {0, 2, 1, 0, 0, 0}, 4), "one of 4 files");
  { const Made made(folder / "f.hdf5"); }
  expect_refusal(folder / "f.hdf5", "without a group Header");
  const std::string whole = content_of(put_snapshot(folder / "g.hdf5"));
  for (std::size_t size = 8; size < whole.size(); size += 61)  // cut short: refused, without a word of libhdf5
    expect_refusal(folder.put("cut.hdf5", whole.substr(0, size)), "HDF5");
}

}  // namespace
}  // namespace farfield::io
