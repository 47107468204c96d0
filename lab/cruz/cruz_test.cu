// The device's translations of the plane, by orbits, one by one and by matrices, against long double; its Hermite
// series against double.
#include "hermite_device.hpp"
#include "plane_m2l.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

using lab::PlaneLevels, lab::PlaneM2l, lab::PlaneVariant;

class CruzDevice : public GpuTest, public ::testing::WithParamInterface<int> {};

TEST_P(CruzDevice, EveryVariantGivesTheLocalsOfTheLongSum) {
  for (const int last_level : {2, 3, 6}) {  // less than a tile, one tile, several
    const PlaneLevels levels(last_level, GetParam(), 7);
    PlaneM2l m2l(levels);
    for (const PlaneVariant& variant : PlaneM2l::variants()) {
      m2l.clear();
      m2l.run(variant);
      m2l.copy_locals_to_host();
      EXPECT_LT(lab::local_error(levels, m2l.locals(), 400), 1e-6)
          << variant.name << ", groups " << variant.groups << ", levels to " << last_level;
    }
  }
}

class CruzSeries : public GpuTest, public ::testing::WithParamInterface<int> {};

TEST_P(CruzSeries, GiveTheSumOfAllSeriesAtEveryPoint) {
  for (const std::int64_t count : {1, 1003, 200000}) {
    const lab::SeriesCase from(GetParam(), count);
    lab::DeviceSeries series(from);
    for (const int points : {1, 2, 4}) {
      series.run(points, nullptr);
      EXPECT_LT(from.error(series.result(), 1003), 2e-6) << points << " points a thread, of " << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Terms, CruzSeries, ::testing::Values(5, 9, 12));
INSTANTIATE_TEST_SUITE_P(Terms, CruzDevice, ::testing::Values(8, 12, 16));

}  // namespace
}  // namespace farfield::testing
