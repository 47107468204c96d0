// Real systems: charges and masses whose potentials and fields others computed, and two galaxies.
#include <filesystem>

#include "io/bodies.hpp"
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

std::string data_file(const std::string& file) { return FARFIELD_TEST_DATA "/" + file; }

Cloud cloud_of(const std::string& label, const io::Bodies& bodies) {
  Cloud cloud;
  cloud.label = label;
  cloud.sources = bodies.positions;
  cloud.strengths = bodies.strengths;
  return cloud;
}

/// The file's own values as the truth, at all targets.
double error_against(const std::vector<double>& computed, const std::vector<double>& reference, std::size_t width) {
  const std::vector<long double> truth(reference.begin(), reference.end());
  const auto count = static_cast<std::int64_t>(reference.size() / width);
  return relative_error(computed, truth, sample_of(count, count), width);
}

void expect_reference_is_met(const std::string& label, const io::Bodies& bodies, double tolerance) {
  const Result<double> r = evaluate<double>(points(bodies.positions), bodies.strengths, fmm_options(tolerance));
  Outcome o;
  o.potential = error_against(r.potential, bodies.reference_potential, 1);
  o.gradient = error_against(r.gradient, bodies.reference_gradient, 3);
  o.report = r.report;
  print_row(cloud_of(label, bodies), o);
  EXPECT_LE(o.worst(), slack * tolerance + printed_reference) << label;
  EXPECT_GT(r.report.far_fraction, least_far_fraction) << label;
}

class ScaFaCoS : public ::testing::TestWithParam<const char*> {};

TEST_P(ScaFaCoS, PotentialsAndFieldsOfOthersAreMet) {
  const std::string path = data_file(std::string("scafacos/") + GetParam() + ".xml.gz");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there (FARFIELD_TEST_DATA)";
  const io::Bodies bodies = io::read(path);
  ASSERT_FALSE(bodies.reference_potential.empty());
  ASSERT_FALSE(bodies.reference_gradient.empty());
  print_header(bodies.description);
  for (const double t : decades(first_decade, last_decade)) expect_reference_is_met(GetParam(), bodies, t);
}

TEST_P(ScaFaCoS, DirectSumsOfOthersAreMet) {
  const std::string path = data_file(std::string("scafacos/") + GetParam() + ".xml.gz");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there (FARFIELD_TEST_DATA)";
  const io::Bodies bodies = io::read(path);
  Options o;
  o.gradient = true;
  const Result<double> r = direct_sum<double>(points(bodies.positions), bodies.strengths, points(bodies.positions), o);
  EXPECT_LE(error_against(r.potential, bodies.reference_potential, 1), printed_reference);
  EXPECT_LE(error_against(r.gradient, bodies.reference_gradient, 3), printed_reference);
}

INSTANTIATE_TEST_SUITE_P(Files, ScaFaCoS,
                         ::testing::Values("nonperiodic_silica_melt_12960", "nonperiodic_SMBH-00132_10k"),
                         [](const auto& test) { return std::string(test.param).substr(12, 4); });

TEST(Gadget, GalaxiesKeepThePromise) {
  const std::string path = data_file("galaxy_littleendian.dat");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there (FARFIELD_TEST_DATA)";
  const io::Bodies bodies = io::read(path);
  const Cloud cloud = cloud_of("galaxies", bodies);
  EXPECT_EQ(cloud.count(), 60'000);
  print_header(bodies.description);
  for (const double t : {1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) expect_promise(cloud, fmm_options(t));
}

}  // namespace
}  // namespace farfield::testing
