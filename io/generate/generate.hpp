// Bodies made on the spot: the clouds that demonstrations, tests and benchmarks use.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "io/bodies.hpp"

namespace farfield::io {

enum class Strengths {
  natural,   ///< masses (sum 1) for plummer and galaxies, `positive` for all other kinds
  unit,      ///< all 1
  positive,  ///< uniform in (0, 1)
  mixed,     ///< uniform in (-1/2, 1/2)
};

/// `n` bodies of one of `generator_kinds()`; same kind, number and seed, same bodies, on every machine whose math
/// library rounds alike. Throws Error(usage) for an unknown kind or negative n, Error(memory) where they do not fit.
Bodies generate(const std::string& kind, std::int64_t n, std::uint64_t seed, Strengths strengths = Strengths::natural);

/// Gives bodies dipoles, each component uniform in (-1/2, 1/2), as columns dx, dy, dz.
void add_random_dipoles(Bodies& bodies, std::uint64_t seed);

/// uniform, sphere, plummer, galaxies, two-clusters, line, lattice, plane, spiral; with one line on each.
struct GeneratorKind {
  std::string name, summary;
};
std::vector<GeneratorKind> generator_kinds();

}  // namespace farfield::io
