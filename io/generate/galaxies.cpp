// Each galaxy is an exponential disc with two arms, a Hernquist bulge and a Hernquist halo (Hernquist 1990). Velocities
// are those of circular orbits in the mass within, which is enough for a collision to look right.
#include "io/generate/galaxies.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "io/generate/random.hpp"

namespace farfield::io {
namespace {

using Vector = std::array<double, 3>;
constexpr double pi = std::numbers::pi;

struct Component {
  double mass, share;  // of the galaxy's mass and of its bodies
  double type;         // GADGET's number
};
// Dark matter weighs most and is drawn with the fewest bodies, or the discs would drown in it.
constexpr Component disc{0.14, 0.70, 2}, bulge{0.05, 0.13, 3}, halo{0.81, 0.17, 1};
constexpr double bulge_scale = 0.22, halo_scale = 2.4, halo_cut = 10, disc_cut = 5.5, disc_height = 0.06;

struct Galaxy {
  double mass, size;  // the size scales all lengths
  double inclination, node;
  Vector centre, velocity;
};

Vector operator+(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector operator*(double s, const Vector& a) { return {s * a[0], s * a[1], s * a[2]}; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const Vector& a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

// Tilted about the x axis, then turned about z.
Vector oriented(const Galaxy& galaxy, const Vector& p) {
  const double ci = std::cos(galaxy.inclination), si = std::sin(galaxy.inclination);
  const double cn = std::cos(galaxy.node), sn = std::sin(galaxy.node);
  const Vector tilted{p[0], ci * p[1] - si * p[2], si * p[1] + ci * p[2]};
  return {cn * tilted[0] - sn * tilted[1], sn * tilted[0] + cn * tilted[1], tilted[2]};
}

double hernquist_within(double r, double scale) { return r * r / ((r + scale) * (r + scale)); }

// Speed of a circular orbit at radius r, both in the galaxy's own units (mass 1, disc scale 1).
double circular_speed(double r) {
  const double within = disc.mass * (1 - (1 + r) * std::exp(-r)) + bulge.mass * hernquist_within(r, bulge_scale) +
                        halo.mass * hernquist_within(r, halo_scale) / hernquist_within(halo_cut, halo_scale);
  return std::sqrt(within / (r + 0.02));
}

// The mass within R of an exponential disc is 1 - (1+R) exp(-R): a product of two uniform numbers has that law.
double disc_radius(Random& random) {
  while (true) {
    const double radius = -std::log(random.uniform() * random.uniform());
    if (radius < disc_cut) return radius;
  }
}

// Turning each body towards the nearer of two logarithmic arms makes them stand out, and moves no mass inwards.
double arm_angle(Random& random, double radius) {
  const double angle = random.between(0, 2 * pi), arm = 3.1 * std::log(radius + 0.2);
  const double strength = 0.56 * radius / (radius + 0.5);
  return angle - strength * std::sin(2 * (angle - arm)) + random.between(-0.16, 0.16) + random.between(-0.16, 0.16);
}

struct Body {
  Vector position, velocity;
};

Body draw_disc(Random& random) {
  const double radius = disc_radius(random), angle = arm_angle(random, radius);
  const double u = random.uniform();
  const Vector p{radius * std::cos(angle), radius * std::sin(angle), 0.5 * disc_height * std::log(u / (1 - u))};
  return {p, circular_speed(radius) * Vector{-std::sin(angle), std::cos(angle), 0}};
}

Body draw_spheroid(Random& random, double scale, double cut) {
  const double root = std::sqrt(random.uniform() * hernquist_within(cut, scale));
  const double radius = scale * root / (1 - root);
  const Vector out = random.direction();
  Vector along{};
  while (length(along) < 1e-3) along = cross(out, random.direction());  // an orbit in a random plane
  return {radius * out, circular_speed(radius) / length(along) * along};
}

Body draw(Random& random, const Component& component) {
  if (component.type == disc.type) return draw_disc(random);
  if (component.type == bulge.type) return draw_spheroid(random, bulge_scale, 3.0);
  return draw_spheroid(random, halo_scale, halo_cut);
}

struct Sink {
  Bodies& bodies;
  std::array<Column, 4> columns{Column{"vx", {}}, Column{"vy", {}}, Column{"vz", {}}, Column{"type", {}}};

  void add(const Body& body, double mass, double type) {
    bodies.positions.insert(bodies.positions.end(), body.position.begin(), body.position.end());
    bodies.strengths.push_back(mass);
    for (std::size_t c = 0; c < 3; ++c) columns[c].values.push_back(body.velocity[c]);
    columns[3].values.push_back(type);
  }
};

void add_component(const Galaxy& galaxy, const Component& component, std::int64_t n, Random& random, Sink& sink) {
  const double speed = std::sqrt(galaxy.mass / galaxy.size);
  for (std::int64_t i = 0; i < n; ++i) {
    const Body own = draw(random, component);
    sink.add({galaxy.centre + galaxy.size * oriented(galaxy, own.position),
              galaxy.velocity + speed * oriented(galaxy, own.velocity)},
             galaxy.mass * component.mass / static_cast<double>(n), component.type);
  }
}

void add_galaxy(const Galaxy& galaxy, std::int64_t n, Random& random, Sink& sink) {
  const auto in_disc = static_cast<std::int64_t>(disc.share * static_cast<double>(n));
  const auto in_bulge = static_cast<std::int64_t>(bulge.share * static_cast<double>(n));
  add_component(galaxy, disc, in_disc, random, sink);
  add_component(galaxy, bulge, in_bulge, random, sink);
  add_component(galaxy, halo, n - in_disc - in_bulge, random, sink);
}

// Few bodies leave components empty: what there is carries the whole mass.
void normalise(std::vector<double>& masses) {
  double sum = 0;
  for (const double mass : masses) sum += mass;
  for (double& mass : masses) mass /= sum;
}

}  // namespace

void make_galaxies(std::int64_t n, std::uint64_t seed, Bodies& bodies) {
  // A parabolic encounter seen at this distance, with an impact parameter of about two disc lengths; the centre of
  // mass rests at the origin.
  constexpr double first_mass = 0.6, second_mass = 0.4;
  const Vector apart{7.8, 3.6, 1.0};
  const double speed = std::sqrt(2 / length(apart));
  const Vector aim{-0.93 * speed, -0.16 * speed, -0.1 * speed};
  const Galaxy first{first_mass, 1.0, 0.62, 0.5, -second_mass * apart, -second_mass * aim};
  const Galaxy second{second_mass, 0.78, -1.02, -0.75, first_mass * apart, first_mass * aim};

  Random random(seed, 3);
  Sink sink{bodies};
  const auto in_first = static_cast<std::int64_t>(first_mass * static_cast<double>(n));
  add_galaxy(first, in_first, random, sink);
  add_galaxy(second, n - in_first, random, sink);
  normalise(bodies.strengths);
  bodies.extra.assign(sink.columns.begin(), sink.columns.end());
}

}  // namespace farfield::io
