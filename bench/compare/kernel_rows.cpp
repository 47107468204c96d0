// Farfield's rows beside codes that sum one kernel each: times and errors of one kernel on one cloud, a line of JSON
// for each tolerance. README.md says how it is used, docs/performance-kernels.md what came out.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <farfield/farfield.hpp>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "density/estimate.hpp"

namespace {

using namespace farfield;
using Doubles = std::vector<double>;

/// What a command asks for: NAME VALUE pairs behind the kernel and the number of points.
struct Row {
  std::string kernel, tolerances = "1e-6", signs = "positive", input, precision = "auto", method = "auto";
  std::int64_t n = 0, targets = 0, grid = 0, samples = 1500;
  int dimension = 3, threads = 0, repeat = 3;
  double bandwidth = 0, kappa = 0;
  bool gradient = true;
};

/// SplitMix64 (Steele et al. 2014): a dozen lines in any language give other codes the same clouds.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u, z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double unit() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

Doubles uniform(std::int64_t count, std::uint64_t seed, double below = 0) {
  Random random(seed);
  Doubles values(static_cast<std::size_t>(count));
  for (double& v : values) v = random.unit() - below;
  return values;
}

Row parse(int count, char** words) {
  if (count < 3 || count % 2 == 0)
    throw std::runtime_error("a kernel, a number of points, NAME VALUE pairs: README.md");
  Row row;
  row.kernel = words[1], row.n = static_cast<std::int64_t>(std::atof(words[2]));
  if (row.kernel == "laplace2d" || row.kernel == "kde") row.dimension = 2;
  for (int i = 3; i < count; i += 2) {
    const std::string name = words[i], value = words[i + 1];
    const double number = std::atof(value.c_str());
    if (name == "tolerance")
      row.tolerances = value;
    else if (name == "signs")
      row.signs = value;
    else if (name == "input")
      row.input = value;
    else if (name == "precision")
      row.precision = value;
    else if (name == "method")
      row.method = value;
    else if (name == "targets")
      row.targets = static_cast<std::int64_t>(number);
    else if (name == "grid")
      row.grid = static_cast<std::int64_t>(number);
    else if (name == "samples")
      row.samples = static_cast<std::int64_t>(number);
    else if (name == "dimension")
      row.dimension = static_cast<int>(number);
    else if (name == "threads")
      row.threads = static_cast<int>(number);
    else if (name == "repeat")
      row.repeat = static_cast<int>(number);
    else if (name == "bandwidth")
      row.bandwidth = number;
    else if (name == "kappa")
      row.kappa = number;
    else if (name == "gradient")
      row.gradient = number != 0;
    else
      throw std::runtime_error("'" + name + "' is unknown; README.md lists the names");
  }
  return row;
}

/// Points, strengths and what is done with them.
class Case {
 public:
  explicit Case(const Row& row) : row_(row) {
    from_ = row.input.empty() ? uniform(row.n * row.dimension, 12345) : read();
    if (row.targets > 0) to_ = uniform(row.targets * row.dimension, 98765);
    if (row.grid > 0) to_ = grid();
    strengths_ = row.kernel == "kde" ? Doubles(static_cast<std::size_t>(row.n), 1.0)
                                     : uniform(row.n, 777, row.signs == "mixed" ? 0.5 : 0.0);
    results_.resize(where().size() / static_cast<std::size_t>(row.dimension));
    if (row.gradient && row.kernel != "kde") slopes_.resize(3 * results_.size());
  }

  Options options(double tolerance) const {
    Options o;
    o.kernel = row_.kernel == "laplace2d"  ? Kernel::laplace2d
               : row_.kernel == "yukawa3d" ? Kernel::yukawa3d
               : row_.kernel == "gauss"    ? Kernel::gauss
                                           : Kernel::laplace3d;
    if (row_.kernel == "kde") o.kernel = Kernel::gauss;
    o.tolerance = tolerance, o.threads = row_.threads, o.gradient = !slopes_.empty();
    o.bandwidth = row_.bandwidth, o.kappa = row_.kappa;
    for (const auto& one : words_of(Method{}))
      if (row_.method == one.word) o.method = one.value;
    if (row_.precision != "auto") o.precision = row_.precision == "single" ? Precision::single_ : Precision::double_;
    return o;
  }

  /// From the caller's arrays to the caller's arrays: tree or grid, sums, original order.
  Report run(double tolerance) {
    if (row_.kernel == "kde") return estimate(tolerance);
    Plan plan = to_.empty() ? Plan(view(from_), options(tolerance)) : Plan(view(from_), view(to_), options(tolerance));
    return plan.evaluate(strengths(strengths_),
                         {.potential = results_.data(), .gradient = slopes_.empty() ? nullptr : slopes_.data()});
  }

