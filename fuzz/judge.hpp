// What every result is held to: it keeps the tolerance, or the library refused or warned.
#pragma once
#include <farfield/farfield.hpp>
#include <span>

#include "fuzz/bytes.hpp"

namespace farfield::fuzz {

struct Problem {
  std::vector<double> sources, targets, strengths;  ///< interleaved; no targets: they are the sources
  Options options;
  bool single = false;  ///< numbers go in and come out as float
  bool apart = false;

  bool finite() const;
};

/// A plan, one evaluation, and the oracle: aborts where the promise is broken without a word.
void judge(const Problem& problem);

/// Keeps the options cheap enough for thousands of runs in a second, and on one thread. What is out of range stays.
Options affordable(Options options);

/// An Error with this code and sentence may reach a caller.
void require_manners(const Error& error);

}  // namespace farfield::fuzz
