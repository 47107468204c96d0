// Softening lengths of points themselves on a device, against sums in long double.
#include "support/lengths.hpp"

#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

constexpr SofteningKind both_kinds[] = {SofteningKind::plummer, SofteningKind::spline};
constexpr Backend cuda = Backend::cuda;

class CudaLengths : public GpuTest {};

TEST_F(CudaLengths, DirectSumsAreThoseOfThePairs) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::apart, Kind::outside})
    for (const SofteningKind as : both_kinds)
      for (const std::int64_t n : {2, 33, 700, 1'025})
        for (const Lengths how : {Lengths::two_kinds, Lengths::wide_range, Lengths::some_without})
          for (const double scale : {0.01, 1.0, 1e3})
            for (const Precision precision : both_precisions) {
              const double extent = kind == Kind::plummer ? 100 : 1;
              const Softly c(with_coincident_points(make_cloud(kind, n, Signs::positive)), how, scale * extent, as);
              const Result<double> r =
                  c.plan(options_for(c, Method::direct, precision, cuda)).evaluate(c.cloud.strengths);
              const Missed m = missed(c, false, r.potential, r.gradient, 1, true);
              EXPECT_LE(m.potential, rounding(precision, c.cloud))
                  << c.cloud.label << " " << scale << " " << word_of(as);
              EXPECT_LE(m.gradient, rounding(precision, c.cloud))
                  << c.cloud.label << " " << scale << " " << word_of(as);
              EXPECT_EQ(r.report.backend, "cuda");
            }
}

TEST_F(CudaLengths, FmmKeepsThePromise) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::two_clusters, Kind::apart})
    for (const SofteningKind as : both_kinds)
      for (const Lengths how : {Lengths::two_kinds, Lengths::some_without})
        for (const double scale : {1e-5, 1e-3, 0.05})
          for (const double tolerance : {1e-3, 1e-5, 1e-9})
            for (const std::int64_t leaf_size : {0, 20}) {
              const double extent = kind == Kind::plummer ? 100 : 1;
              const Softly c(make_cloud(kind, 2'000, Signs::positive), how, scale * extent, as);
              Options o = options_for(c, Method::fmm, Precision::automatic, cuda);
              o.tolerance = tolerance, o.leaf_size = leaf_size;
              const Result<double> r = c.plan(o).evaluate(c.cloud.strengths);
              const Missed m = missed(c, false, r.potential, r.gradient, 2);
              EXPECT_LE(m.potential, tolerance) << c.cloud.label << " " << scale << " " << word_of(as);
              EXPECT_LE(m.gradient, tolerance) << c.cloud.label << " " << scale << " " << word_of(as);
              EXPECT_EQ(r.report.backend, "cuda");
            }
}

TEST_F(CudaLengths, ResultsAtSourcesAndTargets) { expect_results_at_both(cuda); }

TEST_F(CudaLengths, EqualOnesAreOneAndMovesLeaveNoTrace) {
  const Cloud cloud = make_cloud(Kind::plummer, 5'000, Signs::positive);
  for (const SofteningKind kind : both_kinds)
    for (const Method method : {Method::direct, Method::fmm}) {
      Options o = softened_options(0, Precision::automatic, How(cuda, kind));
      o.method = method, o.tolerance = 1e-4;
      expect_moves_without_trace(cloud, kind, o);
    }
}

}  // namespace
}  // namespace farfield::testing
