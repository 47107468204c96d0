// A sum that several devices share, beside the same on one: seconds of a move and of an evaluation, with positions,
// strengths and results in device memory; a JSON line for each way. Ways: "one" device; "weak", as many points for each
// of the devices as the one had; "strong", that many points for all together; each in the given order ("any": a move
// sends all points to their owners) and where points are owned ("keep": it sends none, since points rest). Medians
// of 5. Efficiency: of all points per second and device, over that of one device in the same run; of steps also without
// redistribution. "unbooked": what of the move no stage (with a star: of the move) has. "sent_move", "sent_evaluate":
// bytes from each device (rows) to each. "same_bits": are results in the given order those of one device, where it had
// the same points, and at most 2^27? "errors": of one device, potential and gradient.
//
//     gpu_ranks CLOUD(uniform|plummer|sphere|galaxies) LOG2_N[,LOG2_N ...] DEVICE[,DEVICE ...] [TOLERANCE | pDEGREE]
//               [WAY[,WAY ...] of weak-any, strong-any, weak-keep, strong-keep]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <farfield/distributed.hpp>
#include <farfield/farfield.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu_clouds.hpp"
#include "bench/timing.hpp"

namespace farfield::bench {
namespace {

using distributed::Order;

constexpr int runs = 5;
constexpr std::int64_t samples = 1000;                         ///< targets at which the error is measured
constexpr std::int64_t most_compared = std::int64_t(1) << 27;  ///< 2 GB of results

struct Times {
  double move = 0, evaluate = 0;
  std::map<std::string, double> stages;
  distributed::Report report;
  std::vector<std::int64_t> sent_move, sent_evaluate;  ///< [from][to]
  std::vector<std::int64_t> same_bits;                 ///< of each rank; none where nothing was compared
};

/// On the host.
struct Results {
  std::vector<float> potential, gradient;
};

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

std::vector<float> on_host(const cuda::DeviceArray<float>& device, std::int64_t count) {
  std::vector<float> host(static_cast<std::size_t>(count));
  cuda::download(host.data(), device.data(), count, nullptr);
  cuda::require(cudaStreamSynchronize(nullptr), "copy");
  return host;
}

/// Arrays of a rank, or of one device alone.
struct Arrays {
  cuda::DeviceArray<float> positions, strengths, potential, gradient;
  Arrays(const std::string& cloud, const Part& part)
      : positions(make_points(cloud, part)), strengths(make_strengths<float>(part, true)) {
    resize_results(part.count);
  }
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
  Results results(std::int64_t count) const { return {on_host(potential, count), on_host(gradient, 3 * count)}; }
};

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
  return {median(moves), median(sums), stages.medians(), {}, {}, {}, {}};
}

Times one_device(const std::string& cloud, std::int64_t n, const Options& o, Results& results) {
  Arrays a(cloud, Part{0, n, n});
  std::optional<Plan> plan(std::in_place, a.points(n), o);
  Times times = times_of([&] { plan->move(a.points(n)); }, [&] { plan->evaluate(a.of(n), a.outputs()); },
                         [&]() -> const Report& { return plan->report(); });
  if (n <= most_compared) results = a.results(n);
  Options checked = o;
  checked.check = samples;
  times.report.plan = plan.emplace(a.points(n), checked).evaluate(a.of(n), a.outputs());
  return times;
}

/// Points and strengths to where the plan put the points; at rest they stay there over moves in the owned order.
void carry_to_owners(distributed::Plan& plan, Arrays& a, std::int64_t given) {
  const std::int64_t owned = plan.owned_count();
  for (auto [array, width] : {std::pair(&a.positions, 3), std::pair(&a.strengths, 1)}) {
    const std::vector<float> to = plan.to_owned(on_host(*array, width * given), static_cast<std::size_t>(width));
    cuda::upload(*array, to.data(), std::ssize(to), nullptr);
    cuda::require(cudaStreamSynchronize(nullptr), "owned points");
  }
  a.resize_results(owned);
}

/// Are this rank's results those of one device, for which they begin with that of point `first`?
bool equal(const Results& own, const Results& one, std::int64_t first) {
  const auto same = [](const std::vector<float>& part, const std::vector<float>& whole, std::int64_t begin) {
    return std::memcmp(part.data(), whole.data() + begin, part.size() * sizeof(float)) == 0;
  };
  return same(own.potential, one.potential, first) && same(own.gradient, one.gradient, 3 * first);
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
    Arrays a(cloud, Part{first, n, n * communicator.size()});
    distributed::Plan plan(communicator, a.points(n), o);
    const std::int64_t held = order == Order::owned ? plan.owned_count() : n;
    if (order == Order::owned) carry_to_owners(plan, a, n);
    std::vector<std::int64_t> sent_move;
    const auto move = [&] { plan.move(a.points(held), order), sent_move = plan.report().sent; };
    Times own = times_of(
        move, [&] { plan.evaluate(a.of(held), a.outputs(), order); },
        [&]() -> const Report& { return plan.report().plan; });
    own.report = plan.report();
    own.sent_move = of_all(communicator, sent_move), own.sent_evaluate = of_all(communicator, plan.report().sent);
    if (order == Order::given && !one.potential.empty())
      own.same_bits = of_all(communicator, {equal(a.results(n), one, first)});
    if (communicator.rank() == 0) times = own;
  });
  return times;
}

