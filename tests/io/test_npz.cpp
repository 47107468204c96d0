#include "archives.hpp"
#include "io/results.hpp"

namespace farfield::io {
namespace {
using testing::archive;
using testing::array;
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

TEST(Npz, AnyNumberOfDensitiesOfNoBodies) {
  const Folder folder;
  const std::string many = "1000000000000000000";
  const auto path =
      archive(folder, {{"positions.npy", array({0, 3}, {})},
                       {"strengths.npy", testing::npy(testing::npy_dict("<f8", "(" + many + ", 0)"), "")},
                       {"dipoles.npy", testing::npy(testing::npy_dict("<f8", "(" + many + ", 0, 3)"), "")}});
  Reading reading;
  reading.densities = true;
  EXPECT_EQ(read(path, reading).extra.size(), 3u);  // columns of one vector's dipoles
}

TEST(Npz, TargetsNeedNoStrengths) {
  const Folder folder;
  Bodies bodies = three_bodies();
  bodies.strengths.clear();
  write(folder / "out.npz", {&bodies});
  EXPECT_EQ(read_points(folder / "out.npz").count(), 3);
  expect_refusal(folder / "out.npz", "no array strengths");
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

// Only positions and strengths are needed: whatever else lies in the archive is passed over where it is no column.
TEST(Npz, PassesOverRecordsFoldersAndText) {
  const Folder folder;
  const std::string records =
      "{'descr': [('x]', '<f8'), (\"y'\", [('a', '<i4')])], 'fortran_order': False, 'shape': (1,), }";
  const std::string tuple = "{'descr': ('<f8', (2,)), 'fortran_order': False, 'shape': (1,), }";
  const auto path = archive(folder, {{"particles.npy", testing::npy(records, std::string(12, 'x'))},
                                     {"positions.npy", array({1, 3}, {1, 2, 3})},
                                     {"strengths.npy", array({1}, {4})},
                                     {"folder/", ""},
                                     {"README", "made by hand"},
                                     {"empty", ""},
                                     {"notes.npy", "no array"},
                                     {"object.npy", testing::npy(testing::npy_dict("|O", "(1,)"), "pickled")},
                                     {"tuple.npy", testing::npy(tuple, std::string(16, 'x'))},
                                     {"age.npy", array({1}, {7})}});
  const auto bodies = read(path);
  EXPECT_EQ(bodies.positions, (Values{1, 2, 3}));
  ASSERT_EQ(bodies.extra.size(), 1u);
  EXPECT_EQ(bodies.extra[0].name, "age");
  EXPECT_EQ(bodies.warnings.size(), 6u);  // all but the folder
  expect_refusal(archive(folder, {{"positions.npy", testing::npy(records, std::string(12, 'x'))}}),
                 "its shape is (1,)");
  expect_refusal(archive(folder, {{"positions.npy", array({1, 3}, {1, 2, 3})},
                                  {"strengths.npy", testing::npy(records, std::string(12, 'x'))}}),
                 "member 'strengths.npy': arrays of records are not read");
}

TEST(Npz, ReadsShortIntegersAndTruthValues) {
  const Folder folder;
  const auto one = [](const char* type, const std::string& bytes) {
    return testing::npy(testing::npy_dict(type, "(2,)"), bytes);
  };
  const auto bodies = read(archive(
      folder, {{"positions.npy", testing::npy(testing::npy_dict("|i1", "(2, 3)"), std::string("\1\2\3\4\5\xff", 6))},
               {"strengths.npy", one("|b1", std::string("\1\0", 2))},
               {"a.npy", one("<i2", std::string("\1\0\xff\xff", 4))},
               {"b.npy", one("|u1", std::string("\1\xff", 2))},
               {"c.npy", one(">u2", std::string("\0\1\xff\xff", 4))},
               {"d.npy", one("|b1", std::string("\0\1", 2))}}));
  EXPECT_EQ(bodies.positions, (Values{1, 2, 3, 4, 5, -1}));
  EXPECT_EQ(bodies.strengths, (Values{1, 0}));
  ASSERT_EQ(bodies.extra.size(), 4u);
  EXPECT_EQ(bodies.extra[0].values, (Values{1, -1}));
  EXPECT_EQ(bodies.extra[1].values, (Values{1, 255}));
  EXPECT_EQ(bodies.extra[2].values, (Values{1, 65535}));
  EXPECT_EQ(bodies.extra[3].values, (Values{0, 1}));
  EXPECT_TRUE(bodies.warnings.empty());
}

TEST(Npz, EmptyCloudHasItsResults) {
  const Folder folder;
  const Bodies none;
  const Values empty;
  const auto names = [&](const Results& results) {
    write(folder / "out.npz", results);
    std::vector<std::string> found;
    for (const ZipMember& member : list_zip("out.npz", testing::content_of(folder / "out.npz")))
      found.push_back(member.name);
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({&none, &empty}), (Names{"positions.npy", "strengths.npy", "potential.npy"}));
  EXPECT_EQ(names({&none, &empty, &empty}), (Names{"positions.npy", "strengths.npy", "potential.npy", "gradient.npy"}));
  EXPECT_EQ(read(folder / "out.npz").count(), 0);
}

// A search of all names for each name would take many minutes here.
TEST(Npz, ManyMembersTakeNoLonger) {
  const Folder folder;
  Bodies bodies;
  bodies.positions = {1, 2, 3};
  bodies.strengths = {4};
  for (int i = 0; i < 200000; ++i)
    bodies.extra.push_back({i % 2 ? "same" : std::to_string(i).append("c"), {double(i)}});
  write(folder / "many.npz", {&bodies});
  const auto back = read(folder / "many.npz");
  ASSERT_EQ(back.extra.size(), bodies.extra.size());
  EXPECT_EQ(back.extra.back().values, Values{199999});
}

TEST(Npz, RefusesMembersThatOverlap) {
  const Folder folder;
  auto content = testing::content_of(archive(folder, {{"positions.npy", array({100, 3}, Values(300))},
                                                      {"strengths.npy", array({100}, Values(100))},
                                                      {"age.npy", array({100}, Values(100))}}));
  const auto first = content.find("PK\x01\x02");
  for (auto entry = first; entry != content.npos; entry = content.find("PK\x01\x02", entry + 1))
    content.replace(entry + 20, 8, content, first + 20, 8);  // each as large as the first
  expect_refusal(folder.put("overlap.npz", content), "overlap");
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

std::string deflated(const std::string& plain) {
  std::string packed(compressBound(static_cast<uLong>(plain.size())), '\0');
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
}

// The packed bytes are stored as they are; then method, checksum and size are set in the directory.
std::string deflated_archive(const Folder& folder, const std::vector<std::pair<std::string, std::string>>& members) {
  auto packed = members;
  for (auto& [name, text] : packed) text = deflated(text);
  std::string content = testing::content_of(archive(folder, packed));
  std::size_t entry = 0;
  for (const auto& [name, plain] : members) {
    entry = content.find("PK\x01\x02", entry + 1);
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(plain.data()), static_cast<uInt>(plain.size()));
    const std::vector<std::uint32_t> numbers{static_cast<std::uint32_t>(crc), static_cast<std::uint32_t>(plain.size())};
    content[entry + 10] = 8;
    for (std::size_t byte = 0; byte < 4; ++byte) {
      content[entry + 16 + byte] = static_cast<char>(numbers[0] >> (8 * byte));
      content[entry + 24 + byte] = static_cast<char>(numbers[1] >> (8 * byte));
    }
  }
  return content;
}

TEST(Npz, ReadsDeflatedMembers) {
  const Folder folder;
  std::string content =
      deflated_archive(folder, {{"positions.npy", array({1, 3}, {1, 2, 3})}, {"strengths.npy", array({1}, {4})}});
  const auto bodies = read(folder.put("deflated.npz", content));
  EXPECT_EQ(bodies.positions, (Values{1, 2, 3}));
  EXPECT_EQ(bodies.strengths, Values{4});
  content[content.rfind("PK\x01\x02") + 27] = 0x7f;  // two gigabytes out of a few bytes
  expect_refusal(folder.put("bomb.npz", content), "does not go with its 2130706");
}

// What is not needed is not unpacked; what is needed may not be a hundred times larger than the archive.
TEST(Npz, DefusesBombs) {
  const Folder folder;
  const std::string zeros(std::size_t{150} << 20, '\0');
  const auto small = deflated_archive(
      folder, {{"positions.npy", array({1, 3}, {1, 2, 3})}, {"strengths.npy", array({1}, {4})}, {"big", zeros}});
  ASSERT_LT(small.size(), std::size_t{1} << 20);
  EXPECT_EQ(read(folder.put("small.npz", small)).count(), 1);
  const std::int64_t n = static_cast<std::int64_t>(zeros.size()) / 24;
  const auto positions = npy_header("f8", {n, 3}) + zeros.substr(0, static_cast<std::size_t>(24 * n));
  expect_refusal(folder.put("bomb.npz", deflated_archive(folder, {{"positions.npy", positions}})),
                 "unpacks to more than 100 times its size");
}

}  // namespace
}  // namespace farfield::io
