// The table that sends every offset of m2l to a canonical operator and a symmetry.
#include "expansions/offsets.hpp"

#include <set>

#include "expansions/expansion_test.hpp"

namespace farfield::testing {
namespace {

using Offset = std::array<int, 3>;

Offset served(const FarOffset& entry) {
  const CanonicalOffset& c = canonical_offsets()[entry.op];
  return moved(entry.symmetry, Offset{c.x, c.y, c.z});
}

TEST(Offsets, EveryFarOffsetIsItsSymmetryOfItsOperator) {
  int found = 0;
  std::set<int> operators;
  for (int z = -4; z <= 4; ++z)
    for (int y = -4; y <= 4; ++y)
      for (int x = -4; x <= 4; ++x) {
        const FarOffset& entry = far_offset(x, y, z);
        if (entry.op < 0) continue;
        ++found;
        operators.insert(entry.op);
        EXPECT_EQ(served(entry), (Offset{2 * x, 2 * y, 2 * z}));
      }
  EXPECT_EQ(found, 316);  // 7^3 - 3^3
  EXPECT_EQ(static_cast<int>(operators.size()), far_operator_count);
  EXPECT_EQ(*operators.rbegin(), far_operator_count - 1);
}

TEST(Offsets, EveryOffsetToAParentIsInTheReducedStencil) {
  int found = 0;
  std::set<int> operators;
  for (int z = -5; z <= 5; z += 2)
    for (int y = -5; y <= 5; y += 2)
      for (int x = -5; x <= 5; x += 2) {
        const FarOffset& entry = parent_offset(x, y, z);
        EXPECT_EQ(entry.op >= 0, goes_to_parent(-x, -y, -z));
        if (entry.op < 0) continue;
        ++found;
        operators.insert(entry.op);
        EXPECT_EQ(served(entry), (Offset{x, y, z}));
      }
  EXPECT_EQ(found, 80);  // Gumerov & Duraiswami 2008, section 2.2.3
  EXPECT_EQ(static_cast<int>(operators.size()), parent_operator_count);
  EXPECT_EQ(*operators.begin(), far_operator_count);
  EXPECT_EQ(*operators.rbegin(), operator_count - 1);
}

TEST(Offsets, WhatIsNotInTheListsHasNoOperator) {
  EXPECT_EQ(far_offset(0, 0, 0).op, -1);
  EXPECT_EQ(far_offset(1, -1, 1).op, -1);
  EXPECT_EQ(far_offset(4, 0, 0).op, -1);
  EXPECT_EQ(parent_offset(5, 5, 2).op, -1);
  EXPECT_EQ(parent_offset(7, 5, 5).op, -1);
}

}  // namespace
}  // namespace farfield::testing
