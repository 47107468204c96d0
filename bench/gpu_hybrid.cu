// Both halves of a node beside each of them alone: seconds of a plan and of an evaluation, and the error at sampled
// targets, of backends cpu and cuda and of hybrid with the near field alone on the device ("near") and with a share of
// the targets by measured speed ("share"). Arrays are in host memory. A table on stdout; the same as CSV in a file.
//   gpu_hybrid [--log2n 18,20,22] [--cloud uniform|plummer] [--sums single5,double6,double9]
//              [--ways cpu,cuda,near,share] [--outputs potential|gradient] [--longest 60] [--csv FILE]
//                sums: single precision of degree 5; double within 1e-6, within 1e-9. A way is left out from the
//                first size on at which it would take longer than so many seconds.
//   gpu_hybrid memory BYTES[,BYTES ...] LOG2_N
//                bytes of device memory a point, of a plan of so many, and the largest power of two of points that fit
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <farfield/farfield.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/hybrid/evaluator.hpp"
#include "bench/timing.hpp"

namespace farfield::bench {
namespace {

struct Sum {
  const char* name;
  Precision precision;
  double tolerance;
  int degree;
};
constexpr Sum sums[] = {{"single5", Precision::single_, 1e-5, 5},
                        {"double6", Precision::double_, 1e-6, -1},
                        {"double9", Precision::double_, 1e-9, -1}};
struct Way {
  const char* name;
  Backend backend;
  std::optional<double> share;
};
const Way ways[] = {{"cpu", Backend::cpu, {}},
                    {"cuda", Backend::cuda, {}},
                    {"near", Backend::hybrid, 0.0},
                    {"share", Backend::hybrid, {}}};

using Words = std::map<std::string, std::string>;
std::string word(const Words& words, const std::string& name, const std::string& otherwise) {
  return words.contains(name) ? words.at(name) : otherwise;
}
bool is_listed(const std::string& list, const std::string& item) {
  const std::vector<std::string> items = listed(list);
  return std::find(items.begin(), items.end(), item) != items.end();
}

Options options_for(const Sum& sum, Backend backend, bool gradient) {
  Options o;
  o.method = Method::fmm, o.backend = backend, o.precision = sum.precision;
  o.tolerance = sum.tolerance, o.degree = sum.degree, o.gradient = gradient;
  return o;
}

/// SplitMix64's finaliser: the i-th of a stream of random numbers in [0, 1).
double random_number(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
}

/// Points in the unit cube, or of Plummer's model of scale 1, cut at radius 100; strengths in (-1/2, 1/2). Both in
/// single: at 2^31 points the host's memory counts.
struct Input {
  std::int64_t n;
  std::vector<float> xyz, q;

  Input(const std::string& cloud, std::int64_t count)
      : n(count), xyz(static_cast<std::size_t>(3 * n)), q(static_cast<std::size_t>(n)) {
    const bool plummer = cloud == "plummer";
#pragma omp parallel for
    for (std::int64_t i = 0; i < n; ++i) make(i, plummer);
  }
  void make(std::int64_t i, bool plummer) {
    const auto first = 5 * static_cast<std::uint64_t>(i);
    double p[3] = {random_number(first), random_number(first + 1), random_number(first + 2)};
    if (plummer) {
      const double mass = 0.99985 * random_number(first + 3) + 1e-9, r = 1 / std::sqrt(std::pow(mass, -2.0 / 3) - 1);
      const double z = 2 * p[0] - 1, angle = 6.283185307179586 * p[1], s = std::sqrt(1 - z * z);
      p[0] = r * s * std::cos(angle), p[1] = r * s * std::sin(angle), p[2] = r * z;
    }
    for (int a = 0; a < 3; ++a) xyz[static_cast<std::size_t>(3 * i + a)] = static_cast<float>(p[a]);
    q[static_cast<std::size_t>(i)] = static_cast<float>(random_number(first + 4) - 0.5);
  }
};

/// Direct sums in double at evenly spaced targets.
struct Exact {
  std::vector<std::int64_t> at;
  std::vector<double> potential, gradient;

