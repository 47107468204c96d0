// Fresh problems: random mixtures of sets of points, strengths, targets and options, one per seed. Nothing in the
// library is fitted to them; what the error model is fitted to are the clouds of clouds.hpp.
#pragma once
#include <farfield/farfield.hpp>

#include "support/clouds.hpp"
#include "support/measure.hpp"

namespace farfield::testing {

/// What the environment says, as FARFIELD_TEST_SEED and FARFIELD_TEST_PROBLEMS do.
inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const std::string text = environment(variable);
  return text.empty() ? otherwise : std::strtoull(text.c_str(), nullptr, 10);
}

/// Kinds of sets that a mixture has one to three of.
enum class Set { cube, ball, shell, cusp, gauss, lattice, shaken, hammersley, line, plane, ring, clumps };
inline constexpr int set_kinds = 12;
enum class Where { alike, apart, remote };
enum class Weights { uniform, mixed, decades, dominated, dipoles, neutral };
inline constexpr int weight_kinds = 6;

inline const char* name(Set s) {
  constexpr const char* names[] = {"cube",   "ball",       "shell", "cusp",  "gauss", "lattice",
                                   "shaken", "hammersley", "line",  "plane", "ring",  "clumps"};
  return names[static_cast<int>(s)];
}
inline const char* name(Where w) { return w == Where::alike ? "alike" : w == Where::apart ? "apart" : "remote"; }
inline const char* name(Weights w) {
  constexpr const char* names[] = {"uniform", "mixed", "decades", "dominated", "dipoles", "neutral"};
  return names[static_cast<int>(w)];
}

struct Problem {
  std::uint64_t seed = 0;
  Cloud cloud;
  Options options;
  std::string label;
  Where where = Where::alike;
  Weights weights = Weights::uniform;
};

/// log-uniform in [low, high].
inline double log_between(Stream& random, double low, double high) {
  return std::exp(random.between(std::log(low), std::log(high)));
}

inline Place gaussian(Stream& random) {
  const Place d = on_sphere(random);  // Maxwell's radius from three normal numbers would do as well: two suffice here
  const double r = std::sqrt(-2 * std::log(1 - random.unit())) * std::cbrt(random.unit());
  return {r * d[0], r * d[1], r * d[2]};
}

/// The radical inverse of i in base b.
inline double radical_inverse(std::int64_t i, int base) {
  double value = 0, digit = 1.0 / base;
  for (; i > 0; i /= base, digit /= base) value += digit * static_cast<double>(i % base);
  return value;
}

/// One set of points in about the unit cube. What it needs to know of itself is drawn once, by the constructor.
class PointSet {
 public:
  PointSet(Set kind, std::int64_t count, Stream& random) : kind_(kind), count_(count), slope_(random.between(0.3, 3)) {
    const double side = std::cbrt(static_cast<double>(count));
    for (std::int64_t& s : sides_) s = std::max<std::int64_t>(1, std::llround(side * random.between(0.7, 1.4)));
    sides_[2] = std::max<std::int64_t>(1, (count + sides_[0] * sides_[1] - 1) / (sides_[0] * sides_[1]));
    if (random.unit() < 0.5) sides_ = {std::llround(std::ceil(side)), std::llround(std::ceil(side)), count};
    shake_ = log_between(random, 1e-3, 0.3);
    for (Place& c : centres_) c = in_cube(random, 0, 1);
  }

