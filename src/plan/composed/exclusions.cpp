#include <algorithm>
#include <farfield/coulomb.hpp>
#include <string>

#include "core/number.hpp"

namespace farfield {

namespace {

[[noreturn]] void refuse_pairs(const std::string& sentence) {
  throw Error(ErrorCode::input, "exclusions: " + sentence);
}

/// One side of a pair: `kept` of what `from` gets from `to`.
struct Side {
  std::int64_t from, to;
  double kept;
};

void check_fractions(std::span<const double> kept, std::size_t count) {
  if (!kept.empty() && kept.size() != count)
    refuse_pairs(std::to_string(kept.size()) + " fractions are given for " + std::to_string(count) +
                 " pairs; give one for each, or none");
  for (std::size_t k = 0; k < kept.size(); ++k)
    if (!(kept[k] >= 0 && kept[k] <= 1))
      refuse_pairs("of pair " + std::to_string(k) + " a fraction of " + number(kept[k]) +
                   " is kept; keep takes numbers from 0 to 1, the fraction of each pair that stays");
}

void check_ends(std::int64_t i, std::int64_t j, std::int64_t particles, std::size_t pair) {
  for (const std::int64_t end : {i, j})
    if (end < 0 || end >= particles)
      refuse_pairs("pair " + std::to_string(pair) + " names particle " + std::to_string(end) + "; there are " +
                   std::to_string(particles) + ", counted from 0");
  if (i == j)
    refuse_pairs("pair " + std::to_string(pair) + " is particle " + std::to_string(i) +
                 " with itself; a particle never acts on itself, leave it out");
}

void check_starts(std::span<const std::int64_t> starts, std::size_t others) {
  bool rises = !starts.empty() && starts.front() == 0 && starts.back() == static_cast<std::int64_t>(others);
  for (std::size_t i = 1; i < starts.size(); ++i) rises = rises && starts[i] >= starts[i - 1];
  if (!rises)
    refuse_pairs("starts of rows have to rise from 0 to the number of their elements, " + std::to_string(others) +
                 ", one more than there are particles; correct them");
}

/// In the order of rows; the order of equal pairs stays.
std::vector<Side> sorted(std::vector<Side> sides) {
  std::stable_sort(sides.begin(), sides.end(),
                   [](const Side& a, const Side& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
  return sides;
}

/// Each pair stands in the rows of both its particles, once, with the same fraction.
void check_both_sides(const std::vector<Side>& sides) {
  std::vector<Side> back;
  for (const Side& s : sides) back.push_back({s.to, s.from, s.kept});
  back = sorted(std::move(back));
  for (std::size_t k = 0; k < sides.size(); ++k) {
    const auto before = [](const Side& a, const Side& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; };
    const Side &one = sides[k], &other = back[k];
    if (before(one, other) || before(other, one)) {
      const Side missing = before(one, other) ? one : Side{other.to, other.from, 0};
      refuse_pairs("particle " + std::to_string(missing.from) + " excludes " + std::to_string(missing.to) + ", and " +
                   std::to_string(missing.to) + " does not exclude " + std::to_string(missing.from) +
                   "; put the pair in both rows, or pass pairs");
    }
    if (one.kept != other.kept || (k > 0 && sides[k - 1].from == one.from && sides[k - 1].to == one.to))
      refuse_pairs(
          "particles " + std::to_string(one.from) + " and " + std::to_string(one.to) +
          " stand twice in a row, or with another keep in the row of the other; give a pair once in both rows, with "
          "one keep");
  }
}

/// A pair that stands twice is one.
std::vector<Side> merged(const std::vector<Side>& sides) {
  std::vector<Side> once;
  for (const Side& s : sides) {
    const bool again = !once.empty() && once.back().from == s.from && once.back().to == s.to;
    if (again && once.back().kept != s.kept)
      refuse_pairs("the pair of particles " + std::to_string(s.from) + " and " + std::to_string(s.to) +
                   " stands twice, with another keep; give it one");
    if (!again) once.push_back(s);
  }
  return once;
}

}  // namespace

Exclusions Exclusions::of_pairs(std::int64_t particles, std::span<const std::int64_t> pairs,
                                std::span<const double> kept) {
  if (pairs.size() % 2 != 0)
    refuse_pairs(std::to_string(pairs.size()) + " numbers are no pairs; pass two particles for each");
  check_fractions(kept, pairs.size() / 2);
  std::vector<Side> sides;
  for (std::size_t k = 0; k < pairs.size() / 2; ++k) {
    const std::int64_t i = pairs[2 * k], j = pairs[2 * k + 1];
    check_ends(i, j, particles, k);
    const double stays = kept.empty() ? 0 : kept[k];
    sides.push_back({i, j, stays});
    sides.push_back({j, i, stays});
  }
  Exclusions made;
  made.starts_.assign(static_cast<std::size_t>(std::max<std::int64_t>(0, particles)) + 1, 0);
  for (const Side& s : merged(sorted(std::move(sides)))) {
    ++made.starts_[static_cast<std::size_t>(s.from) + 1];
    made.others_.push_back(s.to);
    made.kept_.push_back(s.kept);
  }
  for (std::size_t i = 1; i < made.starts_.size(); ++i) made.starts_[i] += made.starts_[i - 1];
  return made;
}

Exclusions Exclusions::of_rows(std::span<const std::int64_t> starts, std::span<const std::int64_t> others,
                               std::span<const double> kept) {
  check_starts(starts, others.size());
  check_fractions(kept, others.size());
  const auto particles = static_cast<std::int64_t>(starts.size()) - 1;
  std::vector<Side> sides;
  for (std::int64_t i = 0; i < particles; ++i)
    for (auto k = static_cast<std::size_t>(starts[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(starts[static_cast<std::size_t>(i) + 1]); ++k) {
      check_ends(i, others[k], particles, k);
      sides.push_back({i, others[k], kept.empty() ? 0 : kept[k]});
    }
  sides = sorted(std::move(sides));
  check_both_sides(sides);
  Exclusions made;
  made.starts_.assign(starts.begin(), starts.end());
  for (const Side& s : sides) {
    made.others_.push_back(s.to);
    made.kept_.push_back(s.kept);
  }
  return made;
}

/// From particle `start` along at most three bonds: each pair once, at its lower end.
static void walk(const Exclusions& bonded, std::int64_t start, const std::array<double, 3>& kept,
                 std::vector<std::int64_t>& pairs, std::vector<double>& fractions) {
  std::vector<std::int64_t> met{start};
  std::size_t first = 0;
  for (const double stays : kept) {
    const std::size_t last = met.size();
    for (; first < last; ++first) {
      const auto at = static_cast<std::size_t>(met[first]);
      for (auto k = bonded.starts()[at]; k < bonded.starts()[at + 1]; ++k) {
        const std::int64_t next = bonded.others()[static_cast<std::size_t>(k)];
        if (std::find(met.begin(), met.end(), next) != met.end()) continue;
        met.push_back(next);
        if (next < start || stays == 1) continue;
        pairs.insert(pairs.end(), {start, next});
        fractions.push_back(stays);
      }
    }
  }
}

Exclusions Exclusions::of_bonds(std::int64_t particles, std::span<const std::int64_t> bonds,
                                const std::array<double, 3>& kept) {
  check_fractions(kept, 3);
  const Exclusions bonded = of_pairs(particles, bonds);
  std::vector<std::int64_t> pairs;
  std::vector<double> fractions;
  for (std::int64_t i = 0; i < bonded.particle_count(); ++i) walk(bonded, i, kept, pairs, fractions);
  return of_pairs(particles, pairs, fractions);
}

}  // namespace farfield
