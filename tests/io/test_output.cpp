#include "files.hpp"
#include "io/output.hpp"
#include "io/results.hpp"

namespace farfield::io {
namespace {
using testing::expect_error;
using testing::expect_refusal;
using testing::Folder;

TEST(Output, LeavesNothingWithoutCommit) {
  const Folder folder;
  folder.put("a.csv", "old");
  {
    Output out(folder / "a.csv");
    out.write("new");
  }
  EXPECT_EQ(testing::content_of(folder / "a.csv"), "old");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Output, ReplacesOnCommit) {
  const Folder folder;
  folder.put("a.csv", "old");
  Output out(folder / "a.csv");
  out.write("new");
  out.commit();
  EXPECT_EQ(testing::content_of(folder / "a.csv"), "new");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Output, RefusesWhereItCannotWrite) {
  const Folder folder;
  const Bodies none;
  expect_error(ErrorCode::output, "cannot be written", [&] { write(folder / "no/such/folder.npz", {&none}); });
  std::filesystem::create_directory(folder / "a.npz");
  expect_error(ErrorCode::output, "directory", [&] { write(folder / "a.npz", {&none}); });
  expect_error(ErrorCode::usage, ".npz or .csv", [&] { write(folder / "a.xyz", {&none}); });
}

TEST(Output, NoticesAFullDevice) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "Skipped: this system has no /dev/full.";
  expect_error(ErrorCode::output, "/dev/full", [&] {
    Output out("/dev/full");
    out.write("text");
    out.commit();
  });
  EXPECT_TRUE(std::filesystem::exists("/dev/full"));
}

TEST(Read, RefusesWhatIsNoFile) {
  const Folder folder;
  expect_refusal(folder / "absent.csv", "no such file");
  expect_refusal(folder / ".", "directory");
  expect_refusal(folder.put("empty.npz", ""), "empty");
  expect_refusal(folder.put("a.dat", "text"), "256 bytes");
  expect_refusal(folder.put("a.unknown", "text"), "not recognised");
  expect_refusal(folder.put("a.h5", "\x89HDF\r\n"), "HDF5");
  expect_refusal(folder.put("a.xml.gz", "<scafacos_test/>"), "not gzip");
  expect_refusal("/dev/null", "not a regular file");
}

TEST(Read, UndoesGzipOfAnyFormat) {
  const Folder folder;
  EXPECT_EQ(read(testing::gzip("x,y,z,q\n1,2,3,4\n", folder / "a.csv.gz")).count(), 1);
}

}  // namespace
}  // namespace farfield::io
