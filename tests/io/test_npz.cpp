#include "files.hpp"
#include "io/npy.hpp"
#include "io/results.hpp"
#include "io/zip.hpp"

namespace farfield::io {
namespace {
using testing::bytes_of;
using testing::expect_refusal;
using testing::Folder;
using Values = std::vector<double>;

Bodies three_bodies() {
  Bodies bodies;
  bodies.positions = {0.1, 2, 3, 4, 5.5, 6, 7, 8, 9};
  bodies.strengths = {1, -2, 0.25};
  bodies.extra = {{"vx", {1, 2, 3}}, {"positions", {4, 5, 6}}};
  return bodies;
}

TEST(Npz, WritesWhatItReads) {
  const Folder folder;
  const Bodies bodies = three_bodies();
  const Values potential{1, 2, 3}, gradient{1, 2, 3, 4, 5, 6, 7, 8, 9};
  write(folder / "out.npz", {&bodies, &potential, &gradient});
  const Bodies back = read(folder / "out.npz");
  EXPECT_EQ(back.positions, bodies.positions);
  EXPECT_EQ(back.strengths, bodies.strengths);
  EXPECT_EQ(back.reference_potential, potential);
  EXPECT_EQ(back.reference_gradient, gradient);
  ASSERT_EQ(back.extra.size(), 2u);
  EXPECT_EQ(back.extra[0].name, "vx");
  EXPECT_EQ(back.extra[1].name, "positions_");
  EXPECT_EQ(back.extra[1].values, (Values{4, 5, 6}));
  EXPECT_FALSE(back.single);
}

TEST(Npz, KeepsSinglePositions) {
  const Folder folder;
  Bodies bodies = three_bodies();
  for (double& x : bodies.positions) x = static_cast<double>(static_cast<float>(x));
  bodies.single = true;
  write(folder / "out.npz", {&bodies});
  const Bodies back = read(folder / "out.npz");
  EXPECT_TRUE(back.single);
  EXPECT_EQ(back.positions, bodies.positions);
}

TEST(Npz, NoBodies) {
  const Folder folder;
  const Bodies none;
  write(folder / "out.npz", {&none});
  EXPECT_EQ(read(folder / "out.npz").count(), 0);
}

TEST(Npz, TargetsNeedNoStrengths) {
  const Folder folder;
  Bodies bodies = three_bodies();
  bodies.strengths.clear();
  write(folder / "out.npz", {&bodies});
  EXPECT_EQ(read_points(folder / "out.npz").count(), 3);
  expect_refusal(folder / "out.npz", "no array strengths");
}

// Archives by hand, member by member.
std::string archive(const Folder& folder, const std::vector<std::pair<std::string, std::string>>& members,
                    std::uint64_t zip64_from = ZipWriter::reach_of_32_bits) {
  const std::string path = folder / "made.npz";
  Output out(path);
  ZipWriter zip(out, zip64_from);
  for (const auto& [name, content] : members) zip.add(name, content, {});
  zip.finish();
  out.commit();
  return path;
}

std::string array(const std::vector<std::int64_t>& shape, const Values& values) {
  return npy_header("f8", shape) + bytes_of(values);
}

TEST(Npz, ReadsSixtyFourBitArchives) {
  const Folder folder;
  for (const std::uint64_t from : {0, 100, 250}) {
    const auto path =
        archive(folder, {{"positions.npy", array({1, 3}, {1, 2, 3})}, {"strengths.npy", array({1}, {4})}}, from);
    EXPECT_EQ(read(path).positions, (Values{1, 2, 3}));
    EXPECT_EQ(read(path).strengths, Values{4});
  }
}

TEST(Npz, PassesOverWhatIsNoColumn) {
  const Folder folder;
  const auto path = archive(folder, {{"positions.npy", array({1, 3}, {1, 2, 3})},
                                     {"strengths.npy", array({1}, {4})},
                                     {"box.npy", array({3}, {1, 1, 1})},
                                     {"name.npy", testing::npy(testing::npy_dict("<U3", "()"), std::string(12, 'x'))}});
  EXPECT_EQ(read(path).warnings.size(), 2u);
}

TEST(Npz, RefusesWrongMembers) {
  const Folder folder;
  const auto positions = array({2, 3}, {1, 2, 3, 4, 5, 6});
  expect_refusal(archive(folder, {{"pos.npy", positions}}), "no array positions");
  expect_refusal(archive(folder, {{"positions.npy", positions}, {"strengths.npy", array({3}, {1, 2, 3})}}),
                 "member 'strengths.npy': its shape is (3,), not (2,)");
  expect_refusal(archive(folder, {{"positions.npy", array({6}, {1, 2, 3, 4, 5, 6})}}), "its shape is (6,), not (N, 3)");
  expect_refusal(archive(folder, {{"positions.npy", "text"}}), "member 'positions.npy'");
  expect_refusal(archive(folder, {{"positions.npy", positions}, {"positions.npy", positions}}), "occurs twice");
  expect_refusal(archive(folder, {}), "no array positions");
}

TEST(Npz, NoticesDamage) {
  const Folder folder;
  auto content = testing::content_of(
      archive(folder, {{"positions.npy", array({1, 3}, {1, 2, 3})}, {"strengths.npy", array({1}, {4})}}));
  const auto inside = content.find("\xf0?");  // the number 1
  ASSERT_NE(inside, content.npos);
  content[inside] = 'x';
  expect_refusal(folder.put("bad.npz", content), "checksum is wrong");
  expect_refusal(folder.put("bad.npz", "PK\x03\x04 and no more"), "no directory");
}

TEST(Npz, ReadsDeflatedMembers) {
  const Folder folder;
  const std::string text = array({1, 3}, {1, 2, 3}), more = array({1}, {4});
  const auto deflated = [](const std::string& plain) {
    std::string packed(plain.size() + 64, '\0');
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
  };
  // The packed bytes are stored as they are; then method, checksum and size are set in the directory.
  std::string content =
      testing::content_of(archive(folder, {{"positions.npy", deflated(text)}, {"strengths.npy", deflated(more)}}));
  std::size_t entry = 0;
  for (const std::string& plain : {text, more}) {
    entry = content.find("PK\x01\x02", entry + 1);
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(plain.data()), static_cast<uInt>(plain.size()));
    const std::vector<std::uint32_t> numbers{static_cast<std::uint32_t>(crc), static_cast<std::uint32_t>(plain.size())};
    content[entry + 10] = 8;
    for (int byte = 0; byte < 4; ++byte) {
      content[entry + 16 + byte] = static_cast<char>(numbers[0] >> (8 * byte));
      content[entry + 24 + byte] = static_cast<char>(numbers[1] >> (8 * byte));
    }
  }
  const auto bodies = read(folder.put("deflated.npz", content));
  EXPECT_EQ(bodies.positions, (Values{1, 2, 3}));
  EXPECT_EQ(bodies.strengths, Values{4});
  content[entry + 27] = 0x7f;  // two gigabytes out of a few bytes
  expect_refusal(folder.put("bomb.npz", content), "cannot unpack");
}

}  // namespace
}  // namespace farfield::io
