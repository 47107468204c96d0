// Sums over bodies and results that reports show; where ranks share the bodies, what is added up over them.
#pragma once
#include <cstdint>
#include <farfield/distributed.hpp>
#include <vector>

namespace farfield::cli {

struct Computation;

/// Of the squares of results, against those that the file brings.
struct Difference {
  double squares = 0, of_theirs = 0;
  bool there = false;
};

struct Sums {
  double energy = 0;   ///< half the sum of strengths times potentials, of one density at the sources
  bool masses = true;  ///< no strength is below 0
  Difference potential, gradient, hessian;
};
Sums sums_of(const Computation& computation);
void add(Sums& to, const Sums& one);

/// Bytes that this process has held at once.
std::int64_t peak_of_process();

/// What is known of all ranks together.
struct AcrossRanks {
  std::vector<distributed::RankReport> ranks;
  double imbalance = 0;
  std::int64_t most_memory = 0;  ///< bytes that a process has held at once, of the one that held most
  Sums sums = {};
};

}  // namespace farfield::cli
