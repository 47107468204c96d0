// Sums with dipoles, Hessians and several densities on a device: against sums in long double, in host and device
// memory, at targets, at sources and at both, and a density among others with the bits that it has alone.
#include <farfield/farfield.hpp>

#include "cuda/on_device.hpp"
#include "support/gpu.hpp"
#include "support/measure.hpp"
#include "support/moments.hpp"

namespace farfield::testing {
namespace {

struct Shape {
  bool charges, dipoles;
  int order;  ///< of derivatives
  std::int64_t densities;
};

/// Points, and for every density charges and dipoles of sizes of their own.
struct Problem {
  Cloud cloud;
  Shape shape;
  std::vector<double> charges, dipoles;
  std::vector<std::vector<MomentSum>> exact = {};  ///< of every density, at the targets; made when first looked at
  std::int64_t count() const { return cloud.count(); }
  std::int64_t targets() const { return std::ssize(cloud.where()) / 3; }
};

Problem make_problem(Kind kind, std::int64_t count, const Shape& shape) {
  Problem p{make_cloud(kind, count, Signs::mixed), shape, {}, {}};
  Stream random(1'606);
  for (std::int64_t v = 0; v < shape.densities; ++v) {
    const double size = std::ldexp(1.0, static_cast<int>(20 * (v % 3)));
    for (std::int64_t i = 0; shape.charges && i < count; ++i) p.charges.push_back(size * random.between(-1, 1));
    for (std::int64_t i = 0; shape.dipoles && i < 3 * count; ++i)
      p.dipoles.push_back(0.05 * size * random.between(-1, 1));
  }
  return p;
}

Options options_of(const Shape& shape, double tolerance, Precision precision, Method method = Method::fmm) {
  Options o{.tolerance = tolerance, .gradient = shape.order > 0};
  o.backend = Backend::cuda, o.method = method, o.precision = precision;
  o.hessian = shape.order > 1, o.dipoles = shape.dipoles;
  return o;
}

/// The results of one call, (densities, points, 1, 3 or 6).
template <class T>
struct Found {
  std::vector<T> order[3];
};

template <class T>
std::vector<T> converted(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

template <class T>
Strengths strengths_of(const Problem& p, const T* charges, const T* dipoles) {
  const Strengths s = strengths(p.shape.charges ? charges : nullptr, p.count(), p.shape.densities);
  return p.shape.dipoles ? with_dipoles(s, dipoles) : s;
}

constexpr std::size_t width[3] = {1, 3, 6};

template <class T>
Found<T> in_host_memory(const Problem& p, const Options& o) {
  const std::vector<T> q = converted<T>(p.charges), d = converted<T>(p.dipoles);
  Result<T> r = make_plan(p.cloud, o).template evaluate<T>(strengths_of(p, q.data(), d.data()));
  return {{r.potential, r.gradient, r.hessian}};
}

template <class T>
Found<T> in_device_memory(const Problem& p, const Options& o) {
  const OnDevice<T> q(converted<T>(p.charges)), d(converted<T>(p.dipoles));
  const OnDevice<double> sources(p.cloud.sources), targets(p.cloud.targets);
  const auto view = [](const OnDevice<double>& xyz, std::int64_t count) {
    Points points = farfield::points(static_cast<const double*>(xyz.data()), count);
    points.space = MemorySpace::device;
    return points;
  };
  Strengths s = strengths_of<T>(p, q.data(), d.data());
  s.space = MemorySpace::device;
  const auto room = [&](int order) {
    const auto numbers = width[order] * static_cast<std::size_t>(p.shape.densities * p.targets());
    return std::vector<T>(order <= p.shape.order ? numbers : 0);
  };
  const OnDevice<T> potential(room(0)), gradient(room(1)), hessian(room(2));
  Outputs out{potential.data(), p.shape.order > 0 ? gradient.data() : nullptr};
  out.hessian = p.shape.order > 1 ? hessian.data() : nullptr;
  out.scalar = scalar_of<T>, out.space = MemorySpace::device;
  Plan plan = p.cloud.apart() ? Plan(view(sources, p.count()), view(targets, p.targets()), o)
                              : Plan(view(sources, p.count()), o);
  plan.evaluate(s, out);
  return {{potential.read(), gradient.read(), hessian.read()}};
}

/// Exact sums of one density at points.
std::vector<MomentSum> exact(const Problem& p, std::int64_t density, const std::vector<double>& at) {
  const auto slice = [&](const std::vector<double>& all, std::int64_t numbers) {
    if (all.empty()) return all;
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(density * numbers);
    return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(numbers));
  };
  const MomentSources sources{p.cloud.sources, slice(p.charges, p.count()), slice(p.dipoles, 3 * p.count())};
  std::vector<MomentSum> sums(at.size() / 3);
#pragma omp parallel for schedule(dynamic, 8)
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = moments_at(sources, &at[3 * i]);
  return sums;
}

/// Relative L2 error of the results of one density and order of derivatives.
template <class T>
double error_of(const std::vector<T>& found, std::int64_t density, int order, const std::vector<MomentSum>& sums) {
  constexpr std::size_t first[3] = {0, 1, 4};
  const std::size_t begin = static_cast<std::size_t>(density) * sums.size();
  long double squares = 0, all = 0;
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (std::size_t k = 0; k < width[order]; ++k) {
      const long double truth = sums[i].part[first[order] + k],
                        difference = static_cast<long double>(found[width[order] * (begin + i) + k]) - truth,
                        weight = first[order] + k > 6 ? 2 : 1;
      squares += weight * difference * difference, all += weight * truth * truth;
    }
  return static_cast<double>(std::sqrt(squares / all));
}

template <class T>
void expect_sums(Problem& p, const Found<T>& found, double tolerance, const char* what) {
  for (std::int64_t v = 0; v < p.shape.densities; ++v) {
    if (std::ssize(p.exact) == v) p.exact.push_back(exact(p, v, p.cloud.where()));
    const std::vector<MomentSum>& sums = p.exact[static_cast<std::size_t>(v)];
    for (int order = 0; order <= p.shape.order; ++order) {
      ASSERT_EQ(found.order[order].size(), width[order] * sums.size() * static_cast<std::size_t>(p.shape.densities));
      EXPECT_LE(error_of(found.order[order], v, order, sums), tolerance)
          << what << ": " << p.cloud.label << ", charges " << p.shape.charges << ", dipoles " << p.shape.dipoles
          << ", order " << p.shape.order << ", part of order " << order << ", density " << v << " of "
          << p.shape.densities;
    }
  }
}

class CudaMomentSums : public GpuTest {};

TEST_F(CudaMomentSums, KeepThePromise) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere, Kind::apart, Kind::outside})
    for (const Shape& shape : {Shape{true, false, 2, 1}, Shape{false, true, 0, 1}, Shape{false, true, 1, 1},
                               Shape{true, true, 1, 1}, Shape{true, true, 2, 1}, Shape{false, true, 2, 1}}) {
      Problem p = make_problem(kind, 2'500, shape);
      for (const double t : {1e-3, 1e-5})
        expect_sums(p, in_host_memory<float>(p, options_of(shape, t, Precision::single_)), 1.05 * t, "single");
      for (const double t : {1e-4, 1e-9})
        expect_sums(p, in_host_memory<double>(p, options_of(shape, t, Precision::double_)), 1.05 * t, "double");
    }
}

TEST_F(CudaMomentSums, OfSeveralDensitiesInEitherMemory) {
  for (const Kind kind : {Kind::plummer, Kind::apart})
    for (const std::int64_t densities : {1, 3, 7})
      for (const Shape& shape :
           {Shape{true, false, 1, densities}, Shape{true, true, 1, densities}, Shape{false, true, 2, densities}}) {
        Problem p = make_problem(kind, 1'500, shape);
        const Options single = options_of(shape, 1e-4, Precision::single_),
                      exact = options_of(shape, 1e-8, Precision::double_);
        expect_sums(p, in_host_memory<float>(p, single), 1.05e-4, "host, single");
        expect_sums(p, in_device_memory<float>(p, single), 1.05e-4, "device, single");
        expect_sums(p, in_host_memory<double>(p, exact), 1.05e-8, "host, double");
        expect_sums(p, in_device_memory<double>(p, exact), 1.05e-8, "device, double");
        expect_sums(p, in_device_memory<double>(p, single), 1.05e-4, "device, single of doubles");
      }
}

TEST_F(CudaMomentSums, DirectSumsAreExact) {
  for (const Kind kind : {Kind::uniform, Kind::apart})
    for (const Shape& shape : {Shape{true, false, 2, 2}, Shape{true, true, 2, 2}, Shape{false, true, 0, 1}}) {
      Problem p = make_problem(kind, 700, shape);
      expect_sums(p, in_host_memory<double>(p, options_of(shape, 1e-12, Precision::double_, Method::direct)), 1e-12,
                  "direct");
      expect_sums(p, in_host_memory<float>(p, options_of(shape, 1e-4, Precision::single_, Method::direct)), 1e-4,
                  "direct, single");
    }
}

/// Every path of the stages on trees small enough for a sanitizer, also at sources and targets.
TEST_F(CudaMomentSums, OnSmallTrees) {
  std::int64_t m2p = 0, p2l = 0;
  for (const Kind kind : {Kind::plummer, Kind::apart})
    for (const M2l m2l : {M2l::dense, M2l::rotation})
      for (const Precision precision : {Precision::single_, Precision::double_}) {
        const Shape shape{true, true, 2, 3};
        Problem p = make_problem(kind, 801, shape);
        Options o = options_of(shape, 1e-3, precision);
        o.m2l = m2l, o.leaf_size = 13;
        expect_sums(p, in_host_memory<double>(p, o), 1.05e-3, "small tree");
        const Report report = make_plan(p.cloud, o).report();
        m2p += report.m2p_boxes, p2l += report.p2l_boxes;
      }
  EXPECT_GT(m2p, 0);
  EXPECT_GT(p2l, 0);
}

TEST_F(CudaMomentSums, AtSourcesAndTargets) {
  const Shape shape{true, true, 2, 3};
  Problem p = make_problem(Kind::apart, 1'100, shape);
  for (const Precision precision : {Precision::single_, Precision::double_}) {
    const double tolerance = precision == Precision::single_ ? 1e-4 : 1e-8;
    Options o = options_of(shape, tolerance, precision);
    o.at_sources = true;
    const Result<double> r =
        make_plan(p.cloud, o).evaluate<double>(strengths_of(p, p.charges.data(), p.dipoles.data()));
    expect_sums(p, Found<double>{{r.potential, r.gradient, r.hessian}}, 1.05 * tolerance, "at targets");
    const Found<double> there{{r.source_potential, r.source_gradient, r.source_hessian}};
    for (std::int64_t v = 0; v < shape.densities; ++v) {
      const std::vector<MomentSum> sums = exact(p, v, p.cloud.sources);
      for (int order = 0; order < 3; ++order)
        EXPECT_LE(error_of(there.order[order], v, order, sums), 1.05 * tolerance) << "at sources, density " << v;
    }
  }
}

TEST_F(CudaMomentSums, OneDensityHasTheBitsThatItHasAlone) {
  for (const Kind kind : {Kind::plummer, Kind::apart})
    for (const Precision precision : {Precision::single_, Precision::double_})
      for (const M2l m2l : {M2l::dense, M2l::rotation})
        for (const Shape& shape : {Shape{true, false, 1, 7}, Shape{true, true, 1, 3}, Shape{true, true, 2, 4}}) {
          Problem p = make_problem(kind, 6'000, shape);
          Options o = options_of(shape, 1e-4, precision);
          o.m2l = m2l;
          Plan plan = make_plan(p.cloud, o);
          const Result<double> all = plan.evaluate<double>(strengths_of(p, p.charges.data(), p.dipoles.data()));
          Problem one = p;
          one.shape.densities = 1;
          for (std::int64_t v = 0; v < shape.densities; ++v) {
            const Result<double> alone = plan.evaluate<double>(
                strengths_of(one, p.charges.data() + v * p.count(), p.dipoles.data() + 3 * v * p.count()));
            const auto same = [&](const std::vector<double>& many, const std::vector<double>& few) {
              return std::equal(few.begin(), few.end(), many.begin() + v * std::ssize(few));
            };
            EXPECT_TRUE(same(all.potential, alone.potential)) << name(kind) << " density " << v;
            EXPECT_TRUE(same(all.gradient, alone.gradient)) << name(kind) << " density " << v;
            EXPECT_TRUE(same(all.hessian, alone.hessian)) << name(kind) << " density " << v;
          }
        }
}

/// One plan evaluates charges, dipoles, and charges again: launches that were captured for one do not serve the other.
TEST_F(CudaMomentSums, OfOnePlanInTurns) {
  const Shape shape{true, true, 1, 1};
  const Problem p = make_problem(Kind::uniform, 5'000, shape);
  Plan plan = make_plan(p.cloud, options_of(shape, 1e-5, Precision::single_));
  const auto bits = [&](bool charges, bool dipoles) {
    Strengths s = strengths(charges ? p.charges.data() : nullptr, p.count());
    if (dipoles) s = with_dipoles(s, p.dipoles.data());
    const Result<double> r = plan.evaluate<double>(s);
    return std::pair(hash_of(r.potential), hash_of(r.gradient));
  };
  const auto of_charges = bits(true, false), of_dipoles = bits(false, true), of_both = bits(true, true);
  for (int round = 0; round < 3; ++round) {
    for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(bits(true, false), of_charges);
    for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(bits(false, true), of_dipoles);
    EXPECT_EQ(bits(true, true), of_both);
  }
}

// Sum of q times the potential of dipoles p is the sum of p . grad of the potential of charges q.
TEST_F(CudaMomentSums, DipolesAreAdjointToGradients) {
  const Problem p = make_problem(Kind::plummer, 3'000, {true, true, 1, 1});
  for (const double tolerance : {1e-4, 1e-9}) {
    const Precision precision = tolerance < 1e-6 ? Precision::double_ : Precision::single_;
    Plan plan = make_plan(p.cloud, options_of(p.shape, tolerance, precision));
    const Result<double> of_dipoles = plan.evaluate<double>(dipoles(p.dipoles)), of_charges = plan.evaluate(p.charges);
    long double left = 0, right = 0, size = 0;
    for (std::size_t i = 0; i < p.charges.size(); ++i) {
      left += static_cast<long double>(p.charges[i]) * of_dipoles.potential[i];
      size += std::fabs(static_cast<long double>(p.charges[i]) * of_dipoles.potential[i]);
      for (std::size_t a = 0; a < 3; ++a)
        right += static_cast<long double>(p.dipoles[3 * i + a]) * of_charges.gradient[3 * i + a];
    }
    EXPECT_LE(std::fabs(left - right), (precision == Precision::single_ ? 1e-5L : 1e-12L) * size);
  }
}

TEST_F(CudaMomentSums, HessiansHaveNoTrace) {
  const Problem p = make_problem(Kind::plummer, 3'000, {true, false, 2, 1});
  for (const Precision precision : {Precision::single_, Precision::double_}) {
    const Result<double> r = make_plan(p.cloud, options_of(p.shape, 1e-4, precision)).evaluate(p.charges);
    long double trace = 0, all = 0;
    for (std::size_t i = 0; i < p.charges.size(); ++i) {
      const double* h = &r.hessian[6 * i];
      trace += std::pow(static_cast<long double>(h[0]) + h[1] + h[2], 2);
      all += std::pow(static_cast<long double>(h[0]), 2);
    }
    EXPECT_LE(std::sqrt(trace / all), precision == Precision::single_ ? 1e-5L : 1e-12L);
  }
}

// Deep trees in single: dipoles over boxes' edges leave the range of operands in 16-bit floats, which the plan sees.
TEST_F(CudaMomentSums, OfCloseClusters) {
  const Shape shape{false, true, 1, 1};
  Problem p = make_problem(Kind::uniform, 6'000, shape);
  for (std::size_t i = 0; i < p.cloud.sources.size() / 2; ++i) p.cloud.sources[i] *= 0x1p-22;
  p.cloud.label = "clusters of very different sizes";
  Options o = options_of(shape, 1e-3, Precision::single_);
  o.m2l = M2l::dense;
  expect_sums(p, in_host_memory<double>(p, o), 1.05e-3, "single");
}

}  // namespace
}  // namespace farfield::testing
