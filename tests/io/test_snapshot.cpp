// Bodies in motion: snapshots that are read again to the last bit, and what ParaView is given.
#include "files.hpp"
#include "io/results.hpp"
#include "io/snapshot.hpp"

namespace farfield::io {
namespace {
using testing::bytes_of;
using testing::content_of;
using testing::expect_error;
using testing::Folder;
using Values = std::vector<double>;

struct Moving {
  Bodies bodies;
  Values positions{0.1, 1e-300, 3, -4, 5, 6.02e23}, velocities{1.0 / 3, 2, 3, 4, 5, 6}, masses{0.5, 0.25},
      potential{-7, -8};
  Numbers numbers{{"time", 0.1}, {"step", 12}};

  Moving() {
    bodies.positions = Values(6);
    bodies.extra = {{"vx", {9, 9}}, {"type", {1, 2}}, {"Vy", {9, 9}}, {"vz", {9, 9}}, {"time", {3, 4}}};
  }
  Snapshot snapshot() const { return {&bodies, &positions, &velocities, &masses, &potential, numbers}; }
};

TEST(Snapshots, AreReadAgainToTheLastBit) {
  const Folder folder;
  const Moving moving;
  write_snapshot(folder / "s.npz", moving.snapshot());
  const Bodies back = read(folder / "s.npz");
  EXPECT_EQ(back.positions, moving.positions);
  EXPECT_EQ(back.strengths, moving.masses);
  EXPECT_EQ(velocities_of(back), moving.velocities);
  EXPECT_EQ(back.numbers, moving.numbers);
  const auto others = other_columns(back);
  ASSERT_EQ(others.size(), 2u);  // the old velocities are not among them, nor did a column take the name of a number
  EXPECT_EQ(others[0].name, "type");
  EXPECT_EQ(*others[0].values, (Values{1, 2}));
  EXPECT_EQ(others[1].name, "time_");
  EXPECT_TRUE(back.warnings.empty()) << back.warnings.front();
  EXPECT_EQ(folder.files(), 1u);
  expect_error(ErrorCode::output, "cannot be written", [&] { write_snapshot("/nowhere/s.npz", moving.snapshot()); });
}

TEST(Snapshots, VelocitiesNeedAllThreeColumns) {
  Bodies bodies;
  bodies.positions = {1, 2, 3};
  bodies.extra = {{"VX", {4}}, {"vy", {5}}};
  EXPECT_TRUE(velocities_of(bodies).empty());
  bodies.extra.push_back({"Vz", {6}});
  EXPECT_EQ(velocities_of(bodies), (Values{4, 5, 6}));
}

TEST(Snapshots, MassesAndChargesAreStrengths) {
  const Folder folder;
  const Moving moving;
  write_snapshot(folder / "s.npz", moving.snapshot());
  std::string charges = content_of(folder / "s.npz");
  for (auto at = charges.find("masses.npy"); at != charges.npos; at = charges.find("masses.npy", at + 1))
    charges.replace(at, 10, "chargd.npy");
  testing::expect_refusal(folder.put("c.npz", charges), "no array strengths (or masses, charges)");
  // An array of strengths comes first: masses beside it are a column.
  Bodies both;
  both.positions = {1, 2, 3}, both.strengths = {4}, both.extra = {{"energy", {5}}};
  write(folder / "both.npz", {&both});
  std::string renamed = content_of(folder / "both.npz");
  for (auto at = renamed.find("energy.npy"); at != renamed.npos; at = renamed.find("energy.npy", at + 1))
    renamed.replace(at, 10, "masses.npy");
  const Bodies back = read(folder.put("both.npz", renamed));
  EXPECT_EQ(back.strengths, Values{4});
  ASSERT_EQ(back.extra.size(), 1u);
  EXPECT_EQ(back.extra[0].values, Values{5});
}

// The arrays stand behind the XML, each after its length, where the XML says.
TEST(ParaView, ArraysStandWhereTheXmlSays) {
  const Folder folder;
  const Moving moving;
  write_vtp(folder / "s.vtp", moving.snapshot());
  const std::string file = content_of(folder / "s.vtp");
  const auto begin = file.find("encoding=\"raw\">\n_") + 17;
  const auto array = [&](const std::string& name) {
    const auto at = file.find("offset=\"", file.find("Name=\"" + name + "\"")) + 8;
    const auto start = begin + std::stoull(file.substr(at));
    std::uint64_t size = 0;
    std::memcpy(&size, file.data() + start, sizeof(size));
    return file.substr(start + sizeof(size), size);
  };
  EXPECT_EQ(array("positions"), bytes_of(moving.positions));
  EXPECT_EQ(array("velocity"), bytes_of(moving.velocities));
  EXPECT_EQ(array("mass"), bytes_of(moving.masses));
  EXPECT_EQ(array("potential"), bytes_of(moving.potential));
  EXPECT_EQ(array("type"), bytes_of(Values{1, 2}));
  EXPECT_EQ(array("connectivity"), bytes_of(std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(array("offsets"), bytes_of(std::vector<std::int64_t>{2}));
  EXPECT_NE(file.find("NumberOfPoints=\"2\" NumberOfVerts=\"1\""), std::string::npos);
  EXPECT_NE(file.find("Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">0.1<"), std::string::npos);
}

TEST(ParaView, AListOfFilesIsReadAgain) {
  const Folder folder;
  EXPECT_TRUE(read_pvd(folder / "none.pvd").empty());
  write_pvd(folder / "s.pvd", {{0, "a.vtp"}, {0.1, "b.vtp"}});
  const auto back = read_pvd(folder / "s.pvd");
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[1].time, 0.1);
  EXPECT_EQ(back[1].file, "b.vtp");
  expect_error(ErrorCode::input, "line 1: a DataSet lacks its timestep",
               [&] { read_pvd(folder.put("bad.pvd", "<VTKFile><DataSet file=\"a\"/></VTKFile>")); });
}

}  // namespace
}  // namespace farfield::io
