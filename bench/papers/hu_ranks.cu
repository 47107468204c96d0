// Hu, Gumerov & Duraiswami 2011 (doi 10.1145/2063384.2063432) on the GPUs of one host: table 2 on 1, 2, ... GPUs, from
// which figures 5 and 7 (N = 2^23 shared out) are, too; the method of table 4 and figure 6 (2^23 for each), of figure 9
// (p = 10), and of figure 8 (LAST above 24: N as large as the devices hold). N random sources and N other random
// targets, uniform in a cube, in single precision. As in the paper each GPU has its own points when the clock starts, a
// run includes all data structures, and the partition is reported apart: a run is a move and an evaluation in the owned
// order; the partition is what a move of points that lie anywhere spends on partition and redistribution. One device is
// run by an ordinary plan. A JSON line per row. Usage: hu_ranks DEVICE[,DEVICE ...] [FIRST log2 N, 20] [LAST, 24]
#include <cstdio>
#include <cstdlib>
#include <farfield/distributed.hpp>

#include "bench/gpu_clouds.hpp"
#include "measure.hpp"

namespace farfield::papers {
namespace {

using bench::random_number, distributed::Order;

constexpr std::int64_t samples = 1000;
constexpr int runs = 5;

struct Case {
  const char* table;
  std::int64_t n;  ///< sources, and as many targets
  int p, depth;    ///< depth -1: Farfield's own tree
  bool gradient;
  const char* setting() const { return depth < 0 ? "own" : "uniform"; }
};

/// Points [first, ...) of one of two streams, sources and targets.
struct MakeUniform {
  std::uint64_t first;
  float* xyz;
  __device__ void operator()(std::int64_t i) const { xyz[i] = static_cast<float>(random_number(first + i)); }
};

class Arrays {
 public:
  /// The part of `rank` of `ranks`.
  Arrays(std::int64_t n, int rank, int ranks) {
    const std::int64_t first = n * rank / ranks, count = n * (rank + 1) / ranks - first;
    fill(sources_, 0, first, count), fill(targets_, std::uint64_t(1) << 40, first, count);
    resize(count, count, true);
  }
  Points sources() const { return bench::on_device(sources_); }
  Points targets() const { return bench::on_device(targets_); }
  Strengths strengths() const {
    Strengths s = farfield::strengths(static_cast<const float*>(strengths_.data()), strengths_.size());
    s.space = MemorySpace::device;
    return s;
  }
  Outputs results(bool gradient) {
    return {potential_.data(),
            gradient ? gradient_.data() : nullptr,
            nullptr,
            nullptr,
            Scalar::float32,
            MemorySpace::device,
            nullptr};
  }
  /// For so many strengths, and results at so many targets.
  void resize(std::int64_t sources, std::int64_t targets, bool gradient) {
    if (strengths_.size() != sources) strengths_ = bench::make_strengths<float>(sources, false);
    potential_.resize(std::max<std::int64_t>(1, targets));
    if (gradient) gradient_.resize(std::max<std::int64_t>(1, 3 * targets));
  }
  /// Points where the plan put them.
  void take_owned(distributed::Plan& plan) {
    carry(plan, sources_, distributed::Set::sources), carry(plan, targets_, distributed::Set::targets);
    resize(sources_.size() / 3, targets_.size() / 3, true);
  }

