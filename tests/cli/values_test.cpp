#include "cli/report/values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace farfield::cli {
namespace {

TEST(Values, CountsComeInAnyNotation) {
  EXPECT_EQ(parse_count("0"), 0);
  EXPECT_EQ(parse_count("60000"), 60000);
  EXPECT_EQ(parse_count("1e6"), 1000000);
  EXPECT_EQ(parse_count("2.5e5"), 250000);
  EXPECT_EQ(parse_count("1e18"), 1'000'000'000'000'000'000);
  EXPECT_EQ(parse_count("9007199254740993"), 9'007'199'254'740'993);  // no double is that
  EXPECT_EQ(parse_count("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_count("1e30"), std::numeric_limits<std::int64_t>::max());  // of anything, that is all
}

TEST(Values, WhatIsNoCountIsRefused) {
  for (const char* text : {"", "-1", "1.5", "1e-3", "many", "1e6x", "nan", "inf", "1e999"})
    EXPECT_THROW(parse_count(text), CLI::ValidationError) << text;
}

TEST(Values, NumbersIncludeTheOnesTheLibraryRefuses) {
  EXPECT_EQ(parse_number("1e-6"), 1e-6);
  EXPECT_EQ(parse_number("-4.5"), -4.5);
  EXPECT_TRUE(std::isnan(parse_number("nan")));
  EXPECT_THROW(parse_number("small"), CLI::ValidationError);
  EXPECT_THROW(parse_number(""), CLI::ValidationError);
}

TEST(Values, ListsSplitAtCommas) {
  EXPECT_EQ(split("a,b"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(split("a"), std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace farfield::cli
