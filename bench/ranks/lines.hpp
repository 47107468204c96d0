// What gpu_ranks measures of one way, and its line of JSON.
#pragma once
#include <algorithm>
#include <cstdio>
#include <farfield/distributed.hpp>
#include <map>
#include <string>
#include <vector>

#include "bench/timing.hpp"

namespace farfield::bench {

struct Times {
  double move = 0, evaluate = 0;
  std::map<std::string, double> stages;
  distributed::Report report;
  double setup = 0;                                    ///< seconds until points are made, planned and where they belong
  std::vector<std::int64_t> memory, held;              ///< of each rank: bytes of its plan at their most, its points
  std::vector<std::int64_t> sent_move, sent_evaluate;  ///< [from][to]
  std::vector<std::int64_t> same_bits;                 ///< of each rank; none where nothing was compared
};

/// A way of summing, beside one device alone; times of 0: that was not measured.
struct Line {
  std::string cloud, way, order;
  std::int64_t points;
  std::size_t devices;
  const Times& one;
  std::int64_t of_one;  ///< points
};

inline void print_numbers(const char* name, const std::vector<std::int64_t>& numbers) {
  std::printf(", \"%s\": [", name);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    std::printf("%s%lld", i ? ", " : "", static_cast<long long>(numbers[i]));
  std::printf("]");
}

inline void print_links(const char* name, const std::vector<std::int64_t>& sent, std::size_t devices) {
  std::printf(", \"%s\": [", name);
  for (std::size_t i = 0; i < sent.size(); ++i)
    std::printf("%s%lld%s",
                i % devices ? ", "
                : i         ? ", ["
                            : "[",
                static_cast<long long>(sent[i]), i % devices + 1 == devices ? "]" : "");
  std::printf("]");
}

/// Of the rank that took the most.
inline void print_memory(const Times& t) {
  double most = 0;
  for (std::size_t r = 0; r < t.memory.size(); ++r)
    most = std::max(most, static_cast<double>(t.memory[r]) / static_cast<double>(std::max<std::int64_t>(1, t.held[r])));
  std::printf(", \"setup\": %.1f, \"bytes_per_point\": %.1f", t.setup, most);
  print_numbers("memory", t.memory), print_numbers("held", t.held);
}

inline void print_sums(const Line& line, const Times& t) {
  const auto efficiency = [&](double own, double alone) {
    const double each = static_cast<double>(line.points) / static_cast<double>(line.devices);
    return own > 0 && alone > 0 ? each / own / (static_cast<double>(line.of_one) / alone) : 0;
  };
  const Times& one = line.one;
  double redistribution = 0, unbooked = t.move;
  for (const auto& [name, seconds] : t.stages) {
    if (name == "redistribution*") redistribution = seconds;
    if (name.ends_with('*')) unbooked -= seconds;
  }
  const double step = t.move + t.evaluate, of_one = one.move + one.evaluate;
  std::printf(
      "\"move\": %.6f, \"evaluate\": %.6f, \"move_efficiency\": %.4f, \"evaluate_efficiency\": %.4f, "
      "\"step_efficiency\": %.4f, \"redistribution\": %.6f, \"efficiency_without\": %.4f, \"unbooked\": %.6f",
      t.move, t.evaluate, efficiency(t.move, one.move), efficiency(t.evaluate, one.evaluate), efficiency(step, of_one),
      redistribution, efficiency(step - redistribution, of_one), unbooked);
}

inline void print(const Line& line, const Times& t) {
  std::int64_t sent = 0, ghosts = 0;
  for (const distributed::RankReport& r : t.report.ranks) sent += r.sent, ghosts += r.ghosts;
  const Report& r = t.report.plan;
  std::printf(
      "{\"cloud\": \"%s\", \"way\": \"%s\", \"order\": \"%s\", \"points\": %lld, \"devices\": %zu, \"degree\": %d, "
      "\"boxes\": %lld, ",
      line.cloud.c_str(), line.way.c_str(), line.order.c_str(), static_cast<long long>(line.points), line.devices,
      r.degree, static_cast<long long>(r.boxes));
  print_sums(line, t);
  std::printf(", \"sent_bytes\": %lld, \"ghosts\": %lld, \"imbalance\": %.4f, \"memory_bytes\": %lld",
              static_cast<long long>(sent), static_cast<long long>(ghosts), t.report.imbalance,
              static_cast<long long>(r.memory_bytes));
  print_memory(t);
  if (r.error) std::printf(", \"errors\": [%.3g, %.3g]", r.error->potential, r.error->gradient);
  if (!t.same_bits.empty())
    std::printf(", \"same_bits\": %s",
                std::count(t.same_bits.begin(), t.same_bits.end(), 1) == std::ssize(t.same_bits) ? "true" : "false");
  print_links("sent_move", t.sent_move, line.devices), print_links("sent_evaluate", t.sent_evaluate, line.devices);
  std::printf(", \"stages_ms\": {");
  print_stages(t.stages, 3);
  std::printf("}}\n");
  std::fflush(stdout);
}

}  // namespace farfield::bench
