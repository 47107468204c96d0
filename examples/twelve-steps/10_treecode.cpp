// Step 10: a treecode, after Barnes and Hut. Each target walks down the tree from the root. A box that looks small from
// there, its radius below theta times its distance, acts by its multipole (m2p); a leaf that does not acts body by
// body; any other box is opened, and its children are asked. A target meets about log N boxes: O(N log N) in all.
//
// With a < theta R, step 7's bound says that a box errs by at most theta^(p+1) / (1 - theta) of mass / R. Its potential
// is at least mass / (R + a). For masses above zero, each potential's relative error is thus at most
//
//     theta^(p+1) (1 + theta) / (1 - theta).
#include "chart.hpp"
#include "taylor.hpp"
#include "tree.hpp"

using namespace course;

void p2m(const Body* begin, const Body* end, Vec centre, int degree, Series& m) {
  for (const Body* b = begin; b != end; ++b) {
    const Series p = powers(centre - b->at, degree);
    for (int t = 0; t < terms(degree); ++t) m[t] += b->q * p[t];
  }
}

void m2m(const Series& child, Vec d, int degree, Series& parent) {
  for_translation(d, degree, [&](int above, int below, double factor) { parent[above] += factor * child[below]; });
}

struct Treecode {
  const Bodies& bodies;
  const std::vector<Box>& boxes;
  int degree;
  double theta;
  std::vector<Series> multipoles{};
  std::size_t near = 0, far = 0, met = 0;  // pairs of bodies, of a body and a box, and all bodies that these stand for

  void upward() {
    multipoles.assign(boxes.size(), {});
    for (std::size_t b = boxes.size(); b-- > 0;) {
      const Box& box = boxes[b];
      if (box.leaf()) p2m(bodies.data() + box.begin, bodies.data() + box.end, box.centre, degree, multipoles[b]);
      for (const std::size_t c : box.children) m2m(multipoles[c], box.centre - boxes[c].centre, degree, multipoles[b]);
    }
  }

  double m2p(std::size_t b, Vec x) {
    const Series d = derivatives(x - boxes[b].centre, degree);
    double u = 0;
    for (int t = 0; t < terms(degree); ++t) u += multipoles[b][t] * d[t];
    ++far, met += boxes[b].end - boxes[b].begin;
    return u;
  }

  double p2p(const Box& box, std::size_t target) {
    double u = 0;
    for (std::size_t j = box.begin; j < box.end; ++j)
      if (j != target) u += bodies[j].q / length(bodies[target].at - bodies[j].at);
    near += box.end - box.begin, met += box.end - box.begin;
    return u;
  }

  /// The potential at a target by box b and all boxes below it.
  double walk(std::size_t b, std::size_t target) {
    const Box& box = boxes[b];
    if (box.radius() < theta * length(bodies[target].at - box.centre)) return m2p(b, bodies[target].at);
    if (box.leaf()) return p2p(box, target);
    double u = 0;
    for (const std::size_t c : box.children) u += walk(c, target);
    return u;
  }

  std::vector<double> potentials() {
    upward();
    std::vector<double> u;
    for (std::size_t i = 0; i < bodies.size(); ++i) u.push_back(walk(0, i));
    return u;
  }
};

void times(std::size_t n, std::uint64_t seed) {
  for (const std::size_t size : {n, 2 * n, 4 * n}) {
    Bodies bodies = random_bodies(size, seed);
    const std::vector<Box> boxes = make_tree(bodies, 32);
    Treecode tree{bodies, boxes, 4, 0.5};
    const double time = seconds([&] { tree.potentials(); }), each = 1 / static_cast<double>(size);
    std::printf("  N = %zu: %.1e s; for each body %.1e s, %.0f bodies, %.0f boxes\n", size, time, time * each,
                static_cast<double>(tree.near) * each, static_cast<double>(tree.far) * each);
  }
}

int main(int argc, char** argv) {
  const auto [n, seed, figure] = arguments(argc, argv, 2000);
  Bodies bodies = random_bodies(n, seed);
  const std::vector<Box> boxes = make_tree(bodies, 32);
  const std::vector<double> exact = direct_sum(bodies);
  Chart chart("Treecode: largest relative error", "theta");
  double best = 1, over = 0, missed = 0;
  for (const int p : {0, 2, 4, 6}) {
    std::vector<Point> errors, bounds;
    for (const double theta : {0.3, 0.4, 0.5, 0.6, 0.7}) {
      Treecode tree{bodies, boxes, p, theta};
      const std::vector<double> u = tree.potentials();
      errors.push_back({theta, largest_error(u, exact)});
      bounds.push_back({theta, std::pow(theta, p + 1) * (1 + theta) / (1 - theta)});
      over = std::fmax(over, errors.back().y / bounds.back().y), best = std::fmin(best, relative_error(u, exact));
      missed += std::fabs(static_cast<double>(tree.met) - static_cast<double>(n * n));
    }
    chart.line("degree " + std::to_string(p), errors), chart.bound("", bounds);
  }
  chart.print();
  times(n, seed);
  return judge("bodies that a target missed or met twice", missed, 0) +
         judge("degree 6, theta 0.3, L2", best, 8e-8) +  // with other N and seeds up to 4e-8
         judge("error against step 1 over the bound", over, 1) + chart.write(figure);
}
