// What ranks say to each other: messages, peers and bytes of a plan over loopback, by the number of ranks and points,
// counted at the communicator; a JSON line for each. Ranks are threads of this process, each with its part of a random
// cloud; degree 3 in single, potential, leaves as the CPU chooses them or of LEAF sources. Means and largest of ranks.
//
//     build/release/bench/rank_counts uniform 100000,1000000 1,2,4,8 [LEAF]    # bench/rates/model.py draws from these
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <farfield/distributed.hpp>
#include <farfield/farfield.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/clouds.hpp"

using namespace farfield;
using distributed::Communicator, distributed::Incoming, distributed::Order, distributed::Outgoing;

namespace {

constexpr int degree = 3;

/// One exchange, as one rank sends.
struct Sent {
  std::int64_t messages = 0, bytes = 0, least = 0;  ///< least: bytes of the smallest message
};

/// What a rank did since `restart`.
struct Tally {
  std::int64_t collectives = 0;
  std::int64_t gathered = 0, reduced = 0;  ///< bytes that it gave for all ranks to have, and of numbers that became one
  std::vector<Sent> exchanges;
};

/// Counts what passes through another communicator.
class Counting final : public Communicator {
 public:
  explicit Counting(std::unique_ptr<Communicator> inner) : inner_(std::move(inner)) {}
  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    ++tally_.collectives, tally_.gathered += static_cast<std::int64_t>(bytes);
    inner_->all_gather(mine, bytes, all);
  }
  void all_reduce(std::span<std::int64_t> numbers, distributed::Reduction how) override {
    ++tally_.collectives, tally_.reduced += static_cast<std::int64_t>(numbers.size_bytes());
    inner_->all_reduce(numbers, how);
  }
  void all_to_all(const void* mine, std::size_t bytes, void* theirs) override {
    ++tally_.collectives;
    inner_->all_to_all(mine, bytes, theirs);
  }
  void prepare(std::size_t bytes) override { inner_->prepare(bytes); }
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) override {
    Sent sent;
    for (const Outgoing& one : sends) {
      const auto bytes = static_cast<std::int64_t>(one.bytes);
      sent.least = sent.messages == 0 ? bytes : std::min(sent.least, bytes);
      ++sent.messages, sent.bytes += bytes;
    }
    tally_.exchanges.push_back(sent);
    inner_->exchange(sends, receives);
  }
  Tally restart() { return std::exchange(tally_, {}); }

 private:
  std::unique_ptr<Communicator> inner_;
  Tally tally_;
};

/// The steps of one rank.
struct Steps {
  Tally plan, keep, any;
  distributed::Report report;
};

Options options_for(std::int64_t leaf_size) {
  Options o;
  o.method = Method::fmm, o.backend = Backend::cpu;
  o.precision = Precision::single_, o.degree = degree;
  o.leaf_size = leaf_size, o.threads = 1;
  return o;
}

Steps steps_of(Counting& ranks, const testing::Cloud& cloud, const Options& options) {
  const std::int64_t n = cloud.count(), first = n * ranks.rank() / ranks.size(),
                     count = n * (ranks.rank() + 1) / ranks.size() - first;
  Steps steps;
  distributed::Plan plan(ranks, points(cloud.sources.data() + 3 * first, count), options);
  steps.plan = ranks.restart();
  std::vector<float> q(static_cast<std::size_t>(std::max(count, plan.owned_count())), 1), result(q.size());
  Outputs out;
  out.scalar = Scalar::float32, out.potential = result.data();
  plan.evaluate(strengths(q.data(), plan.owned_count()), out, Order::owned);
  steps.keep = ranks.restart();
  steps.report = plan.evaluate(strengths(q.data(), count), out, Order::given);
  steps.any = ranks.restart();
  return steps;
}