 private:
  static void fill(cuda::DeviceArray<float>& xyz, std::uint64_t stream, std::int64_t first, std::int64_t count) {
    xyz.resize(3 * count);
    cuda::for_each_index(3 * count, MakeUniform{stream + 3 * static_cast<std::uint64_t>(first), xyz.data()}, nullptr,
                         "points");
  }
  static void carry(distributed::Plan& plan, cuda::DeviceArray<float>& xyz, distributed::Set set) {
    std::vector<float> rows(static_cast<std::size_t>(xyz.size()));
    cuda::download(rows.data(), xyz.data(), xyz.size(), nullptr);
    cuda::require(cudaDeviceSynchronize(), "points");
    rows = plan.to_owned(rows, 3, set);
    cuda::upload(xyz, rows.data(), static_cast<std::int64_t>(rows.size()), nullptr);
    cuda::require(cudaDeviceSynchronize(), "points");
  }
  cuda::DeviceArray<float> sources_, targets_, strengths_, potential_, gradient_;
};

/// Medians of runs; of a row on several devices those of its first rank, which waits for the others in every call.
struct Row {
  double run = 0, evaluation = 0, partition = 0;
  std::map<std::string, double> stages;
  Report report;
  ErrorReport error;
  std::int64_t ghosts = 0, sent = 0;
  double imbalance = 0;
};

/// Seconds of five runs of `move` and `evaluate` after a first one.
template <class Move, class Evaluate, class Reports>
void time_runs(Row& row, const Move& move, const Evaluate& evaluate, const Reports& reports) {
  std::vector<double> all, evaluation;
  bench::StageTimes stages;
  for (int i = 0; i <= runs; ++i) {
    cudaDeviceSynchronize();
    const double begin = now();
    move();
    cudaDeviceSynchronize();
    const double built = now();
    evaluate();
    cudaDeviceSynchronize();
    const double end = now();
    if (i == 0) continue;
    all.push_back(end - begin), evaluation.push_back(end - built), stages.add(reports());
  }
  row.run = median(all), row.evaluation = median(evaluation), row.stages = stages.medians();
}

Row on_one(const Case& c, const Options& options) {
  Row row;
  Arrays a(c.n, 0, 1);
  Plan plan(a.sources(), a.targets(), options);
  time_runs(
      row, [&] { plan.move(a.sources(), a.targets()); }, [&] { plan.evaluate(a.strengths(), a.results(c.gradient)); },
      [&] { return plan.report(); });
  row.report = plan.report();
  Options checked = options;
  checked.check = samples;
  row.error = Plan(a.sources(), a.targets(), checked).evaluate(a.strengths(), a.results(c.gradient)).error.value();
  return row;
}

double partition_of(const Report& report) {
  double seconds = 0;
  for (const StageReport& s : report.stages)
    if (s.building && (s.name == "partition" || s.name == "redistribution")) seconds += s.seconds;
  return seconds;
}

Row on_rank(distributed::Communicator& ranks, const Case& c, const Options& options) {
  Row row;
  Arrays a(c.n, ranks.rank(), ranks.size());
  Options checked = options;
  checked.check = samples;
  {
    distributed::Plan plan(ranks, a.sources(), a.targets(), checked);
    row.error = plan.evaluate(a.strengths(), a.results(c.gradient)).plan.error.value();
  }
  distributed::Plan plan(ranks, a.sources(), a.targets(), options);
  plan.move(a.sources(), a.targets());  // the second time nothing is set up
  row.partition = partition_of(plan.report().plan);
  a.take_owned(plan);
  time_runs(
      row, [&] { plan.move(a.sources(), a.targets(), Order::owned); },
      [&] {
        a.resize(plan.owned_count(), plan.owned_count(distributed::Set::targets), c.gradient);
        plan.evaluate(a.strengths(), a.results(c.gradient), Order::owned);
      },
      [&] { return plan.report().plan; });
  const distributed::Report& report = plan.report();
  row.report = report.plan, row.imbalance = report.imbalance;
  for (const distributed::RankReport& one : report.ranks) row.ghosts += one.ghosts, row.sent += one.sent;
  return row;
}

void print(const Case& c, std::size_t gpus, const Row& row) {
  std::printf(
      "{\"paper\": \"hu\", \"table\": \"%s\", \"setting\": \"%s\", \"gpus\": %zu, \"n\": %lld, \"p\": %d, "
      "\"depth\": %d, \"gradient\": %s, \"levels\": %d, \"leaf_size\": %lld, \"seconds\": %.6f, "
      "\"evaluation_seconds\": %.6f, \"partition_seconds\": %.6f, \"error_potential\": %.3g, "
      "\"error_gradient\": %.3g, \"ghosts\": %lld, \"sent_bytes\": %lld, \"imbalance\": %.4f, \"device\": \"%s\", "
      "\"stages_ms\": {",
      c.table, c.setting(), gpus, static_cast<long long>(c.n), c.p, c.depth, c.gradient ? "true" : "false",
      row.report.levels, static_cast<long long>(row.report.leaf_size), row.run, row.evaluation, row.partition,
      row.error.potential, row.error.gradient, static_cast<long long>(row.ghosts), static_cast<long long>(row.sent),
      row.imbalance, row.report.device.c_str());
  bench::print_stages(row.stages, 4);
  std::printf("}}\n");
  std::fflush(stdout);
}

void run(const Case& c, const std::vector<int>& devices) {
  const Options options = fmm_options(c.p, c.depth, c.gradient);
  Row row;
  if (devices.size() == 1)
    row = on_one(c, options);
  else
    distributed::on_devices(devices, [&](distributed::Communicator& ranks) {
      const Row own = on_rank(ranks, c, options);
      if (ranks.rank() == 0) row = own;
    });
  print(c, devices.size(), row);
}

/// Both as the paper does it, the best of uniform trees, and with Farfield's own.
void run_settings(Case c, const std::vector<int>& devices) {
  const int log2_n = std::ilogb(static_cast<double>(c.n));
  for (const int depth : {-1, (log2_n - 7) / 3, (log2_n - 4) / 3}) c.depth = depth, run(c, devices);
}

/// Rows whose N, for one device, is from 2^first to 2^last.
struct Sizes {
  int first = 20, last = 24;
};

void run_all(const std::vector<int>& devices, const Sizes& sizes) {
  const auto gpus = static_cast<std::int64_t>(devices.size());
  for (int log2_n = sizes.first; log2_n <= sizes.last; ++log2_n) {
    const std::int64_t n = std::int64_t(1) << log2_n;
    if (log2_n > 24) {
      run({"figure 8", n, 8, -1, false}, devices);
      continue;
    }
    for (const bool gradient : {true, false}) run_settings({"2", n, 8, -1, gradient}, devices);
    run({"figure 9", n, 10, -1, true}, devices);
    if (log2_n == 23) run_settings({"4", gpus * n, 8, -1, false}, devices);
  }
}

/// 1, 2, 4, ... of the devices.
void run_numbers(const std::vector<int>& devices, const Sizes& sizes) {
  for (std::size_t count = 1; count <= devices.size(); count *= 2)
    run_all({devices.begin(), devices.begin() + static_cast<std::ptrdiff_t>(count)}, sizes);
}

}  // namespace
}  // namespace farfield::papers

int main(int count, char** arguments) {
  if (count < 2) return std::fprintf(stderr, "usage: hu_ranks DEVICE[,DEVICE ...] [FIRST, 20] [LAST, 24]\n"), 2;
  std::vector<int> devices;
  for (const std::string& device : farfield::bench::listed(arguments[1])) devices.push_back(std::stoi(device));
  farfield::papers::Sizes sizes;
  if (count > 2) sizes.first = std::atoi(arguments[2]);
  if (count > 3) sizes.last = std::atoi(arguments[3]);
  return farfield::papers::run_program([&] { farfield::papers::run_numbers(devices, sizes); });
}
