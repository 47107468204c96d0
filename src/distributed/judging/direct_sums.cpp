#include "distributed/judging/direct_sums.hpp"

#include <numeric>

#include "backends/cpu/tuning.hpp"
#include "core/chunks.hpp"

namespace farfield::distributed {

static constexpr std::int64_t grain = cpu::tuning::checked_sources;
static constexpr std::int64_t none = -1;

DirectSums::DirectSums(Ranks& ranks, const Owned& own)
    : own_(own), all_(ranks.sum_of(own.sources.count)), tail_(ranks, own.sources.count, grain - 1) {
  for (int axis = 0; axis < 3; ++axis) last_[axis] = tail_.of(ranks, own.sources.axis[axis].data());
  if (own.alike) return;
  source_.assign(static_cast<std::size_t>(own.targets.count), none);
  for (std::size_t i = 0; own.both && i < own.both->sources.size(); ++i)
    source_[static_cast<std::size_t>(own.both->sources[i])] = own.first_source + static_cast<std::int64_t>(i);
}

/// Numbers of the sources that the targets themselves are, or -1.
std::vector<std::int64_t> DirectSums::selves(Ranks& ranks, const std::vector<std::int64_t>& targets) const {
  if (own_.alike) return targets;
  return from_owners<std::int64_t>(ranks, own_, targets,
                                   [&](std::int64_t i) { return source_[static_cast<std::size_t>(i)]; });
}

/// Some of the sources of an input.
static DirectInput part_of(DirectInput input, std::int64_t first, std::int64_t count) {
  for (const double** array : {&input.source[0], &input.source[1], &input.source[2], &input.strength, &input.dipole[0],
                               &input.dipole[1], &input.dipole[2], &input.source_length})
    if (*array) *array += first;
  input.sources = count;
  return input;
}

/// Those blocks of the sources [begin, end) of all ranks that begin among this rank's own.
std::vector<DirectInput> DirectSums::blocks(const DirectInput& own, const DirectInput& tail, std::int64_t begin,
                                            std::int64_t end) const {
  const std::int64_t first = own_.first_source, behind = first + own_.sources.count;
  std::vector<DirectInput> blocks;
  if (begin < first) begin += (first - begin + grain - 1) / grain * grain;
  if (begin >= std::min(end, behind)) return blocks;
  const std::int64_t whole = end <= behind ? end : begin + (behind - begin) / grain * grain;
  if (whole > begin) blocks.push_back(part_of(own, begin - first, whole - begin));
  if (whole < std::min(end, behind))
    blocks.push_back(part_of(tail, whole - first - tail_.first(), std::min(whole + grain, end) - whole));
  return blocks;
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

namespace {

/// The tail of everything that sources carry, as an input.
struct TailInput {
  std::vector<double> strength, dipole[3], length;
  DirectInput input;

  TailInput(Ranks& ranks, const Tail& tail, const std::vector<double> (&x)[3], const DirectInput& own) : input(own) {
    const auto fetch = [&](std::vector<double>& to, const double*& array) {
      if (array) to = tail.of(ranks, array), array = to.data();
    };
    fetch(strength, input.strength), fetch(length, input.source_length);
    for (int axis = 0; axis < 3; ++axis) fetch(dipole[axis], input.dipole[axis]), input.source[axis] = x[axis].data();
  }
};

/// The targets of the sums, in arrays of their own.
struct Targets {
  std::vector<double> x[3], length;
  std::vector<std::int64_t> number;
  std::vector<std::uint32_t> nobody;  ///< the caller's indices: no target is a source

  Targets(Ranks& ranks, const Owned& own, const std::vector<std::int64_t>& targets, DirectInput& input)
      : number(targets.size()), nobody(targets.size(), 0) {
    for (const auto& place : places_of(ranks, own, targets))
      for (std::size_t axis = 0; axis < 3; ++axis) x[axis].push_back(place[axis]);
    for (int axis = 0; axis < 3; ++axis) input.target[axis] = x[axis].data();
    if (const double* const lengths = input.target_length) {
      length = from_owners<double>(ranks, own, targets, [&](std::int64_t i) { return lengths[i]; });
      input.target_length = length.data();
    }
    input.source_order = input.target_order = nobody.data(), input.self_from = 1;
    std::iota(number.begin(), number.end(), 0);
  }
};

}  // namespace

std::vector<DirectSum> DirectSums::at(Ranks& ranks, const std::vector<std::int64_t>& numbers, DirectInput input,
                                      AddSums add) const {
  const Targets targets(ranks, own_, numbers, input);
  for (int axis = 0; axis < 3; ++axis) input.source[axis] = own_.sources.axis[axis].data();
  const TailInput tail(ranks, tail_, last_, input);
  const bool softened = input.softening.length > 0 || input.source_length;
  const std::vector<std::int64_t> self = softened ? selves(ranks, numbers) : std::vector<std::int64_t>();
  std::vector<DirectSum> sums(numbers.size());
  const auto add_softened = [&](std::int64_t k) {
    const std::int64_t own = self[static_cast<std::size_t>(k)], before = own == none ? all_ : own;
    for (const auto& [begin, end] : {std::pair(std::int64_t(0), before), std::pair(before + 1, all_)})
      for (DirectInput some : blocks(input, tail.input, begin, end))
        some.threads = 1,
        add(some, &targets.number[static_cast<std::size_t>(k)], 1, &sums[static_cast<std::size_t>(k)]);
  };
  pass_on(ranks, sums, [&](std::int64_t first, std::int64_t count) {
    if (softened) return for_each_index(count, 1, input.threads, [&](std::int64_t i) { add_softened(first + i); });
    for (const DirectInput& some : blocks(input, tail.input, 0, all_))
      add(some, targets.number.data() + first, count, sums.data() + first);
  });
  return sums;
}

}  // namespace farfield::distributed