  /// Of the last run, over a sample of the targets, against direct sums in double precision: relative L2 norms; of
  /// Gaussians the greatest error over the sum of |strengths|, which the tolerance is about, in place of the
  /// gradient's.
  std::pair<double, double> errors() const {
    const auto d = static_cast<std::size_t>(row_.dimension), count = static_cast<std::size_t>(row_.samples);
    Random random(4242);
    std::vector<std::size_t> picked(count);
    for (auto& i : picked) i = random.next() % results_.size();
    Doubles at, potential(count), gradient(slopes_.empty() ? 0 : 3 * count);
    for (const std::size_t i : picked) at.insert(at.end(), &where()[d * i], &where()[d * i] + d);
    Options o = options(1e-6);
    const double scale = row_.kernel == "kde" ? density_scale() : 1;
    o.scale = scale;
    direct_sum(view(from_), strengths(strengths_), view(at),
               {.potential = potential.data(), .gradient = gradient.empty() ? nullptr : gradient.data()}, o);
    double off = 0, all = 0, worst = 0, slope_off = 0, slope_all = 0, sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const double e = results_[picked[k]] - potential[k];
      off += e * e, all += potential[k] * potential[k], worst = std::max(worst, std::abs(e));
      for (std::size_t a = 0; a < 3 && !slopes_.empty(); ++a) {
        const double s = slopes_[3 * picked[k] + a] - gradient[3 * k + a];
        slope_off += s * s, slope_all += gradient[3 * k + a] * gradient[3 * k + a];
      }
    }
    for (const double q : strengths_) sum += std::abs(q) * scale;
    const bool gauss = o.kernel == Kernel::gauss;
    return {std::sqrt(off / all), gauss ? worst / sum : slopes_.empty() ? 0.0 : std::sqrt(slope_off / slope_all)};
  }

 private:
  Points view(const Doubles& p) const {
    const auto d = row_.dimension;
    const double *x = p.data(), *y = d > 1 ? x + 1 : nullptr, *z = d > 2 ? x + 2 : nullptr;
    return {{x, y, z}, static_cast<std::int64_t>(p.size()) / d, d, Scalar::float64};
  }
  const Doubles& where() const { return to_.empty() ? from_ : to_; }
  double density_scale() const {
    return density::peak(density::Bandwidth::of(row_.dimension, row_.bandwidth)) / static_cast<double>(row_.n);
  }

  Report estimate(double tolerance) {
    density::Estimate e =
        density::estimate({row_.dimension, from_, strengths_}, to_.empty() ? std::nullopt : std::optional<Doubles>(to_),
                          density::Bandwidth::of(row_.dimension, row_.bandwidth), {}, options(tolerance));
    results_ = std::move(e.density);
    return e.report;
  }

  Doubles read() const {
    Doubles values(static_cast<std::size_t>(row_.n * row_.dimension));
    std::ifstream file(row_.input, std::ios::binary);
    file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(8 * values.size()));
    if (!file) throw std::runtime_error(row_.input + " does not hold that many points as raw doubles");
    return values;
  }

  /// grid x grid places of the plane, three bandwidths beyond the points, the last axis fastest.
  Doubles grid() const {
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (std::size_t i = 0; i < from_.size(); ++i)
      low[i % 2] = std::min(low[i % 2], from_[i]), high[i % 2] = std::max(high[i % 2], from_[i]);
    Doubles places;
    places.reserve(static_cast<std::size_t>(2 * row_.grid * row_.grid));
    for (std::int64_t i = 0; i < row_.grid * row_.grid; ++i)
      for (const int a : {0, 1}) {
        const double least = low[a] - 3 * row_.bandwidth, length = high[a] - low[a] + 6 * row_.bandwidth;
        const std::int64_t step = a == 0 ? i / row_.grid : i % row_.grid;
        places.push_back(least + length * static_cast<double>(step) / static_cast<double>(row_.grid - 1));
      }
    return places;
  }

  Row row_;
  Doubles from_, to_, strengths_, results_, slopes_;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void print(const Row& row, double tolerance, const Doubles& seconds, std::pair<double, double> errors,
           const Report& report) {
  std::printf(R"({"code": "Farfield", "row": "%s", "n": %lld, "signs": "%s", "bandwidth": %g, "kappa": %g, )",
              row.kernel.c_str(), static_cast<long long>(row.n), row.signs.c_str(), row.bandwidth, row.kappa);
  std::printf(R"("dimension": %d, "setting": "%g", "threads": %d, "s": [)", row.dimension, tolerance, report.threads);
  for (std::size_t i = 0; i < seconds.size(); ++i) std::printf("%s%.6f", i ? ", " : "", seconds[i]);
  std::printf(R"(], "least": %.6f, "err": %.3e, "err_grad": %.3e, )", *std::min_element(seconds.begin(), seconds.end()),
              errors.first, errors.second);
  std::printf(R"("note": "%s, %s, %s, degree %d, leaf size %lld", "stages_ms": {)", report.method.c_str(),
              report.precision.c_str(), report.simd.c_str(), report.degree, static_cast<long long>(report.leaf_size));
  std::map<std::string, double> stages;
  for (const StageReport& s : report.stages) stages[s.name] += 1e3 * s.seconds;
  const char* comma = "";
  for (const auto& [name, spent] : stages) std::printf("%s\"%s\": %.3f", comma, name.c_str(), spent), comma = ", ";
  std::puts("}}");
  std::fflush(stdout);
}

void compete(const Row& row) {
  Case work(row);
  std::istringstream words(row.tolerances);
  for (std::string word; std::getline(words, word, ',');) {
    const double tolerance = std::atof(word.c_str());
    Report fastest = work.run(tolerance);
    Doubles seconds;
    for (int i = 0; i < row.repeat; ++i) {
      const double start = now();
      const Report report = work.run(tolerance);
      seconds.push_back(now() - start);
      if (seconds.back() <= *std::min_element(seconds.begin(), seconds.end())) fastest = report;
    }
    print(row, tolerance, seconds, row.samples > 0 ? work.errors() : std::pair(0.0, 0.0), fastest);
  }
}

}  // namespace

int main(int count, char** words) try { compete(parse(count, words)); } catch (const std::exception& error) {
  std::fprintf(stderr, "kernel_rows: %s\n", error.what());
  return 1;
}
