// Particles per second of whole evaluations, positions, strengths and results in device memory, tree rebuilt: a JSON
// line per case with seconds per stage, the error measured on 2000 targets, and the seconds of an evaluation of other
// strengths with the same plan. Usage:
//   gpu_fmm SET [largest log2 N]     rate: by error, at N = 2^24 and 2^27     sizes: by N, for four clouds
//                                    octaves: N = 2^22 ... 2^25 in quarters   constants: what the cost model takes
//                                    plane: kernels laplace2d and vortex on flat points
//                                    screened: yukawa3d beside laplace3d, kappa times the extent 0, 1, 10, 100
//                                    moments: dipoles, Hessians and three densities beside charges with gradient
//   gpu_fmm --log2n 20,24 --cloud uniform,plummer --degree 3,5 --leaf 8,16 --tolerance 1e-3,1e-5
//           [--precision double] [--outputs potential|gradient|hessian] [--strengths positive] [--sources dipoles]
//           [--densities 3] [--hint 3] [--kernel laplace2d|vortex|cauchy|yukawa3d] [--kappa 10] [--m2l rotation]
//           [--skin 0.1]            the tree is kept, not rebuilt
//                                    every combination; degree -1 (the default) follows the tolerance, leaf 0 is chosen
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <farfield/farfield.hpp>
#include <map>
#include <string>
#include <vector>

#include "bench/gpu_clouds.hpp"
#include "bench/timing.hpp"

