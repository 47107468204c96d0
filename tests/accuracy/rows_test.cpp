// Rows of vortices, and Cauchy sums over rows, against the closed form with the cotangent.
#include "support/vortices.hpp"

namespace farfield::testing {
namespace {

constexpr long double pi = std::numbers::pi_v<long double>;

/// (pi/L) cot(pi z/L), where e^(-2 pi |y|/L) is small, too.
LongComplex cotangent(LongComplex z, long double cell) {
  const LongComplex w = pi * z / cell;
  if (std::fabs(w.imag()) < 20) return pi / cell / std::tan(w);
  return pi / cell * LongComplex(0, w.imag() > 0 ? -1 : 1);
}

/// log |2 sin(pi z/L)|, likewise.
long double logarithm(LongComplex z, long double cell) {
  const LongComplex w = pi * z / cell;
  return std::fabs(w.imag()) < 20 ? std::log(2 * std::abs(std::sin(w))) : std::fabs(w.imag());
}

struct RowPoint {
  long double g[2], psi;
};

/// (u, v) or (Re, Im), and the stream function, at x: all images, those of the row at n = -1, 0, 1 with cores. Without
/// cores points that coincide contribute nothing.
RowPoint row_at(const Cloud& c, const double* x, const Options& o) {
  LongComplex sum = 0;
  long double psi = 0;
  for (std::size_t j = 0; j < c.strengths.size(); ++j) {
    const LongComplex z((long double)x[0] - c.sources[3 * j], (long double)x[1] - c.sources[3 * j + 1]);
    const long double cell = o.cell_x, q = c.strengths[j];
    const long double whole = std::nearbyint(z.real() / cell);
    const LongComplex nearest = z - whole * cell;
    const bool coincide = nearest == LongComplex(0);
    if (coincide && o.core == Core::none) continue;
    if (!coincide) sum += q * cotangent(nearest, cell);  // else its images cancel
    psi -= q * (coincide ? std::log(2 * pi / cell) : logarithm(nearest, cell));
    for (int n = -1; n <= 1 && o.core != Core::none; ++n) {
      const LongComplex image = nearest - n * cell;
      const long double r2 = std::norm(image);
      if (r2 > 0) sum -= q * (1 - core_factor(r2, o)) / image;
      psi -= q * (core_logarithm(r2, o) - (r2 > 0 ? std::log(r2) / 2 : 0));
    }
  }
  sum *= o.scale, psi *= o.scale / (2 * pi);
  if (o.kernel == Kernel::cauchy) return {{sum.real(), sum.imag()}, 0};
  return {{sum.imag() / (2 * pi), sum.real() / (2 * pi)}, psi};
}

Exact row_exact(const Cloud& cloud, const Options& o) {
  const auto count = static_cast<std::int64_t>(cloud.where().size() / 3);
  Exact e;
  e.targets = sample_of(count, 300);
  e.gradient.resize(3 * e.targets.size()), e.potential.resize(e.targets.size());
#pragma omp parallel for schedule(dynamic, 8)
  for (std::size_t k = 0; k < e.targets.size(); ++k) {
    const RowPoint sum = row_at(cloud, &cloud.where()[3 * static_cast<std::size_t>(e.targets[k])], o);
    e.gradient[3 * k] = sum.g[0], e.gradient[3 * k + 1] = sum.g[1], e.potential[k] = sum.psi;
  }
  return e;
}

Options row_options(double tolerance, double cell, Precision precision = Precision::automatic) {
  Options o = vortex_options(tolerance, precision);
  o.periodic = Axes::x, o.cell_x = cell;
  return o;
}

double error_of(const Cloud& cloud, const Options& o, const Exact& truth) {
  const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
  EXPECT_EQ(r.potential.empty(), !o.stream_function);
  EXPECT_EQ(r.report.warnings.size(), 0u) << r.report.warnings.front();
  const double error = relative_error(r.gradient, truth.gradient, truth.targets, 3);
  return o.stream_function ? std::max(error, relative_error(r.potential, truth.potential, truth.targets, 1)) : error;
}

Options with_stream_function(Options o) {
  o.stream_function = true;
  return o;
}

/// A cloud of extent 1 along x, `height` cells high, in a cell a little wider.
Cloud row_cloud(Kind kind, Signs signs, double height) {
  Cloud cloud = flat_cloud(kind, 1'500, signs);
  for (std::vector<double>* points : {&cloud.sources, &cloud.targets})
    for (std::size_t i = 0; i < points->size(); i += 3) (*points)[i + 1] *= height;
  return cloud;
}

/// `asked`: makes options of those of a row.
void expect_promise_at_any_height(Options (*asked)(Options)) {
  for (const Kind kind : {Kind::uniform, Kind::sphere, Kind::apart})
    for (const Signs signs : {Signs::mixed, Signs::positive})
      for (const double height : {0.0, 0.3, 4.0, 60.0, 400.0}) {
        const Cloud cloud = row_cloud(kind, signs, height);
        const Exact truth = row_exact(cloud, row_options(1e-3, 1.3));
        for (const double tolerance : {1e-2, 1e-5, 1e-8, 1e-11}) {
          const double error = error_of(cloud, asked(row_options(tolerance, 1.3)), truth);
          std::printf("%-28s height %-6g tolerance %g error %.2e\n", cloud.label.c_str(), height, tolerance, error);
          EXPECT_LE(error, slack * tolerance) << cloud.label << ", height " << height;
        }
      }
}

TEST(Rows, KeepThePromiseAtAnyHeight) {
  expect_promise_at_any_height([](Options o) { return o; });
}

TEST(Rows, OfCauchySumsAndInBothPrecisions) {
  for (const Kernel kernel : {Kernel::vortex, Kernel::cauchy}) {
    const Cloud cloud = row_cloud(Kind::plummer, Signs::mixed, 2);
    Options o = row_options(1e-5, 30);
    o.kernel = kernel, o.scale = -2;
    const Exact truth = row_exact(cloud, o);
    for (const Precision precision : {Precision::single_, Precision::double_})
      for (const Method method : {Method::fmm, Method::direct}) {
        o.precision = precision, o.method = method;
        EXPECT_LE(error_of(cloud, o, truth), slack * o.tolerance);
      }
  }
}

TEST(Rows, WithCores) {
  const Cloud cloud = row_cloud(Kind::uniform, Signs::mixed, 2);
  for (const Core core : {Core::gauss, Core::rankine})
    for (const double radius : {1e-3, 0.05, 0.15}) {
      const Options o = cored(row_options(1e-6, 1.1), core, radius);
      EXPECT_LE(error_of(cloud, o, row_exact(cloud, o)), slack * o.tolerance) << radius;
    }
}

/// One vortex of period L: u = -q/(2L) sinh(2 pi y/L) / (cosh(2 pi y/L) - cos(2 pi x/L)).
TEST(Rows, OneVortex) {
  constexpr double cell = 2;
  std::vector<double> source{0.3, -0.2, 0}, q{3}, targets;
  for (int k = 0; k < 200; ++k) targets.insert(targets.end(), {0.031 * k - 2, 0.05 * (k - 100), 0});
  const Result<double> r = Plan(points(source), points(targets), row_options(1e-12, cell)).evaluate(q);
  for (std::size_t i = 0; i < targets.size(); i += 3) {
    const double x = 2 * std::numbers::pi * (targets[i] - 0.3) / cell,
                 y = 2 * std::numbers::pi * (targets[i + 1] + 0.2) / cell;
    const double below = std::cosh(y) - std::cos(x), unit = 3 / (2 * cell);
    EXPECT_NEAR(r.gradient[i], -unit * std::sinh(y) / below, 1e-11 * unit * (1 + 1 / below));
    EXPECT_NEAR(r.gradient[i + 1], unit * std::sin(x) / below, 1e-11 * unit * (1 + 1 / below));
  }
}

TEST(Rows, StreamFunctionKeepsThePromiseAtAnyHeight) {
  expect_promise_at_any_height(with_stream_function);
}

TEST(Rows, StreamFunctionOfCoresInBothPrecisionsAndInAnyUnit) {
  for (const double unit : {1e-60, 1.0, 3e50}) {
    Cloud cloud = row_cloud(Kind::uniform, Signs::mixed, 2);
    for (double& x : cloud.sources) x *= unit;
    for (const Core core : {Core::none, Core::gauss, Core::rankine})
      for (const Precision precision : {Precision::single_, Precision::double_}) {
        Options o = with_stream_function(row_options(1e-5, 1.1 * unit, precision));
        o.scale = -3;
        if (core != Core::none) o = cored(o, core, 0.05 * unit);
        EXPECT_LE(error_of(cloud, o, row_exact(cloud, o)), slack * o.tolerance) << word_of(core) << " " << unit;
      }
  }
}

/// psi = -q/(4 pi) log(2 cosh(2 pi y/L) - 2 cos(2 pi x/L)): -q |y|/(2L) far out, without a constant, whatever the unit.
TEST(Rows, StreamFunctionOfOneVortex) {
  for (const double cell : {2.0, 1e-30, 7e20}) {
    std::vector<double> source{0.15 * cell, -0.1 * cell, 0}, q{3}, targets;
    for (int k = 0; k < 200; ++k) targets.insert(targets.end(), {(0.0155 * k - 1) * cell, 0.025 * (k - 100) * cell, 0});
    for (const double height : {-30.0, 20.0, 500.0}) targets.insert(targets.end(), {0, height * cell, 0});
    const Options o = with_stream_function(row_options(1e-12, cell));
    const Result<double> r = Plan(points(source), points(targets), o).evaluate(q);
    for (std::size_t i = 0; i < targets.size() / 3; ++i) {
      const LongComplex z((long double)targets[3 * i] - source[0], (long double)targets[3 * i + 1] - source[1]);
      const long double exact = -3 * logarithm(z, cell) / (2 * pi),
                        far = -3 * std::fabs(z.imag()) / (2 * (long double)cell);
      EXPECT_NEAR(r.potential[i], static_cast<double>(exact), 2e-12 * (1 + std::fabs(static_cast<double>(exact)))) << i;
      if (i >= 200) {
        EXPECT_NEAR(r.potential[i] / static_cast<double>(far), 1, 1e-13);
      }
    }
  }
}

/// Without cores a vortex contributes nothing at its own place, nor at whole cells from it; with cores it does.
TEST(Rows, StreamFunctionOfPointsThatCoincide) {
  Cloud cloud = row_cloud(Kind::uniform, Signs::mixed, 1);
  for (std::size_t i = 300; i < 600; i += 3)  // with few digits, so that 2 is added exactly
    cloud.sources[i] = std::round(0x1p30 * cloud.sources[i]) / 0x1p30;
  for (std::size_t i = 0; i < 300; i += 3) {
    cloud.sources[i] = cloud.sources[i + 300] + static_cast<double>(i % 2) * 2;
    cloud.sources[i + 1] = cloud.sources[i + 301];
  }
  Options o = with_stream_function(row_options(1e-9, 2));
  EXPECT_LE(error_of(cloud, o, row_exact(cloud, o)), slack * o.tolerance);
  const Result<double> own = make_plan(cloud, o).evaluate(cloud.strengths),
                       apart = Plan(points(cloud.sources), points(cloud.sources), o).evaluate(cloud.strengths);
  for (std::size_t i = 0; i < own.potential.size(); ++i) EXPECT_NEAR(own.potential[i], apart.potential[i], 1e-6);
  const std::vector<double> one{0.3, 0.2, 0}, q{5};
  EXPECT_NEAR(Plan(points(one), o).evaluate(q).potential[0], 0, 1e-15);
  o = cored(o, Core::gauss, 0.02);
  EXPECT_LE(error_of(cloud, o, row_exact(cloud, o)), slack * o.tolerance);
}

/// Points may lie in any cell: moved by whole cells they give the same sums.
TEST(Rows, PointsInOtherCells) {
  Cloud here = row_cloud(Kind::uniform, Signs::mixed, 1), there = here;
  for (std::size_t i = 0; i < there.sources.size(); i += 3) there.sources[i] += 2.0 * static_cast<double>(i % 5) - 6;
  const Result<double> a = make_plan(here, row_options(1e-9, 2)).evaluate(here.strengths),
                       b = make_plan(there, row_options(1e-9, 2)).evaluate(there.strengths);
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.gradient.size(); ++i)
    difference += std::pow(a.gradient[i] - b.gradient[i], 2), size += std::pow(a.gradient[i], 2);
  EXPECT_LE(std::sqrt(difference / size), 2e-9);
}

TEST(Rows, AtSourcesMovedInFloatAndSeveralVectors) {
  const Cloud cloud = row_cloud(Kind::outside, Signs::mixed, 1);
  Options o = row_options(1e-6, 9);
  o.at_sources = true, o.stream_function = true;
  std::vector<double> two = cloud.strengths;
  for (const double q : cloud.strengths) two.push_back(2 * q);
  Plan plan(points(cloud.targets), points(cloud.sources), o);
  plan.move(points(cloud.sources), points(cloud.targets));
  const Result<double> r = plan.evaluate(two);
  o.at_sources = false;
  const Result<double> targets = Plan(points(cloud.sources), points(cloud.targets), o).evaluate(cloud.strengths),
                       sources = Plan(points(cloud.sources), o).evaluate(cloud.strengths);
  const std::size_t m = targets.gradient.size(), n = sources.gradient.size();
  ASSERT_EQ(r.gradient.size(), 2 * m);
  ASSERT_EQ(r.source_gradient.size(), 2 * n);
  const auto near = [](const double* a, const std::vector<double>& b, double times) {
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < b.size(); ++i)
      difference += std::pow(a[i] - times * b[i], 2), size += std::pow(times * b[i], 2);
    return std::sqrt(difference / size);
  };
  ASSERT_EQ(r.potential.size(), 2 * m / 3);
  ASSERT_EQ(r.source_potential.size(), 2 * n / 3);
  for (const std::size_t v : {0, 1}) {
    EXPECT_LE(near(r.potential.data() + v * m / 3, targets.potential, 1.0 + static_cast<double>(v)), 2e-6);
    EXPECT_LE(near(r.source_potential.data() + v * n / 3, sources.potential, 1.0 + static_cast<double>(v)), 2e-6);
    EXPECT_LE(near(r.gradient.data() + v * m, targets.gradient, 1.0 + static_cast<double>(v)), 2e-6);
    EXPECT_LE(near(r.source_gradient.data() + v * n, sources.gradient, 1.0 + static_cast<double>(v)), 2e-6);
  }
  const std::vector<float> narrow(cloud.strengths.begin(), cloud.strengths.end());
  const Result<float> f = Plan(points(cloud.sources), points(cloud.targets), o).evaluate(narrow);
  for (std::size_t i = 0; i < m; i += 100)
    EXPECT_NEAR(f.gradient[i], targets.gradient[i], 1e-3 * (1 + std::fabs(targets.gradient[i])));
}

TEST(Rows, SameBitsForAnyNumberOfThreadsAndAChecksError) {
  const Cloud cloud = row_cloud(Kind::uniform, Signs::mixed, 20);
  Options o = row_options(1e-6, 1.5);
  o.check = 100;
  o.threads = 1;
  const Result<double> one = make_plan(cloud, o).evaluate(cloud.strengths);
  ASSERT_TRUE(one.report.error);
  EXPECT_LE(one.report.error->gradient, o.tolerance);
  EXPECT_EQ(one.report.periodic, "x");
  EXPECT_EQ(one.report.sources, cloud.count());
  for (const int threads : {2, 5}) {
    o.threads = threads;
    EXPECT_EQ(hash_of(make_plan(cloud, o).evaluate(cloud.strengths).gradient), hash_of(one.gradient));
  }
}

TEST(Rows, RefuseWhatIsNotOffered) {
  const Cloud cloud = row_cloud(Kind::uniform, Signs::mixed, 1);
  const auto says = [&](const Options& o, const char* words) {
    const std::string sentence = refusal(ErrorCode::usage, [&] { make_plan(cloud, o); });
    EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
  };
  for (const double cell : {0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)})
    says(row_options(1e-6, cell), "is not a length");
  Options o = row_options(1e-6, 1.3);
  o.kernel = Kernel::laplace2d;
  says(o, "kernel laplace2d is not offered with points that repeat along x");
  o = row_options(1e-6, 1.3), o.periodic = Axes::xy, o.cell_y = 1;
  says(o, "repeat along xy");
  o = row_options(1e-6, 1.3), o.periodic = Axes::none;
  says(o, "a cell is given along x, an axis that is not periodic");
  says(cored(row_options(1e-6, 1.3), Core::gauss, 0.9), "reach beyond the cell");
  says(row_options(1e-6, 1e-4), "as high as the cell is long");
  Cloud off = cloud;
  off.sources[5] = 9;
  EXPECT_NE(refusal(ErrorCode::input, [&] { make_plan(off, row_options(1e-6, 1.3)); }).find("third coordinates"),
            std::string::npos);
  off.sources[5] = off.sources[2], off.sources[3] = NAN;
  EXPECT_NE(refusal(ErrorCode::input, [&] { make_plan(off, row_options(1e-6, 1.3)); }).find("1"), std::string::npos);
}

TEST(Rows, RefuseDeviceMemory) {
  const Cloud cloud = row_cloud(Kind::uniform, Signs::mixed, 1);
  Plan plan = make_plan(cloud, row_options(1e-6, 1.3));
  std::vector<double> v(3 * cloud.strengths.size());
  for (const bool results : {false, true}) {
    Strengths q = strengths(cloud.strengths);
    Outputs out{nullptr, v.data()};
    (results ? out.space : q.space) = MemorySpace::device;
    const std::string sentence = refusal(ErrorCode::device, [&] { plan.evaluate(q, out); });
    EXPECT_NE(sentence.find("use host memory"), std::string::npos) << sentence;
  }
}

TEST(Rows, NoPointsAndOnePoint) {
  const std::vector<double> none, one{1, 2, 3}, q{2};
  EXPECT_TRUE(Plan(points(none), row_options(1e-6, 1)).evaluate(none).gradient.empty());
  EXPECT_EQ(Plan(points(one), row_options(1e-6, 1)).evaluate(q).gradient, (std::vector<double>{0, 0, 0}));
}

}  // namespace
}  // namespace farfield::testing
