#include "distributed/agree.hpp"

#include <algorithm>
#include <bit>
#include <farfield/error.hpp>

namespace farfield::distributed {

static void join_box(PointBox& box, const PointBox& other) {
  for (int axis = 0; axis < 3; ++axis) {
    box.low[axis] = std::min(box.low[axis], other.low[axis]);
    box.high[axis] = std::max(box.high[axis], other.high[axis]);
  }
}

/// Counts are added; of bounds the least and the largest are found. One collective.
void OtherRanks::join(cpu::Found& found) {
  const std::vector<cpu::Found> all = ranks_.all_gather(found);
  found = all[0];
  for (auto part = all.begin() + 1; part != all.end(); ++part) {
    found.sources += part->sources, found.targets += part->targets;
    found.least = std::min(found.least, part->least);
    join_box(found.all, part->all), join_box(found.of_targets, part->of_targets);
  }
}

void OtherRanks::join(std::vector<std::uint64_t>& occupied) { ranks_.unite(occupied.data(), occupied.size()); }

void refuse(const std::string& what) {
  throw Error(ErrorCode::usage, what + " in a distributed plan of this version; use an ordinary plan");
}

void require_offered(const Decision& d) {
  if (d.method != Method::fmm && d.method != Method::direct)
    throw Error(ErrorCode::usage, std::string("method ") + word_of(d.method) +
                                      " is not offered in a distributed plan of this version; use method fmm, or an "
                                      "ordinary plan");
}

static bool may_differ(const OptionText& text) { return std::string(text.name) == "threads"; }

std::int64_t fingerprint(const farfield::Options& o) {
  std::uint64_t hash = 0;
  visit_options(o, [&](const OptionText& text, const auto& value) {
    if (may_differ(text)) return;
    hash = (hash ^ std::bit_cast<std::uint64_t>(static_cast<double>(value))) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  });
  return static_cast<std::int64_t>(hash);
}

void require_same(Ranks& ranks, const farfield::Options& o) {
  std::vector<double> own;
  visit_options(o, [&](const OptionText&, const auto& value) { own.push_back(static_cast<double>(value)); });
  const std::vector<double> all = ranks.all_gather(own.data(), own.size());
  std::size_t k = 0;
  visit_options(o, [&](const OptionText& text, const auto&) {
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks.size()); ++r)
      if (all[r * own.size() + k] != all[k] && !may_differ(text))
        throw Error(ErrorCode::usage, std::string("option ") + text.name + " differs between ranks 0 and " +
                                          std::to_string(r) + "; pass the same options on all");
    ++k;
  });
}

void require_same(Ranks& ranks, std::int64_t own, const char* sentence) {
  const std::vector<std::int64_t> all = ranks.all_gather(own);
  if (std::count(all.begin(), all.end(), all[0]) != std::ssize(all)) throw Error(ErrorCode::usage, sentence);
}

}  // namespace farfield::distributed
