#include <gtest/gtest.h>

#include <farfield/error.hpp>
#include <limits>

#include "cli/report/json.hpp"

namespace farfield::cli {
namespace {

Report full_report() {
  Report r;
  r.kernel = "laplace3d", r.method = "fmm", r.tolerance = 1e-6, r.gradient = true;
  r.sources = 3'000'000'000, r.targets = 7, r.softening = 0.25, r.softening_kind = "spline";
  r.stages = {{"keys", 0.5, 0, true}, {"p2p", 2, 1e9, false}};
  r.choices = {{"degree", "17", "smallest"}};
  r.warnings = {"the sum is ill-conditioned"};
  r.error = ErrorReport{};
  r.error->samples = 5, r.error->potential = 1e-8, r.error->gradient = 2e-7;
  return r;
}

TEST(ReportJson, HoldsEverything) {
  const auto json = report_to_json(full_report());
  EXPECT_EQ(json.at("schema"), "farfield.report/1");
  EXPECT_EQ(json.at("counts").at("sources"), 3'000'000'000);  // beyond 32 bits
  EXPECT_EQ(json.at("tolerance"), 1e-6);
  EXPECT_EQ(json.at("softening"), 0.25);
  EXPECT_EQ(json.at("softening_kind"), "spline");
  EXPECT_EQ(json.at("stages").at(1).at("flops"), 1e9);
  EXPECT_EQ(json.at("build_seconds"), 0.5);
  EXPECT_EQ(json.at("evaluate_seconds"), 2.0);
  EXPECT_EQ(json.at("choices").at(0).at("reason"), "smallest");
  EXPECT_EQ(json.at("warnings").size(), 1u);
  EXPECT_EQ(json.at("error").at("gradient").at("l2"), 2e-7);
}

TEST(ReportJson, WhatWasNotMeasuredIsNull) {
  Report r = full_report();
  r.gradient = false;
  EXPECT_TRUE(report_to_json(r).at("error").at("gradient").is_null());
  r.error.reset();
  EXPECT_TRUE(report_to_json(r).at("error").is_null());
}

TEST(ReportJson, HoldsHessians) {
  Report r = full_report();
  EXPECT_TRUE(report_to_json(r).at("error").at("hessian").is_null());
  r.hessian = r.dipoles = true, r.condition_hessian = 3, r.error->hessian = 5e-7;
  const auto json = report_to_json(r);
  EXPECT_EQ(json.at("error").at("hessian").at("l2"), 5e-7);
  EXPECT_EQ(json.at("condition").at("hessian"), 3);
  EXPECT_EQ(json.at("hessian"), true);
  EXPECT_EQ(json.at("dipoles"), true);
}

TEST(ReportJson, StaysValidWhereAnErrorIsInfinite) {
  Report r = full_report();
  r.error->potential_max = std::numeric_limits<double>::infinity();
  const auto again = nlohmann::json::parse(report_to_json(r).dump());
  EXPECT_TRUE(again.at("error").at("potential").at("max").is_null());
}

TEST(ReportJson, IsUtf8WhateverTheNamesAre) {
  Computation c;
  c.result.report = full_report();
  c.sources.extra = {{"spin\xfe", {}}};
  c.written = {"out\xff.npz"};
  SumArguments arguments;
  arguments.input = "bad\xff.csv";
  const auto again = nlohmann::json::parse(text_of(run_to_json(arguments, c)));
  EXPECT_EQ(again.at("input").at("file"), "bad\ufffd.csv");
  EXPECT_EQ(again.at("written").at(0), "out\ufffd.npz");
}

TEST(Accuracy, IsRequiredOfAllResults) {
  Report r = full_report();
  EXPECT_NO_THROW(require_accuracy(r));
  r.error->gradient = 2e-6;
  EXPECT_THROW(require_accuracy(r), Error);
  r.error->gradient = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(require_accuracy(r), Error);
  r.gradient = false;
  EXPECT_NO_THROW(require_accuracy(r));
  r.hessian = true, r.error->hessian = 2e-6;
  EXPECT_THROW(require_accuracy(r), Error);
}

}  // namespace
}  // namespace farfield::cli