  explicit Exact(const Input& in) {
    const std::int64_t samples = std::min<std::int64_t>(in.n, in.n > 1 << 26 ? 24 : 200);
    at.resize(static_cast<std::size_t>(samples));
    for (std::int64_t k = 0; k < samples; ++k) at[static_cast<std::size_t>(k)] = (2 * k + 1) * in.n / (2 * samples);
    potential.resize(at.size()), gradient.resize(3 * at.size());
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t k = 0; k < at.size(); ++k) sum(in, k);
  }
  void sum(const Input& in, std::size_t k) {
    const float* const x = &in.xyz[static_cast<std::size_t>(3 * at[k])];
    double u = 0, g[3] = {};
    for (std::size_t j = 0; j < in.q.size(); ++j) {
      const float* const y = &in.xyz[3 * j];
      const double d[3] = {double(x[0]) - y[0], double(x[1]) - y[1], double(x[2]) - y[2]};
      const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      if (r2 == 0) continue;
      const double w = in.q[j] / std::sqrt(r2);
      u += w;
      for (int a = 0; a < 3; ++a) g[a] -= w / r2 * d[a];
    }
    potential[k] = u;
    std::copy_n(g, 3, &gradient[3 * k]);
  }
};

/// The squared error of the sample, scaled up to all targets, over the computed norm of all (docs/accuracy.md).
template <class T>
double error_of(const std::vector<T>& found, const std::vector<double>& exact, const std::vector<std::int64_t>& at,
                std::size_t parts) {
  double all = 0, missed = 0;
#pragma omp parallel for reduction(+ : all)
  for (std::size_t i = 0; i < found.size(); ++i) all += double(found[i]) * double(found[i]);
  for (std::size_t k = 0; k < at.size(); ++k)
    for (std::size_t a = 0; a < parts; ++a) {
      const double d = double(found[parts * static_cast<std::size_t>(at[k]) + a]) - exact[parts * k + a];
      missed += d * d;
    }
  const double targets = static_cast<double>(found.size() / parts);
  return std::sqrt(missed * targets / static_cast<double>(at.size()) / all);
}

struct Row {
  double plan = 0, evaluate = 0, potential = 0, gradient = 0;
  Report report;
};

std::string value_of(const Report& r, const std::string& choice) {
  for (const Choice& c : r.choices)
    if (c.name == choice) return c.value;
  return "";
}

/// The best evaluation from the second on, when the share follows from what the first took; the better of two plans, of
/// which the first one also makes tables.
template <class T>
Row measured(const Input& in, const Exact& exact, const Options& o) {
  constexpr double patience = 20, long_enough = 10;  // long cases are repeated less often
  std::vector<T> potential(in.q.size()), gradient(o.gradient ? in.xyz.size() : 0);
  const Points at = points(in.xyz.data(), in.n);
  Outputs out{potential.data(), gradient.empty() ? nullptr : gradient.data()};
  out.scalar = scalar_of<T>;
  Row row;
  double begin = now();
  Plan plan(at, o);
  row.plan = now() - begin;
  const double end = now() + patience;
  for (int run = 0; run < 3 || (run < 7 && now() < end); ++run) {
    begin = now();
    plan.evaluate(strengths(in.q.data(), in.n), out);
    const double took = now() - begin;
    row.evaluate = run < 2 ? took : std::min(row.evaluate, took);
    if (run > 0 && took > long_enough) break;
  }
  row.report = plan.report();
  row.potential = error_of(potential, exact.potential, exact.at, 1);
  if (o.gradient) row.gradient = error_of(gradient, exact.gradient, exact.at, 3);
  begin = now();
  plan.move(at);
  row.plan = std::min(row.plan, now() - begin);
  return row;
}

class Printer {
 public:
  explicit Printer(const std::string& csv) : csv_(csv.empty() ? nullptr : std::fopen(csv.c_str(), "w")) {
    std::printf(
        "| N | sum | way | degree | leaf | plan, s | evaluation, s | error, potential | gradient | share | memory of "
        "the device |\n");
    std::printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    if (csv_)
      std::fprintf(csv_,
                   "cloud,log2_n,sum,way,degree,leaf_size,plan,evaluate,error_potential,error_gradient,share,"
                   "device_memory,bytes\n");
  }
  ~Printer() {
    if (csv_) std::fclose(csv_);
  }
  Printer(const Printer&) = delete;

  void row(const std::string& cloud, int log2_n, const Sum& sum, const Way& way, const Row& r) const {
    const std::string share = value_of(r.report, "share"), memory = value_of(r.report, "device memory");
    const auto leaf = static_cast<long long>(r.report.leaf_size), bytes = static_cast<long long>(r.report.memory_bytes);
    std::printf("| 2^%d | %s | %s | %d | %lld | %.3g | %.4g | %.2g | %.2g | %s | %s |\n", log2_n, sum.name, way.name,
                r.report.degree, leaf, r.plan, r.evaluate, r.potential, r.gradient, share.c_str(), memory.c_str());
    std::fflush(stdout);
    if (!csv_) return;
    std::fprintf(csv_, "%s,%d,%s,%s,%d,%lld,%.6g,%.6g,%.3g,%.3g,%s,%s,%lld\n", cloud.c_str(), log2_n, sum.name,
                 way.name, r.report.degree, leaf, r.plan, r.evaluate, r.potential, r.gradient, share.c_str(),
                 memory.c_str(), bytes);
    std::fflush(csv_);
  }
  static void refused(int log2_n, const Sum& sum, const Way& way, const char* why) {
    std::printf("| 2^%d | %s | %s | %s |\n", log2_n, sum.name, way.name, why);
    std::fflush(stdout);
  }

