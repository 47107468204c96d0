#include <numeric>

#include "files.hpp"

namespace farfield::io {
namespace testing {

namespace {
template <class T>
std::string record(const std::vector<T>& values, bool swap) {
  const std::string frame =
      bytes_of(std::vector<std::uint32_t>{static_cast<std::uint32_t>(values.size() * sizeof(T))}, swap);
  return frame + bytes_of(values, swap) + frame;
}

std::vector<std::string> gadget_records(bool swap) {
  std::string header = bytes_of(std::vector<std::uint32_t>{0, 2, 1, 0, 0, 0}, swap);
  header += bytes_of(std::vector<double>{0, 0.5, 0, 0, 0, 0}, swap);
  header.resize(256);
  const std::string frame = bytes_of(std::vector<std::uint32_t>{256}, swap);
  return {frame + header + frame, record(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9}, swap),
          record(std::vector<float>{-1, -2, -3, -4, -5, -6, -7, -8, -9}, swap),
          record(std::vector<std::uint32_t>{10, 20, 30}, swap), record(std::vector<float>{2}, swap)};
}
}  // namespace

std::string gadget_snapshot(bool swap) {
  std::string snapshot;
  for (const std::string& part : gadget_records(swap)) snapshot += part;
  return snapshot;
}

/// The same in format 2: before each record its label and the length of what follows it.
std::string labelled_snapshot(bool swap) {
  const char* const labels[] = {"HEAD", "POS ", "VEL ", "ID  ", "MASS"};
  std::string snapshot;
  std::size_t at = 0;
  for (const std::string& part : gadget_records(swap)) {
    const std::string frame = bytes_of(std::vector<std::uint32_t>{8}, swap);
    snapshot +=
        frame + labels[at++] + bytes_of(std::vector<std::uint32_t>{static_cast<std::uint32_t>(part.size())}, swap);
    snapshot += frame + part;
  }
  return snapshot;
}
}  // namespace testing

namespace {
using testing::expect_refusal;
using testing::Folder;
using Values = std::vector<double>;

TEST(Gadget, ReadsBothByteOrders) {
  const Folder folder;
  for (const bool swap : {false, true}) {
    const Bodies bodies = read(folder.put("snapshot.dat", testing::gadget_snapshot(swap)));
    EXPECT_EQ(bodies.positions, (Values{1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(bodies.strengths, (Values{0.5, 0.5, 2}));
    EXPECT_TRUE(bodies.single);
    ASSERT_EQ(bodies.extra.size(), 5u);
    EXPECT_EQ(bodies.extra[2].name, "vz");
    EXPECT_EQ(bodies.extra[2].values, (Values{-3, -6, -9}));
    EXPECT_EQ(bodies.extra[3].values, (Values{10, 20, 30}));
    EXPECT_EQ(bodies.extra[4].values, (Values{1, 1, 2}));
    EXPECT_NE(bodies.description.find("2 halo, 1 disc"), std::string::npos) << bodies.description;
  }
}

TEST(Gadget, FormatTwoIsFormatOneWithLabels) {
  const Folder folder;
  for (const bool swap : {false, true}) {
    const Bodies one = read(folder.put("one.dat", testing::gadget_snapshot(swap)));
    const Bodies two = read(folder.put("two.dat", testing::labelled_snapshot(swap)));
    EXPECT_EQ(two.positions, one.positions);
    EXPECT_EQ(two.strengths, one.strengths);
    ASSERT_EQ(two.extra.size(), one.extra.size());
    for (std::size_t c = 0; c < one.extra.size(); ++c) EXPECT_EQ(two.extra[c].values, one.extra[c].values);
    EXPECT_NE(two.description.find("GADGET-2 snapshot, 3 bodies"), std::string::npos) << two.description;
  }
}

TEST(Gadget, RefusesWhatCannotBe) {
  const Folder folder;
  const std::string good = testing::gadget_snapshot(false);
  const auto refused = [&](std::size_t at, const std::string& bytes, const char* part) {
    std::string bad = good;
    bad.replace(at, bytes.size(), bytes);
    expect_refusal(folder.put("bad.dat", bad), part);
  };
  refused(0, "abcd", "begins with a record of 256 bytes");
  refused(4, "\xff\xff\xff\x7f", "more than the file can hold");
  refused(260, "abcd", "the two lengths around the record of the header differ");
  refused(264, "\xff\xff\xff\xff", "ends within the record of positions");
  refused(4 + 8, std::string("\x02\0\0\0", 4), "the record of positions has 36 bytes where 48 or 96");
  refused(4 + 124, std::string("\x04\0\0\0", 4), "one of 4 files");
  expect_refusal(folder.put("two.dat", std::string("\x08\0\0\0HEAD\x08\x01\0\0\x08\0\0\0", 16)), "before the record");
  std::string other = testing::labelled_snapshot(false);
  other.replace(other.find("VEL "), 4, "ACCE");
  expect_refusal(folder.put("other.dat", other), "the record ACCE stands where velocities are due");
}

TEST(Gadget, ReadsTheExampleOfTwoGalaxies) {
  const auto path = testing::real_file("galaxy_littleendian.dat");
  if (path.empty()) GTEST_SKIP() << testing::no_real_files;
  const Bodies bodies = read(path);
  ASSERT_EQ(bodies.count(), 60000);
  // Six digits are stated for the total.
  EXPECT_NEAR(std::accumulate(bodies.strengths.begin(), bodies.strengths.end(), 0.0), 46.5039, 0.00005);
  // The stated extent is rounded to whole numbers.
  for (const double x : bodies.positions) ASSERT_TRUE(-191.5 <= x && x <= 192.5) << x;
}

}  // namespace
}  // namespace farfield::io
