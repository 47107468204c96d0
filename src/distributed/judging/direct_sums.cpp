#include "distributed/judging/direct_sums.hpp"

#include <numeric>

#include "backends/cpu/tuning.hpp"

namespace farfield::distributed {

DirectSums::DirectSums(Ranks& ranks, const Owned& own)
    : own_(own), pieces_(ranks, own.sources.count, cpu::tuning::checked_sources) {
  for (int axis = 0; axis < 3; ++axis) last_[axis] = pieces_.last_of(ranks, own.sources.axis[axis].data());
}

/// Groups of targets, one after the other, on which add(first, count) works; sums of a group go to the next rank and,
/// of the last rank, to all.
template <class Add>
static void pass_on(Ranks& ranks, std::vector<DirectSum>& sums, const Add& add) {
  const std::int64_t count = std::ssize(sums), size = ranks.size(), rank = ranks.rank();
  const std::int64_t most = std::max<std::int64_t>(1, count / (4 * size)), groups = (count + most - 1) / most;
  std::vector<DirectSum> group(static_cast<std::size_t>(most));
  const auto range = [&](std::int64_t g) { return std::pair(g * most, std::min(most, count - g * most)); };
  const auto is_one = [&](std::int64_t g) { return g >= 0 && g < groups; };
  for (std::int64_t step = 0; step < groups + size - 1; ++step) {
    if (const std::int64_t own = step - rank; is_one(own)) {
      const auto [first, many] = range(own);
      add(first, many);
      std::copy_n(sums.begin() + first, many, group.begin());
    }
    const std::vector<DirectSum> all = ranks.all_gather(group.data(), group.size());
    const auto take = [&](std::int64_t from, std::int64_t g) {
      if (!is_one(g)) return;
      const auto [first, many] = range(g);
      std::copy_n(all.begin() + from * most, many, sums.begin() + first);
    };
    if (rank > 0) take(rank - 1, step - (rank - 1));
    take(size - 1, step - (size - 1));
  }
}

std::vector<DirectSum> DirectSums::at(Ranks& ranks, const std::vector<std::int64_t>& targets, DirectInput input,
                                      const double* strengths, AddSums add) const {
  const std::vector<std::array<double, 3>> places = places_of(ranks, own_, targets);
  std::vector<double> x[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const auto& place : places) x[axis].push_back(place[axis]);
    input.target[axis] = x[axis].data();
  }
  std::vector<std::int64_t> number(targets.size());
  std::iota(number.begin(), number.end(), 0);
  const std::vector<double> last = pieces_.last_of(ranks, strengths);
  DirectInput rest = input;
  for (int axis = 0; axis < 3; ++axis) {
    input.source[axis] = own_.sources.axis[axis].data() + pieces_.begin();
    rest.source[axis] = last_[axis].data();
  }
  input.strength = strengths + pieces_.begin(), input.sources = pieces_.end() - pieces_.begin();
  rest.strength = last.data(), rest.sources = std::ssize(last);
  std::vector<DirectSum> sums(targets.size());
  pass_on(ranks, sums, [&](std::int64_t first, std::int64_t count) {
    for (const DirectInput* sources : {&input, &rest})
      if (sources->sources > 0) add(*sources, number.data() + first, count, sums.data() + first);
  });
  return sums;
}

}  // namespace farfield::distributed
