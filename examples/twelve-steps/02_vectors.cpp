// Step 2: the same sum in vectors. A core has registers of several numbers and does one operation on all of them. So
// eight targets are summed side by side, one in each lane, while one source after the other is given to all of them.
//
// Two things change. The coordinates stand in arrays of their own, so that eight of them are loaded at once. And there
// is no branch for j == i, because the lanes cannot part: where the distance is zero, a select puts 0 in place of 1/r.
#include <cstring>

#include "course.hpp"

using namespace course;

constexpr std::size_t lanes = 8;
typedef double Lanes __attribute__((vector_size(lanes * sizeof(double))));  // a vector of GCC and Clang, no intrinsics

Lanes load(const double* p) {
  Lanes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

/// 1/sqrt(x), and 0 where x is 0. A vector has no square root of its own, but a loop of this form is compiled to one.
Lanes inverse_root(Lanes x) {
  double root[lanes];
  for (std::size_t l = 0; l < lanes; ++l) root[l] = std::sqrt(x[l]);
  return x > 0 ? 1 / load(root) : Lanes{};
}

/// One array for each coordinate; its length is a multiple of `lanes`, and bodies of mass zero fill the rest.
struct Columns {
  std::vector<double> x, y, z, q;
};

Columns columns(const Bodies& bodies) {
  const std::size_t length = (bodies.size() + lanes - 1) / lanes * lanes;
  Columns c{std::vector<double>(length), std::vector<double>(length), std::vector<double>(length),
            std::vector<double>(length)};
  for (std::size_t i = 0; i < bodies.size(); ++i)
    c.x[i] = bodies[i].at.x, c.y[i] = bodies[i].at.y, c.z[i] = bodies[i].at.z, c.q[i] = bodies[i].q;
  return c;
}

/// The potentials of the bodies i to i + lanes - 1.
Lanes potentials_at(const Columns& c, std::size_t i) {
  const Lanes x = load(&c.x[i]), y = load(&c.y[i]), z = load(&c.z[i]);
  Lanes sum{};
  for (std::size_t j = 0; j < c.q.size(); ++j) {
    const Lanes dx = x - c.x[j], dy = y - c.y[j], dz = z - c.z[j];
    sum += c.q[j] * inverse_root(dx * dx + dy * dy + dz * dz);
  }
  return sum;
}

std::vector<double> potentials(const Columns& c) {
  std::vector<double> u(c.q.size());
  for (std::size_t i = 0; i < u.size(); i += lanes) {
    const Lanes sum = potentials_at(c, i);
    std::memcpy(&u[i], &sum, sizeof sum);
  }
  return u;
}

int main(int argc, char** argv) {
  const auto [n, seed, figure] = arguments(argc, argv, 3001);  // no multiple of 8
  const Bodies bodies = random_bodies(n, seed);
  const Columns c = columns(bodies);
  std::vector<double> before, now;
  const double slow = seconds([&] { before = direct_sum(bodies); });
  const double fast = seconds([&] { now = potentials(c); });
  std::printf("step 1: %9.2e s\nvectors: %8.2e s, %.1f times as fast\n", slow, fast, slow / fast);
  now.resize(n);
  // The same terms in the same order; multiplications and additions may be fused.
  return judge("vectors against step 1", relative_error(now, before), 1e-13);
}
