// Farfield as a contender of gpu_compare.py: reads a cloud, does the jobs, prints a JSON line for each. On the device
// points, strengths and results stay in its memory; on the CPU in the host's. A run is everything from the caller's
// points to results in the caller's order: tree, lists, sums. Usage:
//   gpu_peer --input FILE --n N --backend cuda|cpu --jobs JOBS --repeat R --targets FILE --output PREFIX
// FILE of --input holds 4 N raw floats, x y z of every point, then the strengths; that of --targets raw 64-bit indices.
// A job is "degree7", "1e-5" (a tolerance) or "direct", all in single precision; several are separated by commas.
// PREFIX.JOB receives the potential at those targets, then x y z of their gradients, as raw floats.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <farfield/farfield.hpp>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "backends/cuda/runtime/array.hpp"
#include "bench/timing.hpp"

namespace {

using namespace farfield;
using bench::now;

constexpr double patience = 15;  ///< seconds after which two runs suffice

struct Input {
  std::map<std::string, std::string> given;
  std::int64_t n = 0;
  std::vector<float> points, strengths, potential, gradient;
  std::vector<std::int64_t> targets;
};

template <class T>
std::vector<T> read_all(std::ifstream& file, std::size_t count) {
  std::vector<T> values(count);
  file.read(reinterpret_cast<char*>(values.data()), std::streamsize(sizeof(T) * count));
  if (!file) throw Error(ErrorCode::input, "an input file is shorter than --n says");
  return values;
}

Input parse(int count, char** words) {
  Input in;
  for (int i = 1; i + 1 < count; i += 2) in.given[words[i]] = words[i + 1];
  in.n = std::atoll(in.given["--n"].c_str());
  std::ifstream cloud(in.given["--input"], std::ios::binary),
      targets(in.given["--targets"], std::ios::binary | std::ios::ate);
  const auto n = static_cast<std::size_t>(in.n);
  in.points = read_all<float>(cloud, 3 * n), in.strengths = read_all<float>(cloud, n);
  const auto bytes = static_cast<std::size_t>(std::max<std::streamoff>(targets.tellg(), 0));
  targets.seekg(0);
  in.targets = read_all<std::int64_t>(targets, bytes / sizeof(std::int64_t));
  in.potential.resize(n), in.gradient.resize(3 * n);
  return in;
}

Options options_of(const std::string& job, Backend backend) {
  Options o;
  o.backend = backend;
  o.gradient = true;
  o.precision = Precision::single_;
  o.method = Method::fmm;
  if (job == "direct")
    o.method = Method::direct;
  else if (job.rfind("degree", 0) == 0)
    o.degree = std::atoi(job.c_str() + 6);
  else
    o.tolerance = std::atof(job.c_str());
  return o;
}

/// The arrays where the backend wants them.
struct Arrays {
  Arrays(Input& in, bool device) {
    if (device) {
      cuda::upload(xyz, in.points.data(), 3 * in.n, nullptr), cuda::upload(q, in.strengths.data(), in.n, nullptr);
      potential.resize(in.n), gradient.resize(3 * in.n);
    }
    const MemorySpace space = device ? MemorySpace::device : MemorySpace::host;
    points = farfield::points(static_cast<const float*>(device ? xyz.data() : in.points.data()), in.n);
    strengths = farfield::strengths(static_cast<const float*>(device ? q.data() : in.strengths.data()), in.n);
    points.space = strengths.space = space;
    results.potential = device ? potential.data() : in.potential.data();
    results.gradient = device ? gradient.data() : in.gradient.data();
    results.scalar = Scalar::float32, results.space = space;
  }
  cuda::DeviceArray<float> xyz, q, potential, gradient;
  Points points;
  Strengths strengths;
  Outputs results;
};

void fetch(Input& in, const Arrays& arrays) {
  if (arrays.results.space == MemorySpace::host) return;
  cuda::download(in.potential.data(), arrays.potential.data(), in.n, nullptr);
  cuda::download(in.gradient.data(), arrays.gradient.data(), 3 * in.n, nullptr);
  cudaDeviceSynchronize();
}

void write(const Input& in, const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  const auto put = [&](const float& x) { out.write(reinterpret_cast<const char*>(&x), sizeof x); };
  for (const std::int64_t t : in.targets) put(in.potential[static_cast<std::size_t>(t)]);
  for (const std::int64_t t : in.targets)
    for (std::size_t a = 0; a < 3; ++a) put(in.gradient[3 * static_cast<std::size_t>(t) + a]);
  if (!out) throw Error(ErrorCode::output, "cannot write " + path);
}

void compete(Input& in, const std::string& job, const Arrays& arrays, const Options& options) {
  const double begin = now();
  Plan plan(arrays.points, options);
  plan.evaluate(arrays.strengths, arrays.results);
  const double first = now() - begin;
  std::printf("{\"setting\": \"%s\", \"first_s\": %.6f, \"runs_s\": [", job.c_str(), first);
  const int runs = std::max(1, std::atoi(in.given["--repeat"].c_str()));
  for (int run = 0; run < runs && !(run >= 2 && now() - begin > patience); ++run) {
    const double start = now();
    if (options.method != Method::direct) plan.move(arrays.points);
    plan.evaluate(arrays.strengths, arrays.results);  // returns when the results are there
    std::printf("%s%.6f", run ? ", " : "", now() - start);
  }
  fetch(in, arrays);
  write(in, in.given["--output"] + "." + job);
  const Report& r = plan.report();
  std::printf("], \"note\": \"%s, degree %d, leaf size %lld, %s\", \"bytes\": %lld}\n", r.backend.c_str(), r.degree,
              static_cast<long long>(r.leaf_size), r.m2l.c_str(), static_cast<long long>(r.memory_bytes));
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) try {
  Input in = parse(count, words);
  const bool device = in.given["--backend"] != "cpu";
  const Arrays arrays(in, device);
  std::istringstream jobs(in.given["--jobs"]);
  for (std::string job; std::getline(jobs, job, ',');)
    compete(in, job, arrays, options_of(job, device ? Backend::cuda : Backend::cpu));
} catch (const std::exception& error) {
  std::fprintf(stderr, "gpu_peer: %s\n", error.what());
  return 1;
}
