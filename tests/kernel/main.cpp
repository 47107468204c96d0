// Sums with the kernel that was added, beside those with 1/r: potentials and gradients by expansions and by all pairs,
// in both precisions, where the targets are the sources (with coincident points) and where they are apart. With a core
// they are compared with a loop over all pairs.
#include <cmath>
#include <cstdio>
#include <farfield/farfield.hpp>
#include <random>
#include <vector>

using namespace farfield;

static std::vector<double> cloud(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> coordinate(0, 1);
  std::vector<double> xyz(3 * count);
  for (double& x : xyz) x = coordinate(random) * coordinate(random);
  for (std::size_t i = 0; i < 60; ++i) xyz[i] = xyz[60 + i];  // twenty points twice
  return xyz;
}

static double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference += (a[i] - b[i]) * (a[i] - b[i]), size += b[i] * b[i];
  return std::sqrt(difference / size);
}

static double strength(std::size_t source) { return source % 3 == 0 ? -1.5 : 1; }

static Result<double> sums(Kernel kernel, Options options, const std::vector<double>& from,
                           const std::vector<double>* to) {
  options.kernel = kernel;
  std::vector<double> strengths(from.size() / 3);
  for (std::size_t i = 0; i < strengths.size(); ++i) strengths[i] = strength(i);
  const std::span<const double> q(strengths);
  return to ? evaluate(points(from), q, points(*to), options) : evaluate(points(from), q, options);
}

/// Rounding of pairs whose reciprocal square roots are refined in other ways.
static double tolerance(Precision precision) { return precision == Precision::single_ ? 2e-6 : 1e-12; }

static bool agree(Method method, Precision precision, bool apart) {
  Options options;
  options.gradient = true;
  options.method = method, options.precision = precision;
  if (method == Method::fmm) options.degree = 8;  // the same expansions, whatever they reach
  const std::vector<double> from = cloud(5000, 1), to = cloud(700, 2);
  const Result<double> plain = sums(Kernel::plain, options, from, apart ? &to : nullptr),
                       expected = sums(Kernel::laplace3d, options, from, apart ? &to : nullptr);
  const double u = distance(plain.potential, expected.potential), g = distance(plain.gradient, expected.gradient);
  std::printf("%s %s %s %s: %.1e %.1e\n", plain.report.kernel.c_str(), plain.report.method.c_str(),
              plain.report.precision.c_str(), apart ? "apart" : "alike", u, g);
  return plain.report.kernel == "plain" && u <= tolerance(precision) && g <= tolerance(precision);
}

/// The promise holds for it, as `check` measures it: conditions and checks are made of its own pairs.
static bool keeps_the_promise() {
  Options options;
  options.tolerance = 1e-6, options.check = 200, options.method = Method::fmm;
  const Result<double> r = sums(Kernel::plain, options, cloud(5000, 3), nullptr);
  std::printf("asked 1e-06, reached %.1e\n", r.report.error->potential);
  return r.report.error->potential > 0 && r.report.error->potential <= options.tolerance;
}

struct Sums {
  std::vector<double> potential, gradient;
};

/// By its definition: coincident points contribute nothing, also where there is a core.
static Sums sums_with_core(const std::vector<double>& from, const std::vector<double>& to, double core) {
  Sums sums{std::vector<double>(to.size() / 3), std::vector<double>(to.size())};
  for (std::size_t t = 0; t < to.size(); t += 3)
    for (std::size_t s = 0; s < from.size(); s += 3) {
      const double d[3] = {to[t] - from[s], to[t + 1] - from[s + 1], to[t + 2] - from[s + 2]};
      if (d[0] == 0 && d[1] == 0 && d[2] == 0) continue;
      const double r = std::hypot(d[0], d[1], d[2]), q = strength(s / 3);
      const bool inside = r < core;
      sums.potential[t / 3] += q * (inside ? (3 - r * r / (core * core)) / (2 * core) : 1 / r);
      for (std::size_t a = 0; a < 3; ++a) sums.gradient[t + a] -= q * d[a] / std::pow(inside ? core : r, 3);
    }
  return sums;
}

/// In units of a thousandth of the extent, and with two points so near to each other that the square of their distance
/// underflows. By expansions the core is smaller than the least boxes.
static bool keeps_its_core(Method method, Precision precision, bool apart) {
  Options options;
  options.gradient = true, options.check = 100, options.plain_core = 7;
  options.method = method, options.precision = precision;
  options.tolerance = precision == Precision::single_ ? 1e-5 : 1e-9;
  std::vector<double> from = cloud(5000, 4), to = apart ? cloud(700, 5) : from;
  for (std::vector<double>* xyz : {&from, &to}) {
    for (double& x : *xyz) x *= 1000;
    for (std::size_t i = 300; i < 306; ++i) (*xyz)[i] = i % 3 == 0 ? 500 : 0;
    (*xyz)[301] = apart && xyz == &from ? 1e-170 : 0, (*xyz)[304] = 2e-170;
  }
  const Result<double> plain = sums(Kernel::plain, options, from, apart ? &to : nullptr);
  const Sums expected = sums_with_core(from, to, options.plain_core),
             less = sums_with_core(from, to, 0.9 * options.plain_core);
  const double u = distance(plain.potential, expected.potential), g = distance(plain.gradient, expected.gradient);
  const double allowed = method == Method::fmm ? options.tolerance : tolerance(precision);
  const double effect = distance(less.potential, expected.potential);
  std::printf("core, %s %s %s: %.1e %.1e, measured %.1e %.1e; a smaller core changes %.1e\n",
              plain.report.method.c_str(), plain.report.precision.c_str(), apart ? "apart" : "alike", u, g,
              plain.report.error->potential, plain.report.error->gradient, effect);
  return u <= allowed && g <= allowed && plain.report.error->potential <= allowed &&
         plain.report.error->gradient <= allowed && effect > 10 * allowed;
}

/// A plan that moves has the core in its new scaled coordinates.
static bool keeps_its_core_when_it_moves() {
  Options options;
  options.kernel = Kernel::plain, options.plain_core = 0.01, options.precision = Precision::double_;
  std::vector<double> xyz = cloud(600, 6), strengths(200);
  xyz.resize(600);
  for (std::size_t i = 0; i < strengths.size(); ++i) strengths[i] = strength(i);
  Plan plan(points(xyz), options);
  for (double& x : xyz) x /= 100;
  plan.move(points(xyz));
  const Result<double> moved = plan.evaluate(std::span<const double>(strengths));
  const double u = distance(moved.potential, sums_with_core(xyz, xyz, options.plain_core).potential);
  std::printf("core, moved: %.1e\n", u);
  return u <= tolerance(Precision::double_);
}

static bool refuses(double core) {
  Options options;
  options.plain_core = core;
  try {
    sums(Kernel::plain, options, cloud(50, 7), nullptr);
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
    return error.code() == ErrorCode::usage;
  }
  return false;
}

int main() {
  bool good = keeps_the_promise();
  for (const Method method : {Method::fmm, Method::direct})
    for (const Precision precision : {Precision::single_, Precision::double_})
      for (const bool apart : {false, true})
        good &= agree(method, precision, apart) && keeps_its_core(method, precision, apart);
  good &= keeps_its_core_when_it_moves();
  good &= refuses(-1) && refuses(std::nan(""));
  return good ? 0 : 1;
}