  Place operator()(std::int64_t i, Stream& random) const {
    switch (kind_) {
      case Set::ball:
        return scaled(on_sphere(random), std::cbrt(random.unit()));
      case Set::shell:
        return on_sphere(random);
      case Set::cusp:
        return scaled(on_sphere(random), std::pow(random.unit(), slope_ * 2));
      case Set::gauss:
        return gaussian(random);
      case Set::lattice:
        return node(i);
      case Set::shaken:
        return shaken(node(i), random);
      case Set::hammersley:
        return {(static_cast<double>(i) + 0.5) / static_cast<double>(count_), radical_inverse(i, 2),
                radical_inverse(i, 3)};
      case Set::line: {
        const double t = random.unit();
        return {t, 0.3 * t, -0.7 * t};
      }
      case Set::plane:
        return {random.unit(), random.unit(), 0};
      case Set::ring: {
        const double angle = random.between(0, 2 * std::numbers::pi);
        return {std::cos(angle), std::sin(angle), shake_ * random.unit()};
      }
      case Set::clumps: {
        const Place& c = centres_[static_cast<std::size_t>(random.below(8))];
        const Place d = scaled(gaussian(random), 0.02 * slope_);
        return {c[0] + d[0], c[1] + d[1], c[2] + d[2]};
      }
      default:
        return in_cube(random, 0, 1);
    }
  }

 private:
  static Place scaled(const Place& p, double s) { return {s * p[0], s * p[1], s * p[2]}; }
  Place node(std::int64_t i) const {
    const std::int64_t x = i % sides_[0], y = i / sides_[0] % sides_[1], z = i / sides_[0] / sides_[1];
    return {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
  }
  Place shaken(Place p, Stream& random) const {
    for (double& x : p) x += shake_ * random.between(-0.5, 0.5);
    return p;
  }

  Set kind_;
  std::int64_t count_;
  double slope_, shake_ = 0;
  std::array<std::int64_t, 3> sides_ = {1, 1, 1};
  std::array<Place, 8> centres_ = {};
};

/// A linear map, the identity half of the time, and a shift: where a set of a mixture lies.
class Map {
 public:
  Map(Stream& random, double spread) {
    const double size = random.unit() < 0.5 ? 1 : log_between(random, 0.01, 10);
    const bool sheared = random.unit() < 0.5;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        matrix_[a][b] = size * (sheared ? random.between(-1, 1) * (a == b ? 3 : 1) : a == b ? 1 : 0);
    for (double& s : shift_) s = spread * random.between(-1, 1);
  }
  Place operator()(const Place& p) const {
    Place q = shift_;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) q[a] += matrix_[a][b] * p[b];
    return q;
  }

 private:
  std::array<Place, 3> matrix_ = {};
  Place shift_ = {};
};

inline std::string add_mixture(std::vector<double>& xyz, std::int64_t count, Stream& random) {
  const std::int64_t sets = 1 + random.below(3);
  std::string label;
  for (std::int64_t left = sets, done = 0; left > 0; --left) {
    const std::int64_t own = left == 1 ? count - done : std::llround(random.unit() * static_cast<double>(count - done));
    const Set kind = static_cast<Set>(random.below(set_kinds));
    const PointSet set(kind, std::max<std::int64_t>(1, own), random);
    const Map map(random, sets > 1 ? 2 : 0);
    for (std::int64_t i = 0; i < own; ++i) {
      const Place p = map(set(i, random));
      xyz.insert(xyz.end(), p.begin(), p.end());
    }
    done += own;
    if (!label.empty()) label += '+';
    label += name(kind);
  }
  return label;
}

/// Some points become copies of others, exact ones or beside them by 1e-16 to 1e-3 of their coordinates.
inline std::string add_duplicates(std::vector<double>& xyz, Stream& random) {
  const auto count = static_cast<std::int64_t>(xyz.size() / 3);
  if (random.unit() > 0.3 || count < 2) return "";
  const double share = log_between(random, 1e-4, 0.5);
  const bool exact = random.unit() < 0.5;
  const double beside = exact ? 0 : log_between(random, 1e-16, 1e-3);
  for (std::int64_t k = 0; k <= static_cast<std::int64_t>(share * static_cast<double>(count)); ++k) {
    const std::int64_t from = random.below(count), to = random.below(count);
    for (std::int64_t a = 0; a < 3; ++a)
      xyz[static_cast<std::size_t>(3 * to + a)] =
          xyz[static_cast<std::size_t>(3 * from + a)] * (1 + beside * random.between(-1, 1));
  }
  return exact ? " copies" : " near-copies";
}

