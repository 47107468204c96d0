// Kernels vortex and cauchy: the promise on clouds of the plane, with and without cores, and exact solutions.
#include "support/vortices.hpp"

namespace farfield::testing {
namespace {

constexpr Precision both[] = {Precision::single_, Precision::double_};

TEST(Vortex, KeepsThePromise) {
  print_header("kernel vortex, velocities alone");
  for (const Kind kind : all_kinds)
    for (const Signs signs : {Signs::mixed, Signs::positive}) {
      const Cloud cloud = flat_cloud(kind, 2'000, signs);
      const Exact truth = vortex_exact(cloud, vortex_options(1e-3));
      for (const double tolerance : {1e-2, 1e-3, 1e-6, 1e-9, 1e-12}) {
        const Outcome o = measure_vortices(cloud, vortex_options(tolerance), truth);
        print_row(cloud, o);
        EXPECT_LE(o.worst(), slack * tolerance) << cloud.label << ", degree " << o.report.degree;
      }
    }
}

TEST(Vortex, KeepsThePromiseInBothPrecisionsAndByAllPairs) {
  for (const Kernel kernel : {Kernel::vortex, Kernel::cauchy})
    for (const bool stream : {false, true})
      for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::outside}) {
        if (stream && kernel == Kernel::cauchy) continue;
        const Cloud cloud = flat_cloud(kind, 3'000, Signs::mixed);
        Options o = vortex_options(1e-5);
        o.kernel = kernel, o.stream_function = stream, o.scale = 3;
        const Exact truth = vortex_exact(cloud, o);
        for (const Precision precision : both)
          for (const Method method : {Method::fmm, Method::direct, Method::automatic, Method::treecode}) {
            o.method = method, o.precision = precision;
            const Outcome found = measure_vortices(cloud, o, truth);
            EXPECT_LE(found.worst(), slack * o.tolerance) << cloud.label;
            EXPECT_EQ(found.report.warnings.size(), 0u);
            EXPECT_EQ(found.report.vector, kernel == Kernel::vortex ? "velocity" : "cauchy");
          }
      }
}

TEST(Vortex, CoresKeepThePromise) {
  print_header("kernel vortex with cores");
  for (const Core core : {Core::gauss, Core::rankine})
    for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere, Kind::outside})
      for (const double radius : {1e-9, 1e-3, 1e-2, 0.1, 2.0}) {
        const Cloud cloud = flat_cloud(kind, 1'200, radius < 1 ? Signs::mixed : Signs::positive);
        const Exact truth = vortex_exact(cloud, cored(vortex_options(1e-3), core, radius));
        for (const Precision precision : both)
          for (const double tolerance : {1e-2, 1e-5, 1e-10}) {
            if (precision == Precision::single_ && tolerance < 1e-6) continue;
            Options asked = cored(vortex_options(tolerance, precision), core, radius);
            if (tolerance == 1e-2) asked.method = Method::treecode;
            const Outcome o = measure_vortices(cloud, asked, truth);
            print_row(cloud, o);
            EXPECT_LE(o.worst(), slack * tolerance) << cloud.label << ", radius " << radius;
          }
      }
}

/// With cores as wide as a few leaves far pairs are summed, too, and are those of point vortices.
TEST(Vortex, CoresLeaveFarPairsFar) {
  const Cloud cloud = flat_cloud(Kind::uniform, 15'000, Signs::mixed);
  for (const Core core : {Core::gauss, Core::rankine})
    for (const double radius : {1e-3, 1e-2}) {
      const Options o = cored(vortex_options(1e-6), core, radius);
      const Exact truth = vortex_exact(cloud, o);
      const Outcome found = measure_vortices(cloud, o, truth);
      EXPECT_LE(found.worst(), slack * o.tolerance);
      EXPECT_GT(found.report.far_fraction, 0.5);
      Options none = o;  // the core matters: without it the error is far above the tolerance
      none.core = Core::none, none.core_radius = 0;
      EXPECT_GT(measure_vortices(cloud, none, truth).worst(), 10 * o.tolerance);
    }
}

/// Sum over k != j of 1/(w_j - w_k) = (N-1)/(2 w_j): vortices on a polygon turn at q (N-1) / (4 pi R^2).
TEST(Vortex, PolygonsTurn) {
  constexpr std::int64_t count = 5'000;
  constexpr double radius = 3;
  const std::vector<double> where = polygon(count, radius), ones(count, 1);
  const Result<double> turning = Plan(points(where), vortex_options(1e-12)).evaluate(ones);
  Options o = vortex_options(1e-12);
  o.kernel = Kernel::cauchy;
  const Result<double> sums = Plan(points(where), o).evaluate(ones);
  const double rate = (count - 1) / (4 * std::numbers::pi * radius * radius), size = (count - 1) / (2 * radius);
  for (std::size_t k = 0; k < ones.size(); ++k) {
    const double x = where[3 * k], y = where[3 * k + 1];
    EXPECT_NEAR(turning.gradient[3 * k], -rate * y, 1e-11 * rate * radius);
    EXPECT_NEAR(turning.gradient[3 * k + 1], rate * x, 1e-11 * rate * radius);
    EXPECT_NEAR(sums.gradient[3 * k], size * x / radius, 1e-11 * size);
    EXPECT_NEAR(sums.gradient[3 * k + 1], -size * y / radius, 1e-11 * size);
    EXPECT_EQ(turning.gradient[3 * k + 2], 0);
  }
}

/// Sum over k of 1/(z - w_k) = N z^(N-1) / (z^N - 1), of complex strengths c: c times that.
TEST(Cauchy, TargetsBesideRootsOfUnityWithComplexStrengths) {
  constexpr std::int64_t count = 2'000;
  const std::vector<double> sources = polygon(count);
  std::vector<double> targets, strengths(count, 1.5);
  strengths.resize(2 * count, -0.25);  // the imaginary parts, a second vector
  for (int k = 0; k < 3'000; ++k) {
    const double radius = 1.002 + 0.001 * k, angle = 0.7 * k;
    targets.insert(targets.end(), {radius * std::cos(angle), radius * std::sin(angle), 0});
  }
  Options o = vortex_options(1e-11);
  o.kernel = Kernel::cauchy;
  const Result<double> r = Plan(points(sources), points(targets), o).evaluate(strengths);
  const std::size_t imaginary = targets.size();
  for (std::size_t k = 0; k < targets.size(); k += 3) {
    const LongComplex z(targets[k], targets[k + 1]);
    const LongComplex exact = LongComplex(1.5L, -0.25L) * static_cast<long double>(count) / z /
                              (1.0L - std::pow(1.0L / z, static_cast<int>(count)));
    const LongComplex a(r.gradient[k], r.gradient[k + 1]), b(r.gradient[imaginary + k], r.gradient[imaginary + k + 1]),
        sum = a + LongComplex(0, 1) * b;
    EXPECT_LE(std::abs(sum - exact), 1e-10L * count);
  }
}

TEST(Vortex, PairsTurnAndTravel) {
  const std::vector<double> where{0.5, 1, 0, 2.5, 1, 0};
  for (const double second : {3.0, -1.0}) {
    const Result<double> r = Plan(points(where), vortex_options(1e-12)).evaluate(std::vector<double>{1, second});
    const double unit = 1 / (4 * std::numbers::pi);  // 1 / (2 pi d), d = 2
    EXPECT_NEAR(r.gradient[1], -second * unit, 1e-15);
    EXPECT_NEAR(r.gradient[4], unit, 1e-15);
    EXPECT_EQ(r.gradient[0], 0);
    EXPECT_NEAR((r.gradient[4] - r.gradient[1]) / 2, (1 + second) / (8 * std::numbers::pi), 1e-15);  // its rate
  }
}

/// A patch of vorticity w in an ellipse of half-axes a, b: inside u = -w a/(a+b) y, v = w b/(a+b) x, so that it turns
/// at w a b / (a+b)^2. Summed on lattices, of which each halves the spacing: the error falls.
TEST(Vortex, KirchhoffsEllipse) {
  constexpr double a = 2, b = 1, vorticity = 1.5;
  double last = 1;
  for (const int along : {40, 80, 160}) {
    const double h = 2 * a / along;
    std::vector<double> where;
    for (int i = 0; i < along; ++i)
      for (int j = 0; j < along; ++j) {
        const double x = -a + (i + 0.5) * h, y = -a + (j + 0.5) * h;
        if (x * x / (a * a) + y * y / (b * b) < 1) where.insert(where.end(), {x, y, 0});
      }
    const std::vector<double> q(where.size() / 3, vorticity * h * h);
    const Result<double> r = Plan(points(where), vortex_options(1e-9)).evaluate(q);
    double squares = 0, size = 0;
    for (std::size_t i = 0; i < where.size(); i += 3) {
      const double u = -vorticity * a / (a + b) * where[i + 1], v = vorticity * b / (a + b) * where[i];
      squares += std::pow(r.gradient[i] - u, 2) + std::pow(r.gradient[i + 1] - v, 2), size += u * u + v * v;
    }
    const double error = std::sqrt(squares / size);
    EXPECT_LT(error, 0.6 * last) << along;
    last = error;
  }
  EXPECT_LT(last, 2e-3);
}

/// One vortex with a Gaussian core: q/(2 pi r) (1 - exp(-r^2/s^2)), s^2 = 4 nu t. Largest at 1.1209 s.
TEST(Vortex, LambAndOseensProfile) {
  constexpr double radius = 0.3, circulation = 2;
  std::vector<double> targets;
  for (int k = 1; k <= 500; ++k) targets.insert(targets.end(), {1 + 0.004 * k, 2, 0});
  const std::vector<double> source{1, 2, 0}, q{circulation};
  for (const Method method : {Method::direct, Method::fmm}) {
    Options o = cored(vortex_options(1e-12), Core::gauss, radius);
    o.method = method;
    const Result<double> r = Plan(points(source), points(targets), o).evaluate(q);
    double largest = 0, at = 0;
    for (std::size_t k = 0; k < targets.size(); k += 3) {
      const double d = targets[k] - 1,
                   exact = circulation / (2 * std::numbers::pi * d) * -std::expm1(-d * d / (radius * radius));
      EXPECT_NEAR(r.gradient[k + 1], exact, 1e-13);
      EXPECT_NEAR(r.gradient[k], 0, 1e-13);
      if (r.gradient[k + 1] > largest) largest = r.gradient[k + 1], at = d;
    }
    EXPECT_NEAR(at, 1.1209 * radius, 0.004);
  }
}

/// Sum q (u, v) = 0 and sum q (x u + y v) = 0: the centre and the spread of vorticity stay; with symmetric cores, too.
TEST(Vortex, CentreAndSpreadStay) {
  const Cloud cloud = flat_cloud(Kind::plummer, 4'000, Signs::mixed);
  for (const Core core : {Core::none, Core::gauss, Core::rankine}) {
    const Options o = core == Core::none ? vortex_options(1e-12) : cored(vortex_options(1e-12), core, 0.01);
    const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
    double sums[3] = {}, sizes[3] = {};
    for (std::size_t i = 0; i < cloud.strengths.size(); ++i) {
      const double q = cloud.strengths[i], u = r.gradient[3 * i], v = r.gradient[3 * i + 1], x = cloud.sources[3 * i],
                   y = cloud.sources[3 * i + 1], terms[3] = {q * u, q * v, q * (x * u + y * v)};
      for (int k = 0; k < 3; ++k) sums[k] += terms[k], sizes[k] += std::fabs(terms[k]);
    }
    for (int k = 0; k < 3; ++k) EXPECT_LE(std::fabs(sums[k]), 1e-11 * sizes[k]) << word_of(core);
  }
}

TEST(Vortex, StreamFunctionIsThatOfLaplace2d) {
  const Cloud cloud = flat_cloud(Kind::plummer, 3'000, Signs::mixed);
  Options o = vortex_options(1e-9), plain = flat_options(1e-9);
  o.stream_function = true;
  plain.scale = 1 / (2 * std::numbers::pi);
  const Result<double> turned = make_plan(cloud, o).evaluate(cloud.strengths),
                       straight = make_plan(cloud, plain).evaluate(cloud.strengths);
  EXPECT_EQ(turned.potential, straight.potential);
  for (std::size_t i = 0; i < turned.gradient.size(); i += 3) {
    EXPECT_EQ(turned.gradient[i], straight.gradient[i + 1]);
    EXPECT_EQ(turned.gradient[i + 1], -straight.gradient[i]);
  }
}

TEST(Vortex, CoincidentAndNearlyCoincidentPoints) {
  Cloud cloud = flat_cloud(Kind::uniform, 2'000, Signs::mixed);
  for (std::size_t i = 0; i < 300; ++i) {
    cloud.sources[3 * i] = cloud.sources[3 * (i + 300)];
    cloud.sources[3 * i + 1] = std::nextafter(cloud.sources[3 * (i + 300) + 1], i % 2 ? 2 : cloud.sources[1]);
  }
  for (const Precision precision : both)
    for (const double radius : {0.0, 1e-17, 1e-3})
      for (const Core core : {Core::gauss, Core::rankine}) {
        const Options o =
            radius > 0 ? cored(vortex_options(1e-5, precision), core, radius) : vortex_options(1e-5, precision);
        EXPECT_LE(measure_vortices(cloud, o).worst(), slack * 1e-5) << radius;
      }
}

TEST(Vortex, AnyUnitOfLength) {
  for (const double unit : {1e-100, 1e-30, 1e30, 1e100})
    for (const Core core : {Core::gauss, Core::rankine}) {
      Cloud cloud = flat_cloud(Kind::uniform, 2'000, Signs::mixed);
      for (double& x : cloud.sources) x *= unit;
      EXPECT_LE(measure_vortices(cloud, cored(vortex_options(1e-6), core, 0.01 * unit)).worst(), slack * 1e-6) << unit;
    }
}

TEST(Vortex, SameBitsForAnyNumberOfThreads) {
  const Cloud cloud = flat_cloud(Kind::plummer, 20'000, Signs::mixed);
  for (const Core core : {Core::none, Core::gauss})
    for (const Precision precision : both) {
      Options o =
          core == Core::none ? vortex_options(1e-5, precision) : cored(vortex_options(1e-5, precision), core, 0.02);
      o.threads = 1;
      const std::uint64_t one = hash_of(make_plan(cloud, o).evaluate(cloud.strengths).gradient);
      for (const int threads : {2, 3, 7}) {
        o.threads = threads;
        EXPECT_EQ(hash_of(make_plan(cloud, o).evaluate(cloud.strengths).gradient), one) << threads;
      }
    }
}

TEST(Vortex, ChecksItself) {
  const Cloud cloud = flat_cloud(Kind::uniform, 20'000, Signs::mixed);
  for (const Core core : {Core::none, Core::gauss, Core::rankine}) {
    Options o = core == Core::none ? vortex_options(1e-6) : cored(vortex_options(1e-6), core, 0.01);
    o.check = 200;
    const Report r = make_plan(cloud, o).evaluate(cloud.strengths).report;
    ASSERT_TRUE(r.error);
    EXPECT_LE(r.error->gradient, o.tolerance);
    EXPECT_GT(r.error->gradient, 0);
    EXPECT_EQ(r.error->potential, 0);
  }
}

TEST(Vortex, RefusesBadCores) {
  const Cloud cloud = flat_cloud(Kind::uniform, 100, Signs::mixed);
  const auto says = [&](const Options& o, const char* words) {
    const std::string sentence = refusal(ErrorCode::usage, [&] { make_plan(cloud, o); });
    EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
  };
  for (const Core core : {Core::gauss, Core::rankine}) {
    for (const double radius : {0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)})
      says(cored(vortex_options(1e-6), core, radius), "is not a length");
    says(cored(vortex_options(1e-6), core, 1e12), "1e9 times the points' extent");
    says(cored(flat_options(1e-6), core, 0.1), "kernel laplace2d has no core");
  }
  says(cored(vortex_options(1e-6), Core::none, 0.1), "radius of no core");
  says(cored(vortex_options(1e-6), static_cast<Core>(7), 0.1), "core has the unknown value 7");
  Options stream = flat_options(1e-6);
  stream.stream_function = true;
  says(stream, "has no stream function");
}

TEST(Vortex, RefusesAPotentialThatIsNotSummed) {
  const Cloud cloud = flat_cloud(Kind::uniform, 100, Signs::mixed);
  std::vector<double> u(100), v(300);
  for (const Kernel kernel : {Kernel::vortex, Kernel::cauchy}) {
    Options o = vortex_options(1e-6);
    o.kernel = kernel;
    Plan plan = make_plan(cloud, o);
    const std::string sentence = refusal(ErrorCode::usage, [&] {
      plan.evaluate(strengths(cloud.strengths), {u.data(), v.data()});
    });
    EXPECT_NE(sentence.find("a potential array was given"), std::string::npos) << sentence;
    plan.evaluate(strengths(cloud.strengths), {nullptr, v.data()});
  }
}

TEST(Vortex, NoPointsAndOnePoint) {
  const std::vector<double> none, one{1, 2, 3}, q{2};
  for (const Core core : {Core::none, Core::gauss}) {
    const Options o = core == Core::none ? vortex_options(1e-6) : cored(vortex_options(1e-6), core, 2);
    EXPECT_TRUE(Plan(points(none), o).evaluate(none).gradient.empty());
    EXPECT_EQ(Plan(points(one), o).evaluate(q).gradient, (std::vector<double>{0, 0, 0}));
  }
}

}  // namespace
}  // namespace farfield::testing
