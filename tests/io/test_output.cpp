#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "files.hpp"
#include "io/binary/bytes.hpp"
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
  expect_error(ErrorCode::usage, ".npz, .csv or .npy", [&] { write(folder / "a.xyz", {&none}); });
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
  expect_refusal("/dev/null", "neither a file nor a pipe");
}

TEST(Read, UndoesGzipOfAnyFormat) {
  const Folder folder;
  EXPECT_EQ(read(testing::gzip("x,y,z,q\n1,2,3,4\n", folder / "a.csv.gz")).count(), 1);
}

// A megabyte that unpacks to a gigabyte is refused before it has done so; 64 MiB are always unpacked.
TEST(Read, RefusesAGzipThatUnpacksWithoutEnd) {
  const Folder folder;
  const std::string row = "0,0,0,1\n";
  std::string table = "x,y,z,q\n";
  while (table.size() < always_unpacked - 1000) table += row;
  EXPECT_EQ(read(testing::gzip(table, folder / "good.csv.gz")).count(),
            static_cast<std::int64_t>((table.size() - 8) / row.size()));
  while (table.size() < 2 * always_unpacked) table += table.substr(8);
  const auto bomb = testing::gzip(table, folder / "bomb.csv.gz");
  ASSERT_LT(std::filesystem::file_size(bomb), std::size_t{1} << 20);
  expect_refusal(bomb, "unpacks to more than 100 times its size");
}

// Runs `action` while another thread writes `content` into the pipe `path`.
void with_pipe(const std::string& path, const std::string& content, const std::function<void()>& action) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << content; });
  action();
  writer.join();
}

TEST(Read, TellsTheFormatOfAPipeByItsContent) {
  const Folder folder;
  Bodies bodies;
  bodies.positions.assign(300000, 0.125);
  bodies.strengths.assign(100000, 1);
  write(folder / "a.npz", {&bodies});
  write(folder / "a.npy", {&bodies});
  int number = 0;
  for (const std::string& content :
       {testing::content_of(folder / "a.npz"), testing::content_of(folder / "a.npy"),
        testing::content_of(testing::gzip("x,y,z,q\n1,2,3,4\n", folder / "a.csv.gz")),
        std::string("x y z q\n1 2 3 4\n"), std::string("# made\nv 1 2 3\n"), std::string("1\n\nO 1 2 3\n"),
        testing::scafacos_document(), testing::gadget_snapshot(false)}) {
    const std::string path = folder / ("pipe" + std::to_string(number++));
    with_pipe(path, content, [&] { EXPECT_GT(read(path).count(), 0) << content.substr(0, 20); });
  }
  with_pipe(folder / "empty", "", [&] { expect_refusal(folder / "empty", "empty"); });
  with_pipe(folder / "text", "text", [&] { expect_refusal(folder / "text", "not recognised"); });
}

TEST(Read, TakesTheFormatThatIsAskedFor) {
  const Folder folder;
  Reading reading;
  reading.format = "csv";
  EXPECT_EQ(read(folder.put("a.obj", "x,y,z,q\n1,2,3,4\n"), reading).count(), 1);
  reading.format = "frog";
  expect_error(ErrorCode::usage, "no format 'frog' to read; it is one of csv, npy",
               [&] { read(folder / "a.obj", reading); });
}

TEST(Read, NamesTheFormatsOfOthers) {
  const Folder folder;
  const auto named = [&](const char* file, const std::string& content, const char* part) {
    expect_refusal(folder.put(file, content), part);
    expect_refusal(folder.put(file, content), "not read");
  };
  named("a.json", "{\"a\": 1}", "JSON");
  named("a.unknown", " [\n 1, 2]", "JSON");
  named("a.nc", "CDF\x01", "netCDF");
  named("a.pdb", "ATOM      1  N\n", "a PDB structure");
  named("a.vtk", "# vtk DataFile Version 3.0\n", "VTK");
  named("a.stl", "solid cow\n", "STL");
  named("a.csv.bz2", "BZh91AY", "compressed by bzip2");
  if (const auto path = testing::real_file("world-110m.json"); !path.empty()) expect_refusal(path, "JSON");
}

// What a process finds on its standard output, here a file; nothing else may come before or behind it.
TEST(Output, ADashIsStandardOutput) {
  const Folder folder;
  Bodies bodies;
  bodies.positions = {1, 2, 3};
  bodies.strengths = {4};
  std::fflush(stdout);
  const int saved = ::dup(STDOUT_FILENO), file = ::open((folder / "out").c_str(), O_CREAT | O_WRONLY, 0600);
  ::dup2(file, STDOUT_FILENO);
  write("-", {&bodies});
  write("-", {&bodies}, "npy");
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  ::close(file);
  const std::string table = "x,y,z,q\n1,2,3,4\n", content = testing::content_of(folder / "out");
  EXPECT_EQ(content.substr(0, table.size()), table);
  EXPECT_EQ(content.substr(table.size(), 6), "\x93NUMPY");
  EXPECT_EQ(folder.files(), 1u);
  expect_error(ErrorCode::usage, "no format 'frog' to write", [&] { write("-", {&bodies}, "frog"); });
}

TEST(Output, WritesThroughALinkToAPipe) {
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink(folder / "pipe", folder / "link.csv");
  std::string got;
  std::thread reader([&] { got = testing::content_of(folder / "pipe"); });
  const Bodies none;
  write(folder / "link.csv", {&none});
  reader.join();
  EXPECT_EQ(got, "x,y,z,q\n");
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
}

}  // namespace
}  // namespace farfield::io
