// Sums with the kernel that was added, beside those with 1/r: potentials and gradients by expansions and by all pairs,
// in both precisions, where the targets are the sources (with coincident points) and where they are apart.
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

static Result<double> sums(Kernel kernel, Options options, const std::vector<double>& from,
                           const std::vector<double>* to) {
  options.kernel = kernel;
  std::vector<double> strengths(from.size() / 3);
  for (std::size_t i = 0; i < strengths.size(); ++i) strengths[i] = i % 3 == 0 ? -1.5 : 1;
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

int main() {
  bool good = keeps_the_promise();
  for (const Method method : {Method::fmm, Method::direct})
    for (const Precision precision : {Precision::single_, Precision::double_})
      for (const bool apart : {false, true}) good &= agree(method, precision, apart);
  return good ? 0 : 1;
}
