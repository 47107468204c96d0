#include "cli/report/numbers.hpp"

#include <gtest/gtest.h>

namespace farfield::cli {
namespace {

TEST(Numbers, SetThousandsApart) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(60000), "60,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

TEST(Numbers, ExponentsAreShort) {
  EXPECT_EQ(scientific(3.24e-7), "3.2e-7");
  EXPECT_EQ(scientific(0), "0.0");
  EXPECT_EQ(scientific(1.5e12), "1.5e12");
  EXPECT_EQ(shortest(1e-6), "1e-6");
  EXPECT_EQ(shortest(1e-4), "1e-4");
  EXPECT_EQ(shortest(2.5e-10), "2.5e-10");
  EXPECT_EQ(shortest(0.0795774715), "0.0795775");
  EXPECT_EQ(shortest(1), "1");
}

TEST(Numbers, DurationsTakeTheUnitThatFits) {
  EXPECT_EQ(duration(0), "0 s");
  EXPECT_EQ(duration(4.35e-4), "435 us");
  EXPECT_EQ(duration(0.0756), "75.6 ms");
  EXPECT_EQ(duration(0.99996), "1.00 s");
  EXPECT_EQ(duration(90), "1.50 min");
  EXPECT_EQ(duration(86400.0 * 30), "30 days");
}

TEST(Numbers, BytesAndCounts) {
  EXPECT_EQ(bytes(620), "620 bytes");
  EXPECT_EQ(bytes(22900000), "22.9 MB");
  EXPECT_EQ(about(3.6e9), "3.60 billion");
  EXPECT_EQ(about(124000), "124 thousand");
  EXPECT_EQ(plural(1, "box", "boxes"), "1 box");
  EXPECT_EQ(plural(12345, "box", "boxes"), "12,345 boxes");
}

TEST(Numbers, SharesNeverRoundUpToAll) {
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(percent(0.968), "96.8 %");
  EXPECT_EQ(percent(0.99999), "99.99 %");
  EXPECT_EQ(percent(1), "100 %");
}

TEST(Numbers, BodiesAreToldInTheWordsOfTheirReader) {
  io::Bodies bodies;
  bodies.positions.resize(3 * 1200);
  bodies.description = "npz, 1200 bodies";
  EXPECT_EQ(told(bodies), "npz, 1,200 bodies");
  bodies.description = "ScaFaCoS system 'a', 1200 charges, reference by b";
  EXPECT_EQ(told(bodies), "ScaFaCoS system 'a', 1,200 charges, reference by b");
  bodies.description = "a cloud";
  EXPECT_EQ(told(bodies), "1,200 bodies, a cloud");
  bodies.positions.resize(3);
  bodies.description = "csv, 1 bodies, strengths from column q";
  EXPECT_EQ(told(bodies), "csv, 1 body, strengths from column q");
}

}  // namespace
}  // namespace farfield::cli