 private:
  std::FILE* csv_;
};

/// All ways of one size; `took`: seconds of each at the size before, by sum and way.
void run_size(const Words& words, int log2_n, int before, std::map<std::string, double>& took, const Printer& print) {
  const std::string cloud = word(words, "--cloud", "uniform");
  const double longest = std::stod(word(words, "--longest", "60"));
  const Input in(cloud, std::int64_t(1) << log2_n);
  const Exact exact(in);
  for (const Sum& sum : sums)
    for (const Way& way : ways) {
      if (!is_listed(word(words, "--sums", "single5,double6,double9"), sum.name)) continue;
      if (!is_listed(word(words, "--ways", "cpu,cuda,near,share"), way.name)) continue;
      double& last = took[std::string(sum.name) + way.name];
      if (last * std::exp2(log2_n - before) > longest) {
        Printer::refused(log2_n, sum, way, "left out: longer than --longest");
        last *= std::exp2(log2_n - before);
        continue;
      }
      hybrid::keep_share(way.share);
      const Options o = options_for(sum, way.backend, word(words, "--outputs", "gradient") != "potential");
      try {
        const Row row =
            sum.precision == Precision::single_ ? measured<float>(in, exact, o) : measured<double>(in, exact, o);
        last = row.evaluate;
        print.row(cloud, log2_n, sum, way, row);
      } catch (const Error& error) {
        Printer::refused(log2_n, sum, way, error.what());
      }
    }
}

void run(const Words& words) {
  const Printer print(word(words, "--csv", ""));
  std::map<std::string, double> took;
  int before = 0;
  for (const std::string& n : listed(word(words, "--log2n", "18,20,22"))) {
    const int log2_n = std::atoi(n.c_str());
    run_size(words, log2_n, before, took, print);
    before = log2_n;
  }
}

/// Most bytes of device memory that a plan held over one evaluation.
template <class T>
double bytes_of(const Input& in, const Options& o) {
  std::vector<T> potential(in.q.size()), gradient(o.gradient ? in.xyz.size() : 0);
  Outputs out{potential.data(), gradient.empty() ? nullptr : gradient.data()};
  out.scalar = scalar_of<T>;
  Plan plan(points(in.xyz.data(), in.n), o);
  const Report& r = plan.evaluate(strengths(in.q.data(), in.n), out);
  return o.backend == Backend::hybrid ? std::stod(value_of(r, "device memory")) : static_cast<double>(r.memory_bytes);
}

/// Bytes a point of uniform points, which hardly depend on how many there are, and the largest power of two of them.
void print_memory(const std::string& list, int log2_n) {
  const Input in("uniform", std::int64_t(1) << log2_n);
  hybrid::keep_share(0.0);
  std::printf("| device, bytes | sum | results | cuda: bytes a point | points | hybrid: bytes a point | points |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Sum& sum : sums)
    for (const bool gradient : {false, true}) {
      double each[2] = {};
      for (const bool both : {false, true}) {
        const Options o = options_for(sum, both ? Backend::hybrid : Backend::cuda, gradient);
        each[both] = (sum.precision == Precision::single_ ? bytes_of<float>(in, o) : bytes_of<double>(in, o)) /
                     static_cast<double>(in.n);
      }
      for (const std::string& text : listed(list)) {
        const auto largest = [&](double bytes) { return static_cast<int>(std::log2(std::stod(text) / bytes)); };
        std::printf("| %s | %s | %s | %.1f | 2^%d | %.1f | 2^%d |\n", text.c_str(), sum.name,
                    gradient ? "potential, gradient" : "potential", each[0], largest(each[0]), each[1],
                    largest(each[1]));
        std::fflush(stdout);
      }
    }
}

}  // namespace
}  // namespace farfield::bench

int main(int count, char** arguments) {
  using namespace farfield::bench;
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() == 3 && words[0] == "memory") return print_memory(words[1], std::atoi(words[2].c_str())), 0;
  Words named;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) named[words[i]] = words[i + 1];
  if (words.size() % 2 == 1) return std::fprintf(stderr, "gpu_hybrid: every option has a value\n"), 2;
  return run(named), 0;
}
