#include "cli/progress.hpp"

#include <gtest/gtest.h>

namespace farfield::cli {
namespace {

TEST(Progress, SaysHowMuchIsLeftWhereItWasCounted) {
  EXPECT_EQ(progress_text("writing a.csv", 0.2, {0.5, 0}), "writing a.csv ...");
  EXPECT_EQ(progress_text("writing a.csv", 10, {0.25, 0}), "writing a.csv: 25 %, 30 s left");
  EXPECT_EQ(progress_text("writing a.csv", 100, {0.1, 7}), "writing a.csv: 10 %, 15 min left");
  EXPECT_EQ(progress_text("writing a.csv", 10, {1, 0}), "writing a.csv: 100 %, 10 s");
  EXPECT_EQ(progress_text("writing a.csv", 10, {0.99, 0}), "writing a.csv: 99 %, 1 s left");
}

TEST(Progress, SaysWhatWasPredictedAndNeverThatItIsAlmostDone) {
  EXPECT_EQ(progress_text("evaluating", 12, {-1, 40}), "evaluating: 12 s of about 40 s");
  EXPECT_EQ(progress_text("evaluating", 50, {-1, 40}), "evaluating: 50 s; about 40 s were expected");
}

TEST(Progress, SaysHowLongItTakesWhereNobodyKnows) {
  EXPECT_EQ(progress_text("planning", 5, {}), "planning: 5 s");
  EXPECT_EQ(progress_text("planning", 300, {}), "planning: 5 min");
}

TEST(Progress, IsSilentWhereNoPersonLooks) {
  testing::internal::CaptureStderr();
  {
    Progress progress(false);
    progress("working", 3);
    progress.clear();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace farfield::cli
