// What the twelve programs share and what is not their subject: arguments, random bodies, error, clock, verdict, and
// the places of the terms of a polynomial in x, y, z.
#pragma once
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace course {

struct Vec {
  double x, y, z;
};
inline Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec operator*(double s, Vec a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double length(Vec a) { return std::sqrt(dot(a, a)); }

struct Body {
  Vec at;
  double q;  // its mass
};
using Bodies = std::vector<Body>;

struct Arguments {
  std::size_t n;
  std::uint64_t seed;
  const char* figure;  // null: draw none
};

/// The command line, PROGRAM [N [SEED [FIGURE.svg]]]; prints N and the seed, so that a run can be repeated.
inline Arguments arguments(int argc, char** argv, std::size_t n) {
  Arguments a{n, 1, argc > 3 ? argv[3] : nullptr};
  char* end = nullptr;
  if (argc > 1) a.n = std::strtoull(argv[1], &end, 10);
  if (argc > 2 && *end == 0) a.seed = std::strtoull(argv[2], &end, 10);
  if ((end != nullptr && *end != 0) || a.n < 1 || a.n > 100'000'000) {
    std::printf("usage: %s [N, 1 to 100000000 [SEED [FIGURE.svg]]]\n", argv[0]);
    std::exit(2);
  }
  std::printf("N = %zu, seed %llu\n", a.n, static_cast<unsigned long long>(a.seed));
  return a;
}

/// Bodies in the unit cube with masses from 0 to 1, the same on every machine.
inline Bodies random_bodies(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 bits(seed);  // the standard fixes its numbers, but not those of its distributions
  const auto number = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
  Bodies bodies(n);
  for (Body& b : bodies) b.at.x = number(), b.at.y = number(), b.at.z = number(), b.q = number();
  return bodies;
}

/// Step 1's sum, at every `stride`-th body; the steps after it are measured against this.
inline std::vector<double> direct_sum(const Bodies& bodies, std::size_t stride = 1) {
  std::vector<double> u;
  for (std::size_t i = 0; i < bodies.size(); i += stride) {
    double sum = 0;
    for (std::size_t j = 0; j < bodies.size(); ++j)
      if (j != i) sum += bodies[j].q / length(bodies[i].at - bodies[j].at);
    u.push_back(sum);
  }
  return u;
}

/// |u - exact| / |exact| in the L2 norm, where exact[k] belongs to u[k * stride].
template <class Real>
double relative_error(const std::vector<Real>& u, const std::vector<double>& exact, std::size_t stride = 1) {
  double difference = 0, norm = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    const double d = static_cast<double>(u[k * stride]) - exact[k];
    difference += d * d, norm += exact[k] * exact[k];
  }
  return std::sqrt(difference / norm);
}

/// The largest relative error of any potential.
inline double largest_error(const std::vector<double>& u, const std::vector<double>& exact, std::size_t stride = 1) {
  double worst = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) worst = std::fmax(worst, std::fabs(u[k * stride] / exact[k] - 1));
  return worst;
}

/// Runs f and returns how many seconds that took.
template <class F>
double seconds(F f) {
  const auto began = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

/// Prints a verdict; returns the number of failures, 0 or 1. A program's exit status is their sum.
inline int judge(const char* what, double error, double bound) {
  const bool good = error <= bound;  // false for NaN, too
  std::printf("%-62s %8.1e  at most %7.1e  %s\n", what, error, bound, good ? "pass" : "FAIL");
  return good ? 0 : 1;
}

/// How many terms x^i y^j z^k have i + j + k <= degree.
constexpr int terms(int degree) { return (degree + 1) * (degree + 2) * (degree + 3) / 6; }

/// Where a series keeps the term x^i y^j z^k: behind all terms of lower degree, so that a series is cut at a degree by
/// reading only its first terms(degree) numbers.
constexpr int place(int i, int j, int k) { return terms(i + j + k - 1) + (j + k) * (j + k + 1) / 2 + k; }

/// f(i, j, k) for all terms up to a degree, in the order of their places.
template <class F>
void for_terms(int degree, F f) {
  for (int n = 0; n <= degree; ++n)
    for (int m = 0; m <= n; ++m)
      for (int k = 0; k <= m; ++k) f(n - m, m - k, k);
}

}  // namespace course