inline std::vector<double> make_weights(Weights kind, std::vector<double>& xyz, Stream& random) {
  const auto count = static_cast<std::int64_t>(xyz.size() / 3);
  std::vector<double> q(static_cast<std::size_t>(count));
  const auto sign = [&] { return random.unit() < 0.5 ? -1.0 : 1.0; };
  const bool both = random.unit() < 0.7;
  for (double& v : q) switch (kind) {
      case Weights::uniform:
        v = random.unit();
        break;
      case Weights::decades:
        v = std::pow(10, 9 * (random.unit() - 0.5)) * (both ? sign() : 1);
        break;
      default:
        v = random.between(-0.5, 0.5);
    }
  const auto any = [&] { return static_cast<std::size_t>(random.below(count)); };
  if (kind == Weights::dominated)
    for (std::int64_t k = 1 + random.below(5); k > 0; --k) q[any()] *= log_between(random, 10, 1e8);
  if (kind == Weights::dipoles) {  // every point beside the one before it, with the opposite strength
    const double length = log_between(random, 1e-4, 0.1);
    for (std::size_t i = 1; i < q.size(); i += 2) {
      q[i] = -q[i - 1];
      for (std::size_t a = 0; a < 3; ++a) xyz[3 * i + a] = xyz[3 * i - 3 + a] + length * random.between(-1, 1);
    }
  }
  if (kind == Weights::neutral) {
    double mean = 0;
    for (const double v : q) mean += v / static_cast<double>(count);
    for (double& v : q) v -= mean;
  }
  return q;
}

inline void move_away(std::vector<double>& targets, const std::vector<double>& sources, Stream& random) {
  double low[3], high[3], extent = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    low[a] = high[a] = sources[a];
    for (std::size_t i = a; i < sources.size(); i += 3)
      low[a] = std::min(low[a], sources[i]), high[a] = std::max(high[a], sources[i]);
    extent = std::max(extent, high[a] - low[a]);
  }
  const Place d = on_sphere(random);
  const double far = extent * random.between(0.5, 4);
  for (std::size_t i = 0; i < targets.size(); ++i) targets[i] += far * d[i % 3];
}

inline Options make_options(Stream& random, double floor_single, double floor_double) {
  Options o;
  o.method = random.unit() < 0.75 ? Method::fmm : Method::automatic;
  o.gradient = random.unit() < 0.75;
  const double kind = random.unit();
  o.precision = kind < 0.5 ? Precision::automatic : kind < 0.75 ? Precision::single_ : Precision::double_;
  o.tolerance = log_between(random, o.precision == Precision::single_ ? floor_single : floor_double, 1e-2);
  return o;
}

/// `most`: of sources and of targets.
inline Problem make_problem(std::uint64_t seed, double most = 1e5) {
  Stream random(seed);
  Problem p;
  p.seed = seed;
  const auto count = std::llround(log_between(random, 2, most));
  p.options = make_options(random, 1e-6, 1e-13);
  const double side = random.unit();
  p.where = side < 0.6 ? Where::alike : side < 0.85 ? Where::apart : Where::remote;
  p.weights = static_cast<Weights>(random.below(weight_kinds));
  p.label = add_mixture(p.cloud.sources, count, random);
  p.label += add_duplicates(p.cloud.sources, random);
  p.cloud.strengths = make_weights(p.weights, p.cloud.sources, random);
  if (p.where != Where::alike) {
    const auto targets = std::llround(log_between(random, 1, most));
    p.label += " > " + add_mixture(p.cloud.targets, targets, random);
    if (p.where == Where::remote) move_away(p.cloud.targets, p.cloud.sources, random);
  }
  p.cloud.label = "seed " + std::to_string(seed);
  p.label = std::string(name(p.where)) + " " + name(p.weights) + " " + p.label;
  return p;
}

}  // namespace farfield::testing