namespace farfield::bench {
namespace {

struct Case {
  std::string cloud;
  double log2_n;
  Options options;  ///< method, precision, tolerance, degree, leaf size, outputs, dipoles beside charges
  bool mixed;
  std::int64_t densities = 1;
};

Options options_for(Precision precision, double tolerance, int degree = -1, bool gradient = true) {
  Options o;
  o.method = Method::fmm;
  o.backend = Backend::cuda;
  o.precision = precision;
  o.tolerance = tolerance;
  o.degree = degree;
  o.gradient = gradient;
  return o;
}

/// Kernels whose result is a velocity or another vector, without a potential.
bool is_vector(Kernel kernel) { return kernel == Kernel::vortex || kernel == Kernel::cauchy; }
bool is_flat(Kernel kernel) { return kernel == Kernel::laplace2d || is_vector(kernel); }

/// Lays points flat.
struct Flatten {
  float* xyz;
  __device__ void operator()(std::int64_t i) const { xyz[3 * i + 2] = 0.25f; }
};

/// Dipoles of the mean distance of neighbours times a charge: either kind counts.
template <class T>
struct Scale {
  T* numbers;
  T factor;
  __device__ void operator()(std::int64_t i) const { numbers[i] *= factor; }
};

/// Points, strengths and results on the device.
template <class T>
struct Field {
  explicit Field(const Case& c) : n(std::llround(std::exp2(c.log2_n))) {
    xyz = make_points(c.cloud, n);
    if (is_flat(c.options.kernel)) cuda::for_each_index(n, Flatten{xyz.data()}, nullptr, "flatten");
    const std::int64_t all = c.densities * n;
    q = make_strengths<T>(all, c.mixed);
    if (!is_vector(c.options.kernel)) potential.resize(all);
    if (c.options.gradient) gradient.resize(3 * all);
    if (c.options.hessian) hessian.resize(6 * all);
    at = on_device(xyz);
    strength = strengths(static_cast<const T*>(q.data()), n, c.densities);
    if (c.options.dipoles) carry_dipoles(all, c.mixed);
    strength.space = MemorySpace::device;
    out = {potential.data(), gradient.data(), nullptr, nullptr, scalar_of<T>, MemorySpace::device, nullptr};
    out.hessian = hessian.data();
  }
  void carry_dipoles(std::int64_t all, bool mixed) {
    dipoles = make_strengths<T>(3 * all, mixed);
    const Scale<T> scale{dipoles.data(), static_cast<T>(std::cbrt(1 / static_cast<double>(n)))};
    cuda::for_each_index(3 * all, scale, nullptr, "scale");
    strength = with_dipoles(strength, static_cast<const T*>(dipoles.data()));
  }
  std::int64_t n;
  cuda::DeviceArray<float> xyz;
  cuda::DeviceArray<T> q, dipoles, potential, gradient, hessian;
  Points at;
  Strengths strength;
  Outputs out;
};

struct Times {
  double all = 0, again = 0;  ///< with the tree built again; other strengths
  std::map<std::string, double> stages;
};

template <class T>
Times time_plan(Plan& plan, const Field<T>& f) {
  std::vector<double> all, again;
  StageTimes stages;
  const double patience = now() + 5;  // long cases are repeated less often
  const auto build_and_evaluate = [&] {
    cudaDeviceSynchronize();
    plan.move(f.at);
    plan.evaluate(f.strength, f.out);
    cudaDeviceSynchronize();
  };
  for (int run = 0; run < 6 && (run < 3 || now() < patience); ++run) {
    const double begin = now();
    build_and_evaluate();
    if (run == 0) continue;
    all.push_back(now() - begin);
    stages.add(plan.report());
  }
  for (int run = 0; run < 5 && (run < 1 || now() < patience); ++run) {
    const double begin = now();
    plan.evaluate(f.strength, f.out);
    cudaDeviceSynchronize();
    again.push_back(now() - begin);
  }
  return {median(all), median(again), stages_apart(plan, stages, build_and_evaluate)};
}

bool has_moments(const Case& c) { return c.options.hessian || c.options.dipoles || c.densities > 1; }

/// What dipoles, Hessians and densities cost over charges with gradient, which the line before timed.
void print_moments(const Case& c, const Times& times, const ErrorReport& error) {
  static Times charges;
  if (!has_moments(c)) {
    charges = times;
    return;
  }
  std::printf(
      "\"hessian\": %s, \"dipoles\": %s, \"densities\": %lld, \"hint\": %d, \"error_hessian\": %.3g, "
      "\"over_charges\": %.3f, \"again_over_charges\": %.3f, ",
      c.options.hessian ? "true" : "false", c.options.dipoles ? "true" : "false", static_cast<long long>(c.densities),
      c.options.densities, error.hessian, times.all / charges.all, times.again / charges.again);
}

void print(const Case& c, const Report& r, const Times& times, const ErrorReport& error) {
  const Options& o = c.options;
  std::printf(
      "{\"kernel\": \"%s\", \"kappa\": %g, \"cloud\": \"%s\", \"log2_n\": %g, \"precision\": \"%s\", \"tolerance\": "
      "%g, "
      "\"given_degree\": %d, "
      "\"degree\": %d, \"m2l\": \"%s\", \"leaf_size\": %lld, \"gradient\": %s, \"mixed\": %s, \"seconds\": %.6f, "
      "\"again\": %.6f, \"particles_per_second\": %.4g, \"error_potential\": %.3g, \"error_gradient\": %.3g, "
      "\"leaves\": %lld, \"near_pairs\": %lld, \"m2l_boxes\": %lld, \"boxes\": %lld, \"memory_bytes\": %lld, ",
      r.kernel.c_str(), o.kappa, c.cloud.c_str(), c.log2_n, r.precision.c_str(), o.tolerance, o.degree, r.degree,
      r.m2l.c_str(), static_cast<long long>(r.leaf_size), o.gradient ? "true" : "false", c.mixed ? "true" : "false",
      times.all, times.again, static_cast<double>(r.sources) / times.all, error.potential, error.gradient,
      static_cast<long long>(r.leaves), static_cast<long long>(r.near_pairs), static_cast<long long>(r.m2l_boxes),
      static_cast<long long>(r.boxes), static_cast<long long>(r.memory_bytes));
  print_moments(c, times, error);
  std::printf("\"stages_ms\": {");
  print_stages(times.stages, 3);
  std::printf("}}\n");
  std::fflush(stdout);
}

template <class T>
void run_as(const Case& c) {
  const Field<T> field(c);
  Options o = c.options;
  o.check = 2000;
  const ErrorReport error = *Plan(field.at, o).evaluate(field.strength, field.out).error;
  o.check = 0;
  Plan timed(field.at, o);
  const Times times = time_plan(timed, field);
  print(c, timed.report(), times, error);
}

/// A case that does not fit, or that the library refuses, is a line of its own.
void run(const Case& c) try {
  c.options.precision == Precision::single_ ? run_as<float>(c) : run_as<double>(c);
} catch (const Error& error) {
  std::printf("{\"cloud\": \"%s\", \"log2_n\": %g, \"error\": \"%s\"}\n", c.cloud.c_str(), c.log2_n, error.what());
  std::fflush(stdout);
  cudaGetLastError();
}

/// By the error that a degree reaches with strengths in (0, 1), and by the tolerance asked with mixed ones.
void run_rate(int largest) {
  constexpr auto single = Precision::single_, twice = Precision::double_;
  for (const double log2_n : {24.0, 27.0}) {
    if (log2_n > largest) continue;
    for (const int degree : {2, 3, 4, 5, 6, 7}) run({"uniform", log2_n, options_for(single, 1e-5, degree), false});
    for (const double tolerance : {1e-3, 1e-5, 1e-6}) run({"uniform", log2_n, options_for(single, tolerance), true});
    for (const int degree : {14, 23}) run({"uniform", log2_n, options_for(twice, 1e-9, degree), false});
    for (const double tolerance : {1e-9, 1e-12}) run({"uniform", log2_n, options_for(twice, tolerance), true});
  }
}

/// By number of points; what takes long up to fewer of them.
void run_sizes(int largest) {
  for (const std::string cloud : {"uniform", "sphere", "plummer", "galaxies"}) {
    const int more = cloud == "uniform" ? 2 : 0;
    for (int log2_n = 16; log2_n <= std::min(28 + more, largest); log2_n += 2) {
      run({cloud, double(log2_n), options_for(Precision::single_, 1e-5, 5), false});
      if (log2_n <= 24 + more) run({cloud, double(log2_n), options_for(Precision::single_, 1e-5), true});
      if (log2_n <= 24 + 2 * more) run({cloud, double(log2_n), options_for(Precision::double_, 1e-9, 14), false});
    }
  }
}

void run_octaves(int largest) {
  for (double log2_n = 22; log2_n <= std::min(25, largest); log2_n += 0.25)
    run({"uniform", log2_n, options_for(Precision::single_, 1e-5, 5), false});
}

void run_constants() {
  for (const M2l m2l : {M2l::dense, M2l::rotation})
    for (const auto& [precision, degree, leaf] :
         {std::tuple{Precision::single_, 13, 128}, {Precision::double_, 13, 400}, {Precision::double_, 20, 400}}) {
      Options o = options_for(precision, 1e-5, degree);
      o.leaf_size = leaf;
      o.m2l = m2l;
      run({"uniform", 22, o, false});
    }
}

void run_plane(int largest) {
  for (const std::string cloud : {"uniform", "plummer"})
    for (int log2_n = 16; log2_n <= std::min(26, largest); log2_n += 2)
      for (const auto& [precision, tolerance] :
           {std::pair{Precision::single_, 1e-6}, {Precision::double_, 1e-9}, {Precision::double_, 1e-12}}) {
        Options o = options_for(precision, tolerance);
        for (const Kernel kernel : {Kernel::laplace2d, Kernel::vortex}) {
          o.kernel = kernel;
          run({cloud, double(log2_n), o, true});
        }
      }
}

void run_screened(int largest) {
  for (const std::string cloud : {"uniform", "plummer"})
    for (int log2_n = 16; log2_n <= std::min(24, largest); log2_n += 4)
      for (const auto& [precision, tolerance] :
           {std::pair{Precision::single_, 1e-3}, {Precision::single_, 1e-5}, {Precision::double_, 1e-9}}) {
        Options o = options_for(precision, tolerance);
        run({cloud, double(log2_n), o, true});
        o.kernel = Kernel::yukawa3d;
        for (const double kappa : {0.0, 1.0, 10.0, 100.0}) {
          o.kappa = kappa;
          run({cloud, double(log2_n), o, true});
        }
      }
}

/// Charges with gradient; with dipoles; with the Hessian; with both; of three densities, in the tree for one of them and
/// in that for three. All with one precision.
void run_moments(double log2_n, Precision precision, double tolerance) {
  Case c{"uniform", log2_n, options_for(precision, tolerance), true};
  run(c);
  for (const bool hessian : {false, true})
    for (const bool dipoles : {false, true}) {
      c.options.hessian = hessian, c.options.dipoles = dipoles;
      if (hessian || dipoles) run(c);
    }
  c = {"uniform", log2_n, options_for(precision, tolerance), true, 3};
  for (const int hint : {1, 3}) {
    c.options.densities = hint;
    run(c);
  }
}
void run_moments(int largest) {
  for (int log2_n = 20; log2_n <= std::min(22, largest); log2_n += 2) {
    run_moments(log2_n, Precision::single_, 1e-5);
    run_moments(log2_n, Precision::double_, 1e-9);
  }
}

/// The values behind --name, separated by commas.
std::vector<std::string> values(const std::vector<std::string>& words, const std::string& name,
                                const std::string& otherwise) {
  const auto at = std::find(words.begin(), words.end(), "--" + name);
  return listed(at == words.end() || at + 1 == words.end() ? otherwise : *(at + 1));
}

void run_chosen(const std::vector<std::string>& words) {
  const auto of = [&](const char* name, const char* otherwise) { return values(words, name, otherwise); };
  const Precision precision = of("precision", "single")[0] == "single" ? Precision::single_ : Precision::double_;
  for (const std::string& cloud : of("cloud", "uniform"))
    for (const std::string& n : of("log2n", "20"))
      for (const std::string& tolerance : of("tolerance", precision == Precision::single_ ? "1e-5" : "1e-9"))
        for (const std::string& degree : of("degree", "-1"))
          for (const std::string& leaf : of("leaf", "0")) {
            Options o = options_for(precision, std::stod(tolerance), std::stoi(degree),
                                    of("outputs", "gradient")[0] != "potential");
            o.hessian = of("outputs", "gradient")[0] == "hessian", o.dipoles = of("sources", "charges")[0] == "dipoles";
            o.leaf_size = std::stoll(leaf), o.densities = std::stoi(of("hint", "1")[0]);
            if (of("m2l", "auto")[0] == "rotation") o.m2l = M2l::rotation;
            o.kappa = std::stod(of("kappa", "0")[0]);
            o.skin = std::stod(of("skin", "0")[0]);
            for (const Kernel kernel : {Kernel::laplace2d, Kernel::vortex, Kernel::cauchy, Kernel::yukawa3d})
              if (of("kernel", "laplace3d")[0] == word_of(kernel)) o.kernel = kernel;
            run({cloud, std::stod(n), o, of("strengths", "mixed")[0] == "mixed", std::stoll(of("densities", "1")[0])});
          }
}

}  // namespace
}  // namespace farfield::bench

int main(int count, char** arguments) {
  using namespace farfield::bench;
  const std::vector<std::string> words(arguments + 1, arguments + count);
  const std::string set = words.empty() ? "rate" : words[0];
  const int largest = words.size() > 1 ? std::atoi(words[1].c_str()) : 30;
  if (set == "rate") return run_rate(largest), 0;
  if (set == "sizes") return run_sizes(largest), 0;
  if (set == "octaves") return run_octaves(largest), 0;
  if (set == "constants") return run_constants(), 0;
  if (set == "plane") return run_plane(largest), 0;
  if (set == "screened") return run_screened(largest), 0;
  if (set == "moments") return run_moments(largest), 0;
  if (set.rfind("--", 0) == 0) return run_chosen(words), 0;
  std::fprintf(stderr, "gpu_fmm: no set %s: there are rate, sizes, octaves, constants, plane, screened and moments\n",
               set.c_str());
  return 2;
}
