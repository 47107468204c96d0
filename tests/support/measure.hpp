// Run the library on a cloud, measure against the oracle, print a row a person can read the margin from.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <farfield/device.hpp>
#include <farfield/farfield.hpp>
#include <string>

#include "support/oracle.hpp"
#include "support/tolerance.hpp"

namespace farfield::testing {

struct Outcome {
  double potential = 0, gradient = 0;
  Report report;
  double worst() const { return std::max(potential, gradient); }
};

inline Points points_of(const std::vector<double>& xyz) { return points(xyz); }

/// An environment variable; "" where it is not set.
inline std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Of FARFIELD_TEST_BACKEND; automatic where it is not set.
inline Backend tested_backend() {
  const std::string asked = environment("FARFIELD_TEST_BACKEND");
  return asked == "cuda" ? Backend::cuda : asked == "hybrid" ? Backend::hybrid : Backend::automatic;
}
inline bool tested_on_device() { return tested_backend() != Backend::automatic; }
/// Without a device: one line, and the status that skips the program.
inline const bool tested_device_is_there = [] {
  if (!tested_on_device() || !devices().empty()) return true;
  std::puts("there is no CUDA device");
  std::exit(environment("FARFIELD_REQUIRE_GPU") == "1" ? 1 : 77);
}();

/// FARFIELD_TEST_BACKEND=cuda runs the bodies of the CPU's tests on a device, hybrid on both halves,
/// FARFIELD_TEST_SIMD=baseline, avx2 or avx512 at that level, which `judge` asserts.
inline Options on_tested_backend(Options options) {
  if (tested_on_device()) options.backend = tested_backend();
  const std::string simd = environment("FARFIELD_TEST_SIMD");
  if (options.simd == Simd::automatic && !simd.empty())
    options.simd = simd == "avx512" ? Simd::avx512 : simd == "avx2" ? Simd::avx2 : Simd::baseline;
  return options;
}

inline Plan make_plan(const Cloud& cloud, const Options& options) {
  const Options o = on_tested_backend(options);
  return cloud.apart() ? Plan(points(cloud.sources), points(cloud.targets), o) : Plan(points(cloud.sources), o);
}

template <class T>
Outcome judge(const Cloud& cloud, const Result<T>& result, std::int64_t most = 0) {
  const Exact& truth = exact(cloud, most);
  Outcome o;
  o.potential = relative_error(result.potential, truth.potential, truth.targets, 1);
  if (!result.gradient.empty()) o.gradient = relative_error(result.gradient, truth.gradient, truth.targets, 3);
  o.report = result.report;
  const std::string simd = environment("FARFIELD_TEST_SIMD");
  if (!simd.empty() && o.report.backend == "cpu") {
    EXPECT_EQ(o.report.simd, simd);
  }
  return o;
}

inline Outcome measure(const Cloud& cloud, const Options& options, std::int64_t most = 0) {
  return judge(cloud, make_plan(cloud, options).evaluate(cloud.strengths), most);
}

inline void print_header(const std::string& what) {
  std::printf("# %s\n#%-32s %-7s %-8s %-8s %6s %6s %5s %9s %9s %9s %7s\n", what.c_str(), "cloud/N/strengths/seed",
              "prec", "m2l", "stencil", "degree", "leaf", "far", "tolerance", "potential", "gradient", "margin");
}

inline void print_row(const Cloud& cloud, const Outcome& o) {
  const Report& r = o.report;
  std::printf(" %-32s %-7s %-8s %-8s %6d %6lld %5.2f %9.2e %9.2e %9.2e %7.2f%s\n", cloud.label.c_str(),
              r.precision.c_str(), r.m2l.c_str(), r.stencil.c_str(), r.degree, static_cast<long long>(r.leaf_size),
              r.far_fraction, r.tolerance, o.potential, o.gradient, r.tolerance / o.worst(),
              o.worst() <= slack * r.tolerance ? "" : "  MISSED");
  std::fflush(stdout);
}

/// Measures, prints and asserts the promise, and that the far field did carry the sum.
inline Outcome expect_promise(const Cloud& cloud, const Options& options, std::int64_t most = 0) {
  const Outcome o = measure(cloud, options, most);
  print_row(cloud, o);
  EXPECT_LE(o.potential, slack * options.tolerance) << cloud.label << ", degree " << o.report.degree;
  EXPECT_LE(o.gradient, slack * options.tolerance) << cloud.label << ", degree " << o.report.degree;
  if (cloud.count() >= far_from) {
    EXPECT_GT(o.report.far_fraction, least_far_fraction) << cloud.label;
  }
  return o;
}

/// What the accuracy tests ask for: expansions, potential and gradient.
inline Options fmm_options(double tolerance, Precision precision = Precision::automatic) {
  Options o;
  o.tolerance = tolerance;
  o.gradient = true;
  o.method = Method::fmm;
  o.precision = precision;
  return on_tested_backend(o);
}

/// Did the last move keep the tree (Options::skin)?
inline bool kept(const Report& r) {
  return std::any_of(r.choices.begin(), r.choices.end(), [](const Choice& c) { return c.name == "tree"; });
}

/// The sentence of the Error that `work` must throw with that code; empty (and a failure) if it does not.
template <class Work>
std::string refusal(ErrorCode code, Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(code)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return "";
}

/// The tolerance that a refusal names as reachable: "... ask <number> or more ...".
inline double reachable(const Cloud& cloud, Precision precision) {
  const std::string sentence =
      refusal(ErrorCode::usage, [&] { make_plan(cloud, fmm_options(unreachable, precision)); });
  const std::size_t at = sentence.find("ask ");
  EXPECT_NE(at, std::string::npos) << sentence;
  return at == std::string::npos ? 1 : std::stod(sentence.substr(at + 4));
}

/// FNV-1a over the bytes: two arrays with the same hash have the same bits.
template <class T>
std::uint64_t hash_of(const std::vector<T>& values) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  const auto* byte = reinterpret_cast<const unsigned char*>(values.data());
  for (std::size_t i = 0; i < values.size() * sizeof(T); ++i) hash = (hash ^ byte[i]) * 0x100000001b3ull;
  return hash;
}

/// The same bits of every plan, each of which is asked twice.
inline void expect_same_bits(const Cloud& cloud, const Options& options, int plans) {
  std::uint64_t potential = 0, gradient = 0;
  for (int run = 0; run < plans; ++run) {
    Plan plan = make_plan(cloud, options);
    for (int again = 0; again < 2; ++again) {
      const Result<double> r = plan.evaluate(cloud.strengths);
      if (run == 0 && again == 0) potential = hash_of(r.potential), gradient = hash_of(r.gradient);
      EXPECT_EQ(hash_of(r.potential), potential) << cloud.label << ", plan " << run;
      EXPECT_EQ(hash_of(r.gradient), gradient) << cloud.label << ", plan " << run;
    }
  }
}

}  // namespace farfield::testing
