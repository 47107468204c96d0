// Levels 2 ... last of a quadtree in which every box has 27 sources (each level repeats itself in both directions), as
// Cruz, Layton & Barba count: 27 (16 + 64 + ... + 4^last) translations. Multipoles of random charges in single
// precision, and the locals of single boxes in long double: the oracle.
#pragma once
#include <algorithm>
#include <complex>
#include <cstdint>
#include <random>
#include <vector>

#include "orbits.hpp"

namespace farfield::lab {

class PlaneLevels {
 public:
  PlaneLevels(int last_level, int p, std::uint64_t seed) : last_(last_level), p_(p) {
    for (int level = 2; level <= last_; ++level) boxes_ += std::int64_t(1) << (2 * level);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1);
    multipoles_.reserve(static_cast<std::size_t>(2 * boxes_ * p));
    for (std::int64_t box = 0; box < boxes_; ++box) add_box(random, unit);
  }
  int last_level() const { return last_; }
  int p() const { return p_; }
  std::int64_t boxes() const { return boxes_; }
  std::int64_t translations() const { return source_count * boxes_; }
  /// [box][k][re, im], levels one after another, rows of boxes one after another.
  const std::vector<float>& multipoles() const { return multipoles_; }

  /// The local expansion of a box, term by term.
  std::vector<std::complex<long double>> local(std::int64_t box) const {
    std::int64_t base = 0, level = 2;
    while (box - base >= std::int64_t(1) << (2 * level)) base += std::int64_t(1) << (2 * level++);
    const std::int64_t side = std::int64_t(1) << level, x = (box - base) % side, y = (box - base) / side;
    const int child = static_cast<int>(x % 2 + 2 * (y % 2));
    std::vector<std::complex<long double>> sum(static_cast<std::size_t>(p_));
    for (int ty = -3; ty <= 3; ++ty)
      for (int tx = -3; tx <= 3; ++tx) {
        if (!is_far(child, tx, ty)) continue;
        const std::int64_t from = base + ((y - ty + side) % side) * side + (x - tx + side) % side;
        add_translation(from, {static_cast<long double>(tx), static_cast<long double>(ty)}, sum);
      }
    return sum;
  }

 private:
  /// Sum q z^k of three charges in the box.
  template <class Distribution>
  void add_box(std::mt19937_64& random, Distribution& unit) {
    std::vector<std::complex<double>> sum(static_cast<std::size_t>(p_));
    for (int i = 0; i < 3; ++i) {
      const std::complex<double> z(0.5 * unit(random), 0.5 * unit(random));
      std::complex<double> term = unit(random);
      for (auto& s : sum) s += term, term *= z;
    }
    for (const auto& s : sum)
      multipoles_.push_back(static_cast<float>(s.real())), multipoles_.push_back(static_cast<float>(s.imag()));
  }
  void add_translation(std::int64_t from, std::complex<long double> t,
                       std::vector<std::complex<long double>>& sum) const {
    std::complex<long double> row = 1;
    for (int l = 0; l < p_; ++l, row /= t) {
      std::complex<long double> power = row / t;
      for (int k = 0; k < p_; ++k, power /= t) {
        const auto at = static_cast<std::size_t>(2 * (from * p_ + k));
        sum[static_cast<std::size_t>(l)] += static_cast<long double>(pascal(l, k)) * power *
                                            std::complex<long double>(static_cast<long double>(multipoles_[at]),
                                                                      static_cast<long double>(multipoles_[at + 1]));
      }
    }
  }
  int last_, p_;
  std::int64_t boxes_ = 0;
  std::vector<float> multipoles_;
};

/// Relative L2 error of locals over `count` boxes spread over all.
inline double local_error(const PlaneLevels& levels, const std::vector<float>& locals, std::int64_t count) {
  long double difference = 0, size = 0;
  const std::int64_t step = std::max<std::int64_t>(1, levels.boxes() / count);
  for (std::int64_t box = 0; box < levels.boxes(); box += step) {
    const auto exact = levels.local(box);
    for (std::size_t l = 0; l < exact.size(); ++l) {
      const std::size_t at = 2 * (static_cast<std::size_t>(box) * exact.size() + l);
      const std::complex<long double> found(static_cast<long double>(locals[at]),
                                            static_cast<long double>(locals[at + 1]));
      difference += std::norm(found - exact[l]), size += std::norm(exact[l]);
    }
  }
  return static_cast<double>(std::sqrt(difference / size));
}

}  // namespace farfield::lab
