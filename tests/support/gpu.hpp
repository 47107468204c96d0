// Tests that need a device: without one they skip with one line, or fail where FARFIELD_REQUIRE_GPU=1.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <farfield/device.hpp>
#include <string>

namespace farfield::testing {

/// Points of a tree that is small enough for a sanitizer. racecheck takes some ten times as long as the other tools:
/// `scripts/gpu sanitize` names the share of them, in percent, that it gets (FARFIELD_TEST_SHARE).
inline std::int64_t few_points(std::int64_t count) {
  const char* share = std::getenv("FARFIELD_TEST_SHARE");
  return share ? count * std::atoi(share) / 100 : count;
}

class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!devices().empty()) return;
    const char* required = std::getenv("FARFIELD_REQUIRE_GPU");
    if (required && std::string(required) == "1") FAIL() << "FARFIELD_REQUIRE_GPU is 1, but there is no CUDA device";
    GTEST_SKIP() << "there is no CUDA device";
  }
};

}  // namespace farfield::testing
