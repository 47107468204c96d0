#include "io/generate/generate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "farfield/error.hpp"
#include "io/columns/densities.hpp"
#include "io/generate/galaxies.hpp"
#include "io/generate/random.hpp"

namespace farfield::io {
namespace {

constexpr std::uint64_t position_stream = 1, strength_stream = 2, dipole_stream = 3;

using Point = std::array<double, 3>;

template <class Draw>
void fill(std::int64_t n, std::uint64_t seed, Bodies& bodies, Draw draw) {
  Random random(seed, position_stream);
  bodies.positions.reserve(3 * static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const Point p = draw(random, i);
    bodies.positions.insert(bodies.positions.end(), p.begin(), p.end());
  }
}

void make_uniform(std::int64_t n, std::uint64_t seed, Bodies& bodies) {
  fill(n, seed, bodies, [](Random& random, std::int64_t) -> Point {
    const double x = random.uniform(), y = random.uniform();
    return {x, y, random.uniform()};
  });
}

void make_sphere(std::int64_t n, std::uint64_t seed, Bodies& bodies) {
  fill(n, seed, bodies, [](Random& random, std::int64_t) { return random.direction(); });
}

// The mass within r is (1 + 1/r^2)^(-3/2): drawn uniformly below its value at the cut and solved for r.
void make_plummer(std::int64_t n, std::uint64_t seed, Bodies& bodies) {
  constexpr double cut = 100;
  const double within_cut = std::pow(1 + 1 / (cut * cut), -1.5);
  fill(n, seed, bodies, [=](Random& random, std::int64_t) -> Point {
    const double inverse = std::cbrt(1 / (within_cut * random.uniform()));
    const double radius = 1 / std::sqrt(inverse * inverse - 1);
    const Point d = random.direction();
    return {radius * d[0], radius * d[1], radius * d[2]};
  });
  bodies.strengths.assign(static_cast<std::size_t>(n), 1 / static_cast<double>(n));
}

void make_two_clusters(std::int64_t n, std::uint64_t seed, Bodies& bodies) {
  constexpr double radius = 0.5e-3;
  fill(n, seed, bodies, [=](Random& random, std::int64_t i) -> Point {
    const Point p = random.ball();
    return {radius * p[0] + (2 * i < n ? 0.0 : 1.0), radius * p[1], radius * p[2]};
  });
}

void make_line(std::int64_t n, std::uint64_t seed, Bodies& bodies) {
  fill(n, seed, bodies, [](Random& random, std::int64_t) -> Point { return {random.uniform(), 0, 0}; });
}

void make_plane(std::int64_t n, std::uint64_t seed, Bodies& bodies) {
  fill(n, seed, bodies, [](Random& random, std::int64_t) -> Point {
    const double x = random.uniform();
    return {x, random.uniform(), 0};
  });
}

// The smallest cubic lattice with room for n, filled row by row: the last layer may stay open.
void make_lattice(std::int64_t n, std::uint64_t seed, Bodies& bodies) {
  std::int64_t side = std::max<std::int64_t>(1, std::llround(std::cbrt(static_cast<double>(n))) - 1);
  while (side * side * side < n) ++side;
  const double step = 1 / static_cast<double>(side);
  const auto at = [=](std::int64_t k) { return (static_cast<double>(k) + 0.5) * step; };
  fill(n, seed, bodies, [=](Random&, std::int64_t i) -> Point {
    return {at(i % side), at(i / side % side), at(i / (side * side))};
  });
}

// A thread wound eight times round a cone: a curve in space, the hard case for trees.
void make_spiral(std::int64_t n, std::uint64_t seed, Bodies& bodies) {
  fill(n, seed, bodies, [](Random& random, std::int64_t) -> Point {
    const double t = random.uniform(), angle = 16 * std::numbers::pi * t;
    return {t * std::cos(angle), t * std::sin(angle), t};
  });
}

// Two patches of vorticity, as Lamb and Oseen's, so near each other that they merge.
void make_vortices(std::int64_t n, std::uint64_t seed, Bodies& bodies) {
  constexpr double size = 0.3;
  fill(n, seed, bodies, [=](Random& random, std::int64_t i) -> Point {
    const double radius = size * std::sqrt(-std::log(random.uniform())),
                 angle = 2 * std::numbers::pi * random.uniform();
    return {radius * std::cos(angle) + (i % 2 ? 0.5 : -0.5), radius * std::sin(angle), 0};
  });
  bodies.strengths.assign(static_cast<std::size_t>(n), 1 / static_cast<double>(n));
}

struct Kind {
  const char *name, *summary;
  void (*make)(std::int64_t, std::uint64_t, Bodies&);
};

constexpr Kind kinds[] = {
    {"uniform", "random in the unit cube", make_uniform},
    {"sphere", "random on the surface of the unit sphere", make_sphere},
    {"plummer", "Plummer's star cluster, scale radius 1, cut at 100, equal masses of sum 1", make_plummer},
    {"galaxies", "two disc galaxies on a collision course, masses of sum 1, G = 1", make_galaxies},
    {"two-clusters", "two balls of diameter 1e-3 at distance 1", make_two_clusters},
    {"line", "random on a line of length 1", make_line},
    {"lattice", "a cubic lattice in the unit cube, filled in order", make_lattice},
    {"plane", "random in a unit square", make_plane},
    {"vortices", "two patches of vorticity in the plane that merge, circulations of sum 1", make_vortices},
    {"spiral", "random on a spiral wound round a cone", make_spiral},
};

const Kind& find_kind(const std::string& name) {
  std::string list;
  for (const Kind& kind : kinds) {
    if (kind.name == name) return kind;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", kind.name);
  }
  throw Error(ErrorCode::usage, fmt::format("There is no kind '{}' of bodies; use one of {}.", name, list));
}

void set_strengths(std::int64_t n, std::uint64_t seed, Strengths strengths, std::vector<double>& values) {
  const bool masses = !values.empty();
  if (strengths == Strengths::natural && masses) return;
  Random random(seed, strength_stream);
  values.assign(static_cast<std::size_t>(n), 1.0);
  if (strengths == Strengths::unit) return;
  for (double& value : values) value = random.uniform() - (strengths == Strengths::mixed ? 0.5 : 0.0);
}

}  // namespace

std::vector<GeneratorKind> generator_kinds() {
  std::vector<GeneratorKind> list;
  for (const Kind& kind : kinds) list.push_back({kind.name, kind.summary});
  return list;
}

Bodies generate(const std::string& kind, std::int64_t n, std::uint64_t seed, Strengths strengths) {
  const Kind& found = find_kind(kind);
  if (n < 0) throw Error(ErrorCode::usage, fmt::format("{} bodies cannot be made; ask for 0 or more.", n));
  if (n > std::int64_t{1} << 40)
    throw Error(ErrorCode::memory, fmt::format("{} bodies fit no memory; ask for fewer.", n));
  Bodies bodies;
  try {
    found.make(n, seed, bodies);
    set_strengths(n, seed, strengths, bodies.strengths);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::memory, fmt::format("Not enough memory for {} bodies; ask for fewer.", n));
  }
  bodies.description = fmt::format("{} bodies: {} (seed {})", n, found.summary, seed);
  return bodies;
}

void add_random_dipoles(Bodies& bodies, std::uint64_t seed) {
  Random random(seed, dipole_stream);
  std::vector<double> dipoles(bodies.positions.size());
  for (double& value : dipoles) value = random.between(-0.5, 0.5);
  add_dipoles(bodies, dipoles);
}

}  // namespace farfield::io