std::vector<Steps> run(const testing::Cloud& cloud, int ranks, std::int64_t leaf_size) {
  std::vector<Steps> steps(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  auto all = distributed::loopback(ranks, 600);
  for (auto& one : all)
    threads.emplace_back([&, inner = std::move(one)]() mutable {
      Counting counting(std::move(inner));
      const auto rank = static_cast<std::size_t>(counting.rank());
      try {
        steps[rank] = steps_of(counting, cloud, options_for(leaf_size));
      } catch (const std::exception& error) {
        std::fprintf(stderr, "rank_counts: %s\n", error.what());
        std::exit(1);
      }
    });
  for (std::thread& thread : threads) thread.join();
  return steps;
}

/// "name_mean": , "name_max": of the ranks' numbers.
template <class Number>
void print_of_ranks(const char* name, const std::vector<Steps>& steps, const Number& number) {
  double sum = 0, most = 0;
  for (std::size_t r = 0; r < steps.size(); ++r) {
    const auto one = static_cast<double>(number(r));
    sum += one, most = std::max(most, one);
  }
  std::printf(", \"%s_mean\": %.8g, \"%s_max\": %.8g", name, sum / static_cast<double>(steps.size()), name, most);
}

/// The k-th exchange of a step; of one rank nothing is exchanged.
Sent exchange_of(const Tally& tally, std::size_t k) { return k < tally.exchanges.size() ? tally.exchanges[k] : Sent{}; }

void print_step(const char* name, const std::vector<Steps>& steps, Tally Steps::*step) {
  const Tally& first = steps[0].*step;
  std::printf(", \"%s_collectives\": %lld, \"%s_exchanges\": %zu", name, static_cast<long long>(first.collectives),
              name, first.exchanges.size());
  print_of_ranks((std::string(name) + "_gathered").c_str(), steps,
                 [&](std::size_t r) { return (steps[r].*step).gathered; });
  print_of_ranks((std::string(name) + "_reduced").c_str(), steps,
                 [&](std::size_t r) { return (steps[r].*step).reduced; });
  const auto over_exchanges = [&](std::int64_t Sent::*what) {
    return [&steps, step, what](std::size_t r) {
      std::int64_t sum = 0;
      for (const Sent& one : (steps[r].*step).exchanges) sum += one.*what;
      return sum;
    };
  };
  print_of_ranks((std::string(name) + "_messages").c_str(), steps, over_exchanges(&Sent::messages));
  print_of_ranks((std::string(name) + "_bytes").c_str(), steps, over_exchanges(&Sent::bytes));
}

/// Of the sum itself: in keep-order the strengths of ghosts go first and multipoles follow; any-order has the strengths
/// to owners before them.
void print_sums(const std::vector<Steps>& steps) {
  const auto part = [&](const char* name, std::size_t k, Tally Steps::*step) {
    for (const auto& [what, member] :
         {std::pair{"_messages", &Sent::messages}, {"_bytes", &Sent::bytes}, {"_least", &Sent::least}})
      print_of_ranks((std::string(name) + what).c_str(), steps,
                     [&, m = member](std::size_t r) { return exchange_of(steps[r].*step, k).*m; });
  };
  part("strengths", 0, &Steps::any), part("ghosts", 0, &Steps::keep), part("multipoles", 1, &Steps::keep);
}

/// The first exchange of an evaluation is what this program takes it for: each ghost gets its strength, in single.
bool are_ghosts(const std::vector<Steps>& steps) {
  std::int64_t bytes = 0, ghosts = 0;
  for (const Steps& one : steps) bytes += exchange_of(one.keep, 0).bytes;
  for (const distributed::RankReport& one : steps[0].report.ranks) ghosts += one.ghosts;
  return bytes == 4 * ghosts;
}

void print(const std::string& cloud, std::int64_t n, const std::vector<Steps>& steps) {
  const farfield::Report& r = steps[0].report.plan;
  const auto& ranks = steps[0].report.ranks;
  std::printf(
      "{\"cloud\": \"%s\", \"points\": %lld, \"ranks\": %zu, \"degree\": %d, \"leaf_size\": %lld, \"levels\": %d, "
      "\"boxes\": %lld, \"leaves\": %lld",
      cloud.c_str(), static_cast<long long>(n), ranks.size(), r.degree, static_cast<long long>(r.leaf_size), r.levels,
      static_cast<long long>(r.boxes), static_cast<long long>(r.leaves));
  print_of_ranks("owned", steps, [&](std::size_t k) { return ranks[k].owned; });
  print_of_ranks("held", steps, [&](std::size_t k) { return ranks[k].ghosts; });
  print_of_ranks("held_boxes", steps, [&](std::size_t k) { return ranks[k].boxes; });
  print_step("plan", steps, &Steps::plan), print_step("keep", steps, &Steps::keep),
      print_step("any", steps, &Steps::any);
  print_sums(steps);
  std::printf("}\n");
  std::fflush(stdout);
}

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> items;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) items.push_back(item);
  return items;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string cloud = count > 1 ? arguments[1] : "";
  if (count < 4 || (cloud != "uniform" && cloud != "plummer"))
    return std::fprintf(stderr,
                        "usage: rank_counts CLOUD(uniform|plummer) POINTS[,POINTS ...] RANKS[,RANKS ...] [LEAF]\n"),
           2;
  for (const std::string& n : listed(arguments[2])) {
    const testing::Kind kind = cloud == "uniform" ? testing::Kind::uniform : testing::Kind::plummer;
    const testing::Cloud points = testing::make_cloud(kind, std::stoll(n), testing::Signs::positive);
    for (const std::string& ranks : listed(arguments[3])) {
      const std::vector<Steps> steps = run(points, std::stoi(ranks), count > 4 ? std::stoll(arguments[4]) : 0);
      if (!are_ghosts(steps))
        return std::fprintf(stderr, "rank_counts: strengths of ghosts are not where they were\n"), 1;
      print(cloud, points.count(), steps);
    }
  }
}
