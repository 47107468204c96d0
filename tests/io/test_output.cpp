#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

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

std::string names_in(const Folder& folder) {
  std::string names;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "")) names += entry.path().filename().string();
  return names;
}

TEST(Temporary, IsGoneWithoutItsName) {
  for (const auto name : {Temporary::Name::if_needed, Temporary::Name::always}) {
    const Folder folder;
    folder.put("a.csv", "old");
    {
      const Temporary temporary(folder / "a.csv", name);
      ASSERT_GE(temporary.descriptor(), 0);
      ASSERT_EQ(::write(temporary.descriptor(), "new", 3), 3);
    }
    EXPECT_EQ(names_in(folder), "a.csv");
    EXPECT_EQ(testing::content_of(folder / "a.csv"), "old");
  }
}

TEST(Temporary, TakesThePlaceOfWhatWasThere) {
  for (const auto name : {Temporary::Name::if_needed, Temporary::Name::always})
    for (const bool there : {false, true}) {
      const Folder folder;
      if (there) folder.put("a.csv", "old");
      Temporary temporary(folder / "a.csv", name);
      ASSERT_EQ(::write(temporary.descriptor(), "new", 3), 3);
      EXPECT_TRUE(temporary.publish());
      EXPECT_EQ(names_in(folder), "a.csv");
      EXPECT_EQ(testing::content_of(folder / "a.csv"), "new");
    }
}

TEST(Temporary, IsGoneAfterASignalThatEndsTheProcess) {
  for (const auto name : {Temporary::Name::if_needed, Temporary::Name::always})
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      const Folder folder;
      const pid_t child = ::fork();
      if (child == 0) {
        std::signal(signal, SIG_DFL);
        const Temporary temporary(folder / "a.csv", name);
        std::raise(signal);
        ::_exit(0);
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;  // as the shell expects it
      EXPECT_EQ(names_in(folder), "") << signal;
    }
}

TEST(Temporary, IsNoLongerThanTheSystemAllows) {
  for (const auto name : {Temporary::Name::if_needed, Temporary::Name::always}) {
    const Folder folder;
    const std::string longest(255, 'n');
    Temporary temporary(folder / longest, name);
    EXPECT_TRUE(temporary.publish());
    EXPECT_EQ(names_in(folder), longest);
    EXPECT_LT(Temporary(folder / (longest + "n"), name).descriptor(), 0);
  }
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
