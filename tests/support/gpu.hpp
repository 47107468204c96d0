// Tests that need a device: without one they skip with one line, or fail where FARFIELD_REQUIRE_GPU=1.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <farfield/device.hpp>
#include <string>

namespace farfield::testing {

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
