// A sum that several devices share, beside the same on one: seconds of a move and of an evaluation, with positions,
// strengths and results in device memory; a JSON line for each way. Ways: "one" device; "weak", as many points for each
// of the devices as the one had; "strong", that many points for all together; each in the given order ("any": a move
// sends all points to their owners) and where points are owned ("keep": it sends none, since points rest). Medians
// of 5. Efficiency: of all points per second and device, over that of one device in the same run; of steps also without
// redistribution. "unbooked": what of the move no stage (with a star: of the move) has. Usage: gpu_ranks
// CLOUD(uniform|plummer|sphere|galaxies) LOG2_N[,LOG2_N ...] DEVICE[,DEVICE ...] [TOLERANCE]
#include <cstdio>
#include <cstdlib>
#include <farfield/distributed.hpp>
#include <farfield/farfield.hpp>
#include <span>
#include <string>
#include <vector>

#include "bench/gpu_clouds.hpp"
#include "bench/timing.hpp"

namespace farfield::bench {
namespace {

using distributed::Order;

constexpr int runs = 5;

struct Times {
  double move = 0, evaluate = 0;
  std::map<std::string, double> stages;
  distributed::Report report;
};

Options options_for(double tolerance) {
  Options o;
  o.method = Method::fmm, o.backend = Backend::cuda;
  o.precision = Precision::single_, o.tolerance = tolerance;
  o.gradient = true;
  return o;
}

/// Arrays of a rank, or of one device alone.
struct Arrays {
  cuda::DeviceArray<float> positions, strengths, potential, gradient;
  void resize_results(std::int64_t count) {
    potential.resize(std::max<std::int64_t>(1, count)), gradient.resize(3 * std::max<std::int64_t>(1, count));
  }
  Points points(std::int64_t count) const {
    Points p = farfield::points(static_cast<const float*>(positions.data()), count);
    p.space = MemorySpace::device;
    return p;
  }
  Strengths of(std::int64_t count) const {
    Strengths s = farfield::strengths(static_cast<const float*>(strengths.data()), count);
    s.space = MemorySpace::device;
    return s;
  }
  Outputs outputs() {
    Outputs o;
    o.scalar = Scalar::float32, o.space = MemorySpace::device;
    o.potential = potential.data(), o.gradient = gradient.data();
    return o;
  }
};

template <class Work>
double seconds_of(const Work& work) {
  cudaDeviceSynchronize();
  const double start = now();
  work();
  cudaDeviceSynchronize();
  return now() - start;
}

Times one_device(const std::string& cloud, std::int64_t n, const Options& o) {
  Arrays a;
  a.positions = make_points(cloud, n), a.strengths = make_strengths<float>(n, true);
  a.resize_results(n);
  Plan plan(a.points(n), o);
  std::vector<double> moves, sums;
  StageTimes stages;
  for (int i = 0; i <= runs; ++i) {
    const double move = seconds_of([&] { plan.move(a.points(n)); });
    const double sum = seconds_of([&] { plan.evaluate(a.of(n), a.outputs()); });
    if (i == 0) continue;
    moves.push_back(move), sums.push_back(sum), stages.add(plan.report());
  }
  Times times{median(moves), median(sums), stages.medians(), {}};
  times.report.plan = plan.report();
  return times;
}

/// The positions of the points that this rank owns; at rest they stay there over moves in the owned order.
cuda::DeviceArray<float> owned_positions(distributed::Plan& plan, const cuda::DeviceArray<float>& given) {
  std::vector<float> from(static_cast<std::size_t>(given.size()));
  cuda::download(from.data(), given.data(), given.size(), nullptr);
  cuda::require(cudaStreamSynchronize(nullptr), "positions");
  std::vector<float> to(3 * static_cast<std::size_t>(plan.owned_count()));
  plan.to_owned(std::as_bytes(std::span(from)), std::as_writable_bytes(std::span(to)), 3 * sizeof(float));
  cuda::DeviceArray<float> owned;
  cuda::upload(owned, to.data(), std::ssize(to), nullptr);
  cuda::require(cudaStreamSynchronize(nullptr), "positions");
  return owned;
}

/// Times of the first rank; all wait for each other in every call.
Times of_ranks(const std::string& cloud, std::int64_t per_rank, const std::vector<int>& devices, Order order,
               const Options& o) {
  Times times;
  distributed::on_devices(devices, [&](distributed::Communicator& communicator) {
    const std::int64_t n = per_rank, first = n * communicator.rank();
    Arrays a;
    a.positions = make_points(cloud, Part{first, n, n * communicator.size()}),
    a.strengths = make_strengths<float>(n, true);
    distributed::Plan plan(communicator, a.points(n), o);
    const std::int64_t held = order == Order::owned ? plan.owned_count() : n;
    if (order == Order::owned) a.positions = owned_positions(plan, a.positions);
    if (order == Order::owned) a.strengths = make_strengths<float>(held, true);
    a.resize_results(held);
    std::vector<double> moves, sums;
    StageTimes stages;
    for (int i = 0; i <= runs; ++i) {
      const double move = seconds_of([&] { plan.move(a.points(held), order); });
      const double sum = seconds_of([&] { plan.evaluate(a.of(held), a.outputs(), order); });
      if (i == 0) continue;
      moves.push_back(move), sums.push_back(sum), stages.add(plan.report().plan);
    }
    if (communicator.rank() == 0) times = {median(moves), median(sums), stages.medians(), plan.report()};
  });
  return times;
}

void print(const std::string& cloud, const char* way, const char* order, std::int64_t points, std::size_t devices,
           const Times& t, const Times& one, std::int64_t of_one) {
  const auto efficiency = [&](double own, double alone) {
    const double each = static_cast<double>(points) / static_cast<double>(devices);
    return own > 0 ? each / own / (static_cast<double>(of_one) / alone) : 0;
  };
  double redistribution = 0, unbooked = t.move;
  for (const auto& [name, seconds] : t.stages) {
    if (name == "redistribution*") redistribution = seconds;
    if (name.ends_with('*')) unbooked -= seconds;
  }
  std::int64_t sent = 0, ghosts = 0;
  for (const distributed::RankReport& r : t.report.ranks) sent += r.sent, ghosts += r.ghosts;
  const Report& r = t.report.plan;
  std::printf(
      "{\"cloud\": \"%s\", \"way\": \"%s\", \"order\": \"%s\", \"points\": %lld, \"devices\": %zu, \"degree\": %d, "
      "\"boxes\": %lld, \"move\": %.6f, \"evaluate\": %.6f, \"move_efficiency\": %.4f, "
      "\"evaluate_efficiency\": %.4f, \"step_efficiency\": %.4f, \"redistribution\": %.6f, "
      "\"efficiency_without\": %.4f, \"unbooked\": %.6f, \"sent_bytes\": %lld, \"ghosts\": %lld, "
      "\"imbalance\": %.4f, "
      "\"stages_ms\": {",
      cloud.c_str(), way, order, static_cast<long long>(points), devices, r.degree, static_cast<long long>(r.boxes),
      t.move, t.evaluate, efficiency(t.move, one.move), efficiency(t.evaluate, one.evaluate),
      efficiency(t.move + t.evaluate, one.move + one.evaluate), redistribution,
      efficiency(t.move + t.evaluate - redistribution, one.move + one.evaluate), unbooked, static_cast<long long>(sent),
      static_cast<long long>(ghosts), t.report.imbalance);
  print_stages(t.stages, 3);
  std::printf("}}\n");
  std::fflush(stdout);
}

void run(const std::string& cloud, std::int64_t n, const std::vector<int>& devices, double tolerance) {
  const Options o = options_for(tolerance);
  const Times one = one_device(cloud, n, o);
  const auto count = static_cast<std::int64_t>(devices.size());
  print(cloud, "one", "any", n, 1, one, one, n);
  for (const Order order : {Order::given, Order::owned}) {
    const char* const name = order == Order::given ? "any" : "keep";
    print(cloud, "weak", name, n * count, devices.size(), of_ranks(cloud, n, devices, order, o), one, n);
    print(cloud, "strong", name, n / count * count, devices.size(), of_ranks(cloud, n / count, devices, order, o), one,
          n);
  }
}

}  // namespace
}  // namespace farfield::bench

int main(int count, char** arguments) {
  using namespace farfield;
  using namespace farfield::bench;
  if (count < 4) return std::fprintf(stderr, "usage: gpu_ranks CLOUD LOG2_N,... DEVICE,... [TOLERANCE]\n"), 2;
  std::vector<int> devices;
  for (const std::string& device : listed(arguments[3])) devices.push_back(std::stoi(device));
  try {
    for (const std::string& log2_n : listed(arguments[2]))
      run(arguments[1], std::llround(std::exp2(std::stod(log2_n))), devices,
          count > 4 ? std::stod(arguments[4]) : 1e-5);
  } catch (const Error& error) {
    std::printf("{\"error\": \"%s\"}\n", error.what());
    return static_cast<int>(error.code());
  }
}
