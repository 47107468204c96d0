// Vortex rings, carried by their own velocity (docs/biot-savart.md). A single ring must move at its known speed; of two
// the hinder one shrinks, slips through the other, widens, and so on in turn. Writes the tracks of the pair as SVG to
// the path given, if any.
#include <array>
#include <cmath>
#include <cstdio>
#include <farfield/farfield.hpp>
#include <numbers>
#include <vector>

namespace {

constexpr double core = 0.1;  // of each filament, with the kernel of Rosenhead and Moore
constexpr std::size_t pieces = 600;

/// Closed filaments of unit circulation, one behind the other: points, three numbers each.
using Rings = std::vector<double>;

void add_ring(Rings& rings, double height) {
  for (std::size_t i = 0; i < pieces; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / pieces;
    rings.insert(rings.end(), {std::cos(angle), std::sin(angle), height});
  }
}

/// Strength of a point: the piece of its filament, half of the way from the point before it to the one behind it.
std::vector<double> strengths(const Rings& rings) {
  std::vector<double> alpha(rings.size());
  for (std::size_t k = 0; k < rings.size() / 3; ++k) {
    const std::size_t first = k - k % pieces, next = first + (k + 1) % pieces, last = first + (k + pieces - 1) % pieces;
    for (std::size_t a = 0; a < 3; ++a) alpha[3 * k + a] = (rings[3 * next + a] - rings[3 * last + a]) / 2;
  }
  return alpha;
}

std::vector<double> velocity(const Rings& rings) {
  return farfield::BiotSavart(farfield::points(rings), {.tolerance = 1e-5, .softening = core})
      .evaluate(strengths(rings))
      .velocity;
}

Rings moved(Rings rings, const std::vector<double>& u, double dt) {
  for (std::size_t i = 0; i < rings.size(); ++i) rings[i] += dt * u[i];
  return rings;
}

/// A step of the midpoint rule.
Rings carried(const Rings& rings, double dt) {
  return moved(rings, velocity(moved(rings, velocity(rings), dt / 2)), dt);
}

/// Mean radius and height of one ring.
struct Place {
  double radius, height;
};
Place place_of(const Rings& rings, std::size_t ring) {
  Place mean{0, 0};
  for (std::size_t i = ring * pieces; i < (ring + 1) * pieces; ++i)
    mean.radius += std::hypot(rings[3 * i], rings[3 * i + 1]) / pieces, mean.height += rings[3 * i + 2] / pieces;
  return mean;
}

/// Speed of one ring, to be (log(8 / core) - 1) / (4 pi).
int check_speed() {
  Rings ring;
  add_ring(ring, 0);
  constexpr double dt = 0.05;
  constexpr int steps = 20;
  for (int step = 0; step < steps; ++step) ring = carried(ring, dt);
  const double speed = place_of(ring, 0).height / (steps * dt),
               known = (std::log(8 / core) - 1) / (4 * std::numbers::pi);
  std::printf("one ring: speed %.5f, known for thin rings %.5f, radius %.5f\n", speed, known, place_of(ring, 0).radius);
  return std::fabs(speed / known - 1) < 0.02 ? 0 : 1;
}

using Track = std::vector<Place>;

void draw(const std::array<Track, 2>& tracks, const char* path) {
  std::FILE* file = std::fopen(path, "w");
  if (!file) return std::perror(path);
  std::fprintf(file,
               "<svg xmlns='http://www.w3.org/2000/svg' width='760' height='320' font-family='sans-serif' "
               "font-size='13'>\n<rect width='760' height='320' fill='white'/>\n");
  const double per_height = 700 / tracks[0].back().height, middle = 150, per_radius = 80;
  const char* const colours[] = {"#c22", "#26c"};
  for (const int side : {-1, 1})
    for (std::size_t ring = 0; ring < 2; ++ring) {
      std::fprintf(file, "<path fill='none' stroke-width='2' stroke='%s' d='M", colours[ring]);
      for (const Place& p : tracks[ring])
        std::fprintf(file, "%.1f %.1f ", 30 + per_height * p.height, middle + side * per_radius * p.radius);
      std::fprintf(file, "'/>\n");
    }
  std::fprintf(file,
               "<text x='380' y='308' text-anchor='middle'>two rings in turn through each other, cut along the "
               "axis; they move to the right</text>\n</svg>\n");
  std::fclose(file);
}

/// Returns the failures: the rings must have changed places, and stay round.
int leapfrog(const char* path) {
  Rings rings;
  add_ring(rings, 0);
  add_ring(rings, 0.6);
  std::array<Track, 2> tracks;
  int passes = 0;
  for (int step = 0; step < 300; ++step) {
    for (std::size_t ring = 0; ring < 2; ++ring) tracks[ring].push_back(place_of(rings, ring));
    const bool first_ahead = tracks[0].back().height > tracks[1].back().height;
    passes += step > 0 && first_ahead != (tracks[0].end()[-2].height > tracks[1].end()[-2].height);
    rings = carried(rings, 0.05);
  }
  std::printf("two rings: passed %d times, went %.3f\n", passes, tracks[0].back().height);
  if (path) draw(tracks, path);
  return passes >= 2 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) { return check_speed() + leapfrog(count > 1 ? arguments[1] : nullptr); }
