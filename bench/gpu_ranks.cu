// A sum that several devices share, beside the same on one: seconds of a move and of an evaluation, with positions,
// strengths and results in device memory; a JSON line for each way. Ways: "one" device; "weak", as many points for each
// of the devices as the one had; "strong", that many points for all together; each in the given order ("any": a move
// sends all points to their owners) and where points are owned ("keep": it sends none, since points rest). Medians
// of 5. Efficiency: of all points per second and device, over that of one device in the same run; of steps also without
// redistribution. "unbooked": what of the move no stage (with a star: of the move) has. "sent_move", "sent_evaluate":
// bytes from each device (rows) to each. "same_bits": are results in the given order those of one device, where it had
// the same points, and at most 2^27? "errors": potential and gradient, of one device and where asked. "memory": bytes
// of each rank's plan at their most, "held" its points, "bytes_per_point" the largest of the one over the other; the
// caller's arrays, 32 bytes a point, come on top. "setup": seconds until points lie where they are wanted.
//
//     gpu_ranks CLOUD(uniform|plummer|sphere|galaxies) LOG2_N[,LOG2_N ...] DEVICE[,DEVICE ...] [TOLERANCE | pDEGREE]
//               [WAY[,WAY ...] of weak-any, strong-any, weak-keep, strong-keep; check-any, check-keep: weak, with
//               errors, which the times include; without-one leaves out the one device]
#include <cstdlib>
#include <optional>

#include "bench/ranks/arrays.hpp"
#include "bench/ranks/lines.hpp"

namespace farfield::bench {
namespace {

using distributed::Order;

constexpr int runs = 5;
constexpr std::int64_t samples = 1000;                         ///< targets at which the error is measured
constexpr std::int64_t most_compared = std::int64_t(1) << 27;  ///< 2 GB of results

Options options_for(const std::string& asked) {
  Options o;
  o.method = Method::fmm, o.backend = Backend::cuda;
  o.precision = Precision::single_;
  if (asked.starts_with('p'))
    o.degree = std::stoi(asked.substr(1));
  else
    o.tolerance = std::stod(asked);
  o.gradient = true;
  return o;
}

template <class Work>
double seconds_of(const Work& work) {
  cudaDeviceSynchronize();
  const double start = now();
  work();
  cudaDeviceSynchronize();
  return now() - start;
}

/// Medians of all runs but the first.
template <class Move, class Evaluate, class Reports>
Times times_of(const Move& move, const Evaluate& evaluate, const Reports& report) {
  std::vector<double> moves, sums;
  StageTimes stages;
  for (int i = 0; i <= runs; ++i) {
    const double moved = seconds_of(move), summed = seconds_of(evaluate);
    if (i == 0) continue;
    moves.push_back(moved), sums.push_back(summed), stages.add(report());
  }
  Times times;
  times.move = median(moves), times.evaluate = median(sums), times.stages = stages.medians();
  return times;
}

Times one_device(const std::string& cloud, std::int64_t n, const Options& o, Results& results) {
  const double start = now();
  Arrays a(cloud, Part{0, n, n});
  std::optional<Plan> plan(std::in_place, a.points(), o);
  const double setup = now() - start;
  Times times = times_of([&] { plan->move(a.points()); }, [&] { plan->evaluate(a.of(), a.outputs()); },
                         [&]() -> const Report& { return plan->report(); });
  times.setup = setup, times.memory = {plan->report().memory_bytes}, times.held = {n};
  if (n <= most_compared) results = a.results();
  Options checked = o;
  checked.check = samples;
  times.report.plan = plan.emplace(a.points(), checked).evaluate(a.of(), a.outputs());
  return times;
}

std::vector<std::int64_t> of_all(distributed::Communicator& ranks, const std::vector<std::int64_t>& own) {
  std::vector<std::int64_t> all(own.size() * static_cast<std::size_t>(ranks.size()));
  ranks.all_gather(own.data(), own.size() * sizeof own[0], all.data());
  return all;
}

/// Times of the first rank; all wait for each other in every call. `one`: what to compare results with, or nothing.
Times of_ranks(const std::string& cloud, std::int64_t n, const std::vector<int>& devices, Order order, const Options& o,
               const Results& one) {
  Times times;
  distributed::on_devices(devices, [&](distributed::Communicator& communicator) {
    const std::int64_t first = n * communicator.rank();
    const double start = now();
    Arrays a(cloud, Part{first, n, n * communicator.size()});
    distributed::Plan plan(communicator, a.points(), o);
    if (order == Order::owned) a.go_to_owners(plan);
    const double setup = now() - start;
    std::vector<std::int64_t> sent_move;
    const auto move = [&] { plan.move(a.points(), order), sent_move = plan.report().sent; };
    Times own = times_of(
        move, [&] { plan.evaluate(a.of(), a.outputs(), order); },
        [&]() -> const Report& { return plan.report().plan; });
    own.report = plan.report(), own.setup = setup;
    own.memory = of_all(communicator, {own.report.plan.memory_bytes});
    own.held = of_all(communicator, {plan.owned_count()});
    own.sent_move = of_all(communicator, sent_move), own.sent_evaluate = of_all(communicator, plan.report().sent);
    if (order == Order::given && !one.potential.empty())
      own.same_bits = of_all(communicator, {equal(a.results(), one, first)});
    if (communicator.rank() == 0) times = own;
  });
  return times;
}

/// Sums that fail, as for want of memory, leave a line that says so.
template <class Sum>
void said(const char* way, const Sum& sum) {
  try {
    sum();
  } catch (const Error& error) {
    std::printf("{\"way\": \"%s\", \"error\": \"%s\"}\n", way, error.what());
    std::fflush(stdout);
  }
}

void run(const std::string& cloud, std::int64_t n, const std::vector<int>& devices, const Options& o,
         const std::vector<std::string>& ways) {
  Results results;
  Times one;
  if (std::find(ways.begin(), ways.end(), "without-one") == ways.end())
    said("one", [&] {
      one = one_device(cloud, n, o, results);
      print({cloud, "one", "any", n, 1, one, n}, one);
    });
  const auto count = static_cast<std::int64_t>(devices.size());
  for (const std::string& name : ways) {
    if (name == "without-one") continue;
    const auto [way, order] = std::pair(name.substr(0, name.find('-')), name.substr(name.find('-') + 1));
    const std::int64_t each = way == "strong" ? n / count : n;
    Options own = o;
    if (way == "check") own.check = samples;
    said(name.c_str(), [&] {
      const Times times = of_ranks(cloud, each, devices, order == "any" ? Order::given : Order::owned, own,
                                   each * count == n ? results : Results{});
      print({cloud, way, order, each * count, devices.size(), one, n}, times);
    });
  }
}

}  // namespace
}  // namespace farfield::bench

int main(int count, char** arguments) {
  using namespace farfield;
  using namespace farfield::bench;
  if (count < 4)
    return std::fprintf(stderr, "usage: gpu_ranks CLOUD LOG2_N,... DEVICE,... [TOLERANCE|pDEGREE] [WAY,...]\n"), 2;
  std::vector<int> devices;
  for (const std::string& device : listed(arguments[3])) devices.push_back(std::stoi(device));
  const Options o = options_for(count > 4 ? arguments[4] : "1e-5");
  const auto ways = listed(count > 5 ? arguments[5] : "weak-any,strong-any,weak-keep,strong-keep");
  for (const std::string& log2_n : listed(arguments[2]))
    run(arguments[1], std::llround(std::exp2(std::stod(log2_n))), devices, o, ways);
}
