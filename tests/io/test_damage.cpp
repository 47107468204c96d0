// Files cut short and files with wrong bytes: refused with a sentence, or read, but never a crash.
#include <algorithm>

#include "files.hpp"
#include "io/generate/random.hpp"
#include "io/results.hpp"

namespace farfield::io {
namespace {
using testing::Folder;

struct Sample {
  std::string name, content;
  bool prefixes_may_read = false;  // a table cut at the end of a number is a table
};

std::vector<Sample> samples(const Folder& folder) {
  Bodies bodies;
  bodies.positions.assign(300, 0.125);
  bodies.strengths.assign(100, 1);
  bodies.extra = {{"id", std::vector<double>(100, 7)}};
  write(folder / "a.npz", {&bodies});
  write(folder / "a.csv", {&bodies});
  const auto zipped = testing::gzip(testing::scafacos_document(), folder / "a.xml.gz");
  return {{"cut.npz", testing::content_of(folder / "a.npz")},
          {"cut.csv", testing::content_of(folder / "a.csv"), true},
          {"cut.npy", testing::npy(testing::npy_dict("=f8", "(100, 3)"), testing::bytes_of(bodies.positions))},
          {"cut.dat", testing::gadget_snapshot(false)},
          {"big.dat", testing::gadget_snapshot(true)},
          {"cut.lmp", "title\n2 atoms\n0 1 xlo xhi\nAtoms # full\n\n1 1 1 0.5 1 2 3\n2 1 1 -0.5 1 2 3\n", true},
          {"cut.xml", testing::scafacos_document()},
          {"cut.xml.gz", testing::content_of(zipped)}};
}

// True where the file reads; an Error must be about input and one line.
bool reads(const std::string& path, const std::string& context) {
  try {
    read(path);
    return true;
  } catch (const Error& error) {
    const std::string sentence = error.what();
    EXPECT_TRUE(error.code() == ErrorCode::input) << context << ": " << sentence;
    EXPECT_TRUE(sentence.ends_with('.')) << sentence;
    EXPECT_TRUE(sentence.starts_with(path)) << sentence;
  }
  return false;
}

TEST(Damage, FilesCutShortAreRefused) {
  const Folder folder;
  for (const Sample& sample : samples(folder)) {
    const std::size_t size = sample.content.size(), step = std::max<std::size_t>(1, size / 200);
    ASSERT_TRUE(reads(folder.put(sample.name, sample.content), sample.name)) << sample.name;
    for (std::size_t length = 0; length<size; length = length + 16> size ? length + 1 : length + step) {
      const bool read_it = reads(folder.put(sample.name, sample.content.substr(0, length)), sample.name);
      EXPECT_TRUE(!read_it || sample.prefixes_may_read) << sample.name << " cut to " << length << " of " << size;
    }
  }
}

TEST(Damage, WrongBytesNeverCrash) {
  const Folder folder;
  constexpr std::uint64_t seed = 20240611;
  RecordProperty("seed", static_cast<int>(seed));
  Random random(seed);
  for (const Sample& sample : samples(folder)) {
    for (int trial = 0; trial < 400; ++trial) {
      std::string bad = sample.content;
      // Headers are short: half of the trials keep to the first bytes, where sizes and types stand.
      const std::size_t reach = trial % 2 ? std::min<std::size_t>(bad.size(), 200) : bad.size();
      for (int change = 0; change <= trial % 3; ++change) bad[random.bits() % reach] = static_cast<char>(random.bits());
      reads(folder.put(sample.name, bad),
            sample.name + ", seed " + std::to_string(seed) + ", trial " + std::to_string(trial));
    }
  }
}

}  // namespace
}  // namespace farfield::io
