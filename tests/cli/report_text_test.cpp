#include <gtest/gtest.h>

#include <sstream>

#include "cli/report/text.hpp"

namespace farfield::cli {
namespace {

Computation example() {
  Computation c;
  c.sources.positions = {0, 0, 0, 1, 0, 0};
  c.sources.strengths = {1, 2};
  c.sources.description = "npz, 2 bodies";
  c.result.potential = {2, 1};
  Report& r = c.result.report;
  r.kernel = "laplace3d", r.method = "direct", r.backend = r.device = "cpu", r.simd = "avx2";
  r.tolerance = 1e-6, r.sources = r.targets = 2, r.threads = 1, r.near_pairs = 4;
  r.stages = {{"read", 1e-3, 0, true}, {"p2p", 3e-3, 80, false}};
  c.wall.plan = 1e-3, c.wall.evaluate = 4e-3;
  return c;
}

std::string described(const Computation& c, bool utf8 = false) {
  SumArguments arguments;
  arguments.input = "two.npz";
  return describe_run(arguments, c, {utf8, false});
}

TEST(ReportText, SaysWhatIsSummed) {
  EXPECT_NE(described(example()).find("u(x) = sum q_j/|x - y_j|, unsoftened, at the bodies"), std::string::npos);
  EXPECT_NE(described(example(), true).find("u(x) = Σ q_j / |x − y_j|"), std::string::npos);
  Computation scaled = example();
  scaled.result.report.scale = 0.5;
  EXPECT_NE(described(scaled).find("u(x) = 0.5 sum q_j"), std::string::npos);
}

TEST(ReportText, StatesTheKernel) {
  Computation planar = example();
  planar.result.report.kernel = "laplace2d";
  planar.result.report.gradient = true;
  EXPECT_NE(described(planar).find("u(x) = sum q_j (-log |x - y_j|) and its gradient, in the plane"),
            std::string::npos);
  EXPECT_EQ(described(planar).find("unsoftened"), std::string::npos);
}

TEST(ReportText, StatesTheScreening) {
  Computation screened = example();
  screened.result.report.kernel = "yukawa3d";
  screened.result.report.kappa = 2.5;
  EXPECT_NE(described(screened).find("u(x) = sum q_j exp(-2.5 |x - y_j|)/|x - y_j|, screened"), std::string::npos);
}

TEST(ReportText, StatesTheSoftening) {
  Computation softened = example();
  softened.result.report.softening = 0.05;
  EXPECT_NE(described(softened).find("u(x) = sum q_j/sqrt(|x - y_j|^2 + 0.05^2), softened, at the bodies"),
            std::string::npos);
  EXPECT_NE(described(softened, true).find("u(x) = Σ q_j / √(|x − y_j|² + 0.05²)"), std::string::npos);
  EXPECT_EQ(described(softened).find("unsoftened"), std::string::npos);
  softened.result.report.softening_kind = "spline";
  EXPECT_NE(described(softened).find("u(x) = sum q_j/|x - y_j|, softened by the spline of"), std::string::npos);
  softened.result.report.softening_varies = true;
  softened.result.report.least_softening = 0.02;
  EXPECT_NE(described(softened).find("u(x) = sum q_j/|x - y_j|, softened (spline) by lengths from 0.02 to"),
            std::string::npos);
}

TEST(ReportText, EnergyOnlyWhereTargetsAreSources) {
  EXPECT_NE(described(example()).find("q u = 2 (of masses with G = 1: -2)"), std::string::npos);
  Computation apart = example();
  apart.targets = apart.sources;
  EXPECT_EQ(described(apart).find("Energy"), std::string::npos);
}

TEST(ReportText, TheEnergyOfChargesIsThatOfCharges) {
  Computation c = example();
  c.sources.strengths = {1, -2};
  EXPECT_NE(described(c).find("q u = 0, the electrostatic energy of the charges"), std::string::npos);
  EXPECT_EQ(described(c).find("masses"), std::string::npos);
}

TEST(ReportText, ReferencesOfAnotherSumAreNotCompared) {
  Computation c = example();
  c.sources.reference_potential = {2, 2};
  EXPECT_NE(described(c).find("relative L2 difference"), std::string::npos);
  c.sources.references_apply = false;
  EXPECT_EQ(described(c).find("relative L2 difference"), std::string::npos);
}

TEST(ReportText, WhatIsNotWrittenTakesNoTime) {
  EXPECT_EQ(described(example()).find("written in"), std::string::npos);
  Computation c = example();
  c.written = {"a.npz"}, c.wall.write = 2;
  EXPECT_NE(described(c).find("written in 2 s"), std::string::npos);
}

TEST(ReportText, ASampleOfAllIsNotRandom) {
  Computation c = example();
  c.result.report.error = ErrorReport{};
  c.result.report.error->samples = 2;
  EXPECT_NE(described(c).find("on all 2 targets"), std::string::npos);
  c.result.report.error->samples = 1;
  EXPECT_NE(described(c).find("on 1 random target "), std::string::npos);
}

TEST(ReportText, FitsEveryWindow) {
  Computation c = example();
  c.sources.positions.resize(3 * 123'456);
  c.sources.description = "npz, 123456 bodies";
  Report& r = c.result.report;
  r.sources = r.targets = 123'456, r.gradient = true, r.method = "fmm", r.boxes = 1000, r.warnings = {"it is late"};
  r.choices = {{"pair arithmetic", "53 bits", "the full precision of double"},
               {"root", "14 boxes along the points at level 4", "since halving these makes leaves of about that size"}};
  r.error = ErrorReport{};
  r.error->samples = 1000, r.error->potential = 1;
  for (const int columns : {60, 66, 70, 79, 80, 100, 120}) {
    SumArguments arguments;
    arguments.input = "two.npz";
    std::istringstream lines(describe_run(arguments, c, {true, false, columns}));
    int widest = 0;
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(width_of(line), columns) << line;
      widest = std::max(widest, width_of(line));
    }
    EXPECT_GT(widest, columns >= 76 ? columns - 10 : 50) << columns;
  }
}

TEST(ReportText, TimesAreWrittenWithoutExponents) {
  Computation c = example();
  Report& r = c.result.report;
  r.method = "fmm", r.sources = r.targets = 100'000, r.pairs_per_second = 1'000'000;
  c.wall.plan = 1, c.wall.evaluate = 1;
  EXPECT_NE(described(c).find("times as long"), std::string::npos);
  EXPECT_NE(described(c).find("2.78 h, 5,000 times as long"), std::string::npos) << described(c);
  c.wall.evaluate = 3999;
  EXPECT_NE(described(c).find("2.78 h, 2.5 times as long"), std::string::npos) << described(c);
}

TEST(ReportText, WarningsAreMarked) {
  Computation c = example();
  c.result.report.warnings = {"the sum is ill-conditioned"};
  c.sources.warnings = {"periodic, summed as open"};
  EXPECT_NE(described(c).find("Warning     the sum is ill-conditioned"), std::string::npos);
  EXPECT_NE(described(c).find("warning: periodic, summed as open"), std::string::npos);
}

TEST(ReportText, AMissedAccuracyShouts) {
  Computation c = example();
  c.result.report.error = ErrorReport{};
  c.result.report.error->samples = 2;
  EXPECT_NE(described(c).find("pass"), std::string::npos);
  c.result.report.error->potential = 1;
  EXPECT_NE(described(c).find("MISSED"), std::string::npos);
}

TEST(ReportText, TimeThatNoStageClaimsIsShown) {
  EXPECT_NE(described(example()).find("other"), std::string::npos);
  EXPECT_NE(described(example()).find("near pairs, one by one"), std::string::npos);
}

}  // namespace
}  // namespace farfield::cli
