// What processes that share a sum own, send and wait for.
#include <fmt/format.h>

#include <algorithm>

#include "cli/report/json.hpp"
#include "cli/report/numbers.hpp"
#include "cli/report/text.hpp"

namespace farfield::cli {
namespace {

using distributed::RankReport;

/// "1,200", or "1,100 to 1,300" where ranks differ.
template <class Value, class Word>
std::string range(const std::vector<RankReport>& ranks, const Value& value, const Word& word) {
  auto least = value(ranks.front()), most = least;
  for (const RankReport& rank : ranks) least = std::min(least, value(rank)), most = std::max(most, value(rank));
  const std::string low = word(least), high = word(most);
  return low == high ? low : low + " to " + high;
}

double share_waited(const RankReport& r) { return r.seconds > 0 ? r.waiting / r.seconds : 0; }

}  // namespace

std::string describe_ranks(const Computation& c, const Terminal& t) {
  if (!c.ranks || c.ranks->ranks.empty()) return "";
  const std::vector<RankReport>& ranks = c.ranks->ranks;
  const std::string owned = range(
      ranks, [](const RankReport& r) { return r.owned; }, grouped);
  if (ranks.size() == 1) return section("Ranks", fmt::format("1, which owns {} points", owned), t);
  const std::string ghosts = range(
      ranks, [](const RankReport& r) { return r.ghosts; }, grouped);
  const std::string sent = range(
      ranks, [](const RankReport& r) { return r.sent; }, bytes);
  const std::string waited = range(ranks, share_waited, percent);
  return section("Ranks",
                 fmt::format("{}: each owns {} points and holds {} sources of others", ranks.size(), owned, ghosts),
                 t) +
         section("",
                 fmt::format("each sends {} in an evaluation and waits {} of its time; the busiest works {} more than "
                             "the mean",
                             sent, waited, percent(c.ranks->imbalance)),
                 t);
}

nlohmann::ordered_json ranks_to_json(const Computation& c) {
  if (!c.ranks) return nullptr;
  auto list = nlohmann::ordered_json::array();
  for (const RankReport& r : c.ranks->ranks)
    list.push_back({{"given", r.given},
                    {"owned", r.owned},
                    {"ghosts", r.ghosts},
                    {"boxes", r.boxes},
                    {"sent_bytes", r.sent},
                    {"migrants", r.migrants},
                    {"seconds", r.seconds},
                    {"waiting_seconds", r.waiting}});
  return list;
}

}  // namespace farfield::cli
