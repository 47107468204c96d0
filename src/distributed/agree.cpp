#include "distributed/agree.hpp"

#include <algorithm>
#include <farfield/error.hpp>

#include "kernels/traits.hpp"

namespace farfield::distributed {

void OtherRanks::join(cpu::Found& found) {
  std::vector<std::int64_t> counts{found.sources, found.targets};
  ranks_.add(counts);
  found.sources = counts[0], found.targets = counts[1];
  std::vector<double> least{found.least};
  for (int axis = 0; axis < 3; ++axis) least.push_back(found.low[axis]), least.push_back(-found.high[axis]);
  ranks_.least(least);
  found.least = least[0];
  for (std::size_t axis = 0; axis < 3; ++axis)
    found.low[axis] = least[1 + 2 * axis], found.high[axis] = -least[2 + 2 * axis];
}

void OtherRanks::join(std::vector<std::uint64_t>& occupied) {
  ranks_.all_reduce(occupied.data(), occupied.size(), [](std::uint64_t a, std::uint64_t b) { return a | b; });
}

void refuse(const std::string& what) {
  throw Error(ErrorCode::usage, what + " in a distributed plan of this version; use an ordinary plan");
}

std::string lacking_on_devices(const farfield::Options& o, bool lengths) {
  if (o.softening != 0 || lengths) return "softening is";
  if (o.core != Core::none) return "a core is";
  return o.dipoles || o.hessian ? "dipoles and Hessians are" : "";
}

void require_offered_on_devices(const farfield::Options& o, bool lengths) {
  const std::string what = lacking_on_devices(o, lengths);
  if (!what.empty())
    throw Error(ErrorCode::usage,
                what + " not offered over several devices in this version; use backend cpu, or an ordinary plan");
}

void require_offered(const Decision& d) {
  if (d.backend == Backend::cuda && d.method == Method::fmm && !traits(d.kernel).scale_invariant)
    refuse(std::string("kernel ") + traits(d.kernel).name + " is not offered with expansions");
  if (d.method != Method::fmm && d.method != Method::direct)
    throw Error(ErrorCode::usage, std::string("method ") + word_of(d.method) +
                                      " is not offered in a distributed plan of this version; use method fmm, or an "
                                      "ordinary plan");
}

void require_same(Ranks& ranks, const farfield::Options& o) {
  std::vector<double> own;
  visit_options(o, [&](const OptionText&, const auto& value) { own.push_back(static_cast<double>(value)); });
  const std::vector<double> all = ranks.all_gather(own.data(), own.size());
  std::size_t k = 0;
  visit_options(o, [&](const OptionText& text, const auto&) {
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks.size()); ++r)
      if (all[r * own.size() + k] != all[k] && std::string(text.name) != "threads")
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