void print_links(const char* name, const std::vector<std::int64_t>& sent, std::size_t devices) {
  std::printf(", \"%s\": [", name);
  for (std::size_t i = 0; i < sent.size(); ++i)
    std::printf("%s%lld%s",
                i % devices ? ", "
                : i         ? ", ["
                            : "[",
                static_cast<long long>(sent[i]), i % devices + 1 == devices ? "]" : "");
  std::printf("]");
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
      "\"imbalance\": %.4f, \"memory_bytes\": %lld",
      cloud.c_str(), way, order, static_cast<long long>(points), devices, r.degree, static_cast<long long>(r.boxes),
      t.move, t.evaluate, efficiency(t.move, one.move), efficiency(t.evaluate, one.evaluate),
      efficiency(t.move + t.evaluate, one.move + one.evaluate), redistribution,
      efficiency(t.move + t.evaluate - redistribution, one.move + one.evaluate), unbooked, static_cast<long long>(sent),
      static_cast<long long>(ghosts), t.report.imbalance, static_cast<long long>(r.memory_bytes));
  if (r.error) std::printf(", \"errors\": [%.3g, %.3g]", r.error->potential, r.error->gradient);
  if (!t.same_bits.empty())
    std::printf(", \"same_bits\": %s",
                std::count(t.same_bits.begin(), t.same_bits.end(), 1) == std::ssize(t.same_bits) ? "true" : "false");
  print_links("sent_move", t.sent_move, devices), print_links("sent_evaluate", t.sent_evaluate, devices);
  std::printf(", \"stages_ms\": {");
  print_stages(t.stages, 3);
  std::printf("}}\n");
  std::fflush(stdout);
}

/// Sums that fail, as for want of memory, leave a line that says so.
template <class Sum>
void said(const char* way, const Sum& sum) {
  try {
    sum();
  } catch (const Error& error) {
    std::printf("{\"way\": \"%s\", \"error\": \"%s\"}\n", way, error.what());
  }
}

void run(const std::string& cloud, std::int64_t n, const std::vector<int>& devices, const Options& o,
         const std::vector<std::string>& ways) {
  Results results;
  Times one;
  said("one", [&] {
    one = one_device(cloud, n, o, results);
    print(cloud, "one", "any", n, 1, one, one, n);
  });
  const auto count = static_cast<std::int64_t>(devices.size());
  for (const std::string& name : ways) {
    const auto [way, order] = std::pair(name.substr(0, name.find('-')), name.substr(name.find('-') + 1));
    const std::int64_t each = way == "weak" ? n : n / count;
    said(name.c_str(), [&] {
      const Times times = of_ranks(cloud, each, devices, order == "any" ? Order::given : Order::owned, o,
                                   each * count == n ? results : Results{});
      print(cloud, way.c_str(), order.c_str(), each * count, devices.size(), times, one, n);
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
