#include "files.hpp"

namespace farfield::io {
namespace testing {

std::string scafacos_document(const std::string& periodicity) {
  return "<?xml version=\"1.0\"?>\n<!DOCTYPE scafacos_test SYSTEM 'scafacos_test.dtd'>\n<!-- two > charges -->\n"
         "<scafacos_test name='pair' reference_method=\"direct\">\n  <configuration periodicity=\"" +
         periodicity +
         "\">\n    <duplicate times=\"1 1 1\"><particle position=\" 0 0 0\" q=\"+1\" potential=\"-0.5\" field='1 2 "
         "3'/>\n"
         "    <particle position=\"2 0 0\" q=\"-1\" potential=\"0.5\" field=\"4 5 6\"></particle></duplicate>\n"
         "  </configuration>\n</scafacos_test>";
}

}  // namespace testing

namespace {
using testing::expect_refusal;
using testing::Folder;
using Values = std::vector<double>;

TEST(Scafacos, ReadsChargesAndReferences) {
  const Folder folder;
  const Bodies bodies = read(folder.put("a.xml", testing::scafacos_document()));
  EXPECT_EQ(bodies.positions, (Values{0, 0, 0, 2, 0, 0}));
  EXPECT_EQ(bodies.strengths, (Values{1, -1}));
  EXPECT_EQ(bodies.reference_potential, (Values{-0.5, 0.5}));
  EXPECT_EQ(bodies.reference_gradient, (Values{-1, -2, -3, -4, -5, -6}));
  EXPECT_TRUE(bodies.warnings.empty());
}

TEST(Scafacos, ReadsGzip) {
  const Folder folder;
  const auto path = testing::gzip(testing::scafacos_document(), folder / "a.xml.gz");
  EXPECT_EQ(read(path).count(), 2);
  const std::string packed = testing::content_of(path);
  for (std::size_t length = 1; length < packed.size(); ++length)
    EXPECT_THROW(read(folder.put("cut.xml.gz", packed.substr(0, length))), Error) << length;
}

TEST(Scafacos, NamesThePeriodicAxes) {
  const Folder folder;
  const Bodies bodies = read(folder.put("a.xml", testing::scafacos_document("0 1 1")));
  EXPECT_TRUE(bodies.warnings.empty());
  EXPECT_FALSE(bodies.references_apply);  // to the open sum; a run with the file's cell compares them
  EXPECT_NE(bodies.description.find("periodic in yz"), std::string::npos) << bodies.description;
}

TEST(Scafacos, ReadsTheCell) {
  const Folder folder;
  const std::string text = testing::scafacos_document("0 1 1");
  const auto with = [&](const std::string& attributes) {
    return folder.put("a.xml", std::string(text).insert(text.find(" periodicity"), attributes));
  };
  const Bodies bodies = read(with(" offset='-1 -2 -3' box_a='4 0 0' box_b='2 2 0' box_c='2 2 2'"));
  EXPECT_EQ(bodies.cell, (Values{4, 0, 0, 2, 2, 0, 2, 2, 2}));
  EXPECT_EQ(bodies.periodic, (std::array<bool, 3>{false, true, true}));
  EXPECT_EQ(bodies.origin, (std::array<double, 3>{-1, -2, -3}));
  EXPECT_TRUE(read(with("")).cell.empty());
  expect_refusal(with(" box_a='4 0 0' box_b='2 2' box_c='2 2 2'"), "line 5: box_b=\"2 2\" is not 3 numbers");
}

TEST(Scafacos, ReadsTheFirstConfiguration) {
  const Folder folder;
  std::string text = testing::scafacos_document();
  text.insert(text.find("</scafacos_test>"), "<configuration><particle position='x'/></configuration>");
  const Bodies bodies = read(folder.put("a.xml", text));
  EXPECT_EQ(bodies.count(), 2);
  EXPECT_EQ(bodies.warnings.size(), 1u);
}

TEST(Scafacos, RefusesWithTheLine) {
  const Folder folder;
  const auto refused = [&](const std::string& from, const std::string& to, const char* part) {
    std::string text = testing::scafacos_document();
    text.replace(text.find(from), from.size(), to);
    expect_refusal(folder.put("bad.xml", text), part);
  };
  refused(" q=\"-1\"", "", "line 7: <particle> has no attribute q");
  refused("\"2 0 0\"", "\"2 0\"", "line 7: position=\"2 0\" is not 3 numbers");
  refused("\"2 0 0\"", "\"2 0 0 0\"", "more than 3 numbers");
  refused("\"2 0 0\"", "\"2 0 0x\"", "is not 3 numbers");
  refused("\"-1\"", "-1", "line 7: the value of q is not quoted");
  refused("</duplicate>", "</particle>", "line 7: </particle> closes what is not open");
  refused("times=\"1 1 1\"", "times=\"2 1 1\"", "line 6: duplicated particles");
  refused("<configuration", "<arrangement", "line 6: a <particle> stands outside");
  refused("<scafacos_test", "<html", "line 4: the document is <html>");
  refused("</scafacos_test>", "", "line 9: the file ends within <scafacos_test>");
}

struct Reference {
  const char* name;
  std::int64_t count;
  double energy;  // 0.5 sum q phi, as stated by those who made the file
};

class ScafacosReal : public ::testing::TestWithParam<Reference> {};

TEST_P(ScafacosReal, EnergyIsTheStatedOne) {
  const auto path = testing::real_file(std::string("scafacos/") + GetParam().name + ".xml.gz");
  if (path.empty()) GTEST_SKIP() << testing::no_real_files;
  const Bodies bodies = read(path);
  ASSERT_EQ(bodies.count(), GetParam().count);
  ASSERT_EQ(bodies.reference_potential.size(), bodies.strengths.size());
  ASSERT_EQ(bodies.reference_gradient.size(), bodies.positions.size());
  double energy = 0;
  for (std::size_t i = 0; i < bodies.strengths.size(); ++i)
    energy += 0.5 * bodies.strengths[i] * bodies.reference_potential[i];
  EXPECT_NEAR(energy / GetParam().energy, 1, 1e-8);  // ten or more digits are stated
}

INSTANTIATE_TEST_SUITE_P(Files, ScafacosReal,
                         ::testing::Values(Reference{"nonperiodic_silica_melt_12960", 12960, -16257.487379},
                                           Reference{"nonperiodic_SMBH-00132_10k", 10013, 6.80222153196e-07},
                                           Reference{"3d-periodic_silica_melt_12960", 12960, -16623.2460954},
                                           Reference{"3d-periodic_cloud_wall_300", 300, 148.943123577},
                                           Reference{"3d-periodic_neutral_tricl_228", 228, -2.855345735},
                                           Reference{"1d-periodic_silica_melt_12960", 12960, -16342.2051024}));

}  // namespace
}  // namespace farfield::io
