// Step 11: the fast multipole method. In the treecode every target asks anew, though its neighbours get nearly the same
// answer. Here a box asks for all its targets: two boxes far apart interact once (m2l), and what a box has received
// goes down to its children (l2l), at last to its bodies (l2p). How many others a box meets does not depend on N: O(N).
//
// Which boxes interact is found by a walk over pairs, from (root, root) on. Two boxes whose radii together are below
// theta times their distance do m2l, two leaves go body by body (p2p); of any other pair the larger box is opened. By
// step 8's bound, the relative error is at most theta^(p+1) (1 + theta) / (1 - theta), as in the treecode.
#include "chart.hpp"
#include "taylor.hpp"
#include "tree.hpp"

using namespace course;

struct Fmm {
  const Bodies& bodies;
  const std::vector<Box>& boxes;
  int degree;
  double theta;
  std::vector<Series> multipoles{}, locals{};
  std::vector<double> u{};
  std::size_t met = 0;  // pairs of bodies that were dealt with

  void p2m(const Box& box, Series& m) {
    for (std::size_t i = box.begin; i < box.end; ++i) {
      const Series p = powers(box.centre - bodies[i].at, degree);
      for (int t = 0; t < terms(degree); ++t) m[t] += bodies[i].q * p[t];
    }
  }

  void m2m(const Series& child, Vec d, Series& parent) {
    for_translation(d, degree, [&](int above, int below, double factor) { parent[above] += factor * child[below]; });
  }
  void l2l(const Series& parent, Vec d, Series& child) {
    for_translation(d, degree, [&](int above, int below, double factor) { child[below] += factor * parent[above]; });
  }

  void m2l(const Series& m, Vec d, Series& l) {
    const Series derivative = derivatives(d, degree);
    for_terms(degree, [&](int i, int j, int k) {
      for_terms(degree - (i + j + k), [&](int a, int b, int c) {
        l[place(i, j, k)] += m[place(a, b, c)] * derivative[place(i + a, j + b, k + c)];
      });
    });
  }

  void l2p(const Series& l, const Box& box) {
    for (std::size_t i = box.begin; i < box.end; ++i) {
      const Series p = powers(bodies[i].at - box.centre, degree);
      for (int t = 0; t < terms(degree); ++t) u[i] += l[t] * p[t];
    }
  }

  void p2p(const Box& targets, const Box& sources) {
    for (std::size_t i = targets.begin; i < targets.end; ++i)
      for (std::size_t j = sources.begin; j < sources.end; ++j)
        if (j != i) u[i] += bodies[j].q / length(bodies[i].at - bodies[j].at);
  }

  /// All that box s does to box t.
  void interact(std::size_t t, std::size_t s) {
    const Box &target = boxes[t], &source = boxes[s];
    const Vec d = target.centre - source.centre;
    const std::size_t pairs = (target.end - target.begin) * (source.end - source.begin);
    if (target.radius() + source.radius() < theta * length(d)) return met += pairs, m2l(multipoles[s], d, locals[t]);
    if (target.leaf() && source.leaf()) return met += pairs, p2p(target, source);
    const bool open_target = source.leaf() || (!target.leaf() && target.half >= source.half);
    for (const std::size_t c : (open_target ? target : source).children) open_target ? interact(c, s) : interact(t, c);
  }

  std::vector<double> potentials() {
    multipoles.assign(boxes.size(), {}), locals = multipoles, u.assign(bodies.size(), 0);
    for (std::size_t b = boxes.size(); b-- > 0;) {  // up: each box after its children
      if (boxes[b].leaf()) p2m(boxes[b], multipoles[b]);
      for (const std::size_t c : boxes[b].children)
        m2m(multipoles[c], boxes[b].centre - boxes[c].centre, multipoles[b]);
    }
    interact(0, 0);
    for (std::size_t b = 0; b < boxes.size(); ++b) {  // down: each box after its parent
      for (const std::size_t c : boxes[b].children) l2l(locals[b], boxes[c].centre - boxes[b].centre, locals[c]);
      if (boxes[b].leaf()) l2p(locals[b], boxes[b]);
    }
    return u;
  }
};

void times(std::size_t n, std::uint64_t seed) {
  for (const std::size_t size : {n, 2 * n, 4 * n}) {
    Bodies bodies = random_bodies(size, seed);
    const std::vector<Box> boxes = make_tree(bodies, 32);
    Fmm fmm{bodies, boxes, 4, 0.6};
    const double time = seconds([&] { fmm.potentials(); }), slow = 100 * seconds([&] { direct_sum(bodies, 100); });
    std::printf("  N = %zu: %.1e s, for each body %.1e s; step 1: %.1e s\n", size, time, time / double(size), slow);
  }
}

int main(int argc, char** argv) {
  const auto [n, seed, figure] = arguments(argc, argv, 2000);
  Bodies bodies = random_bodies(n, seed);
  const std::vector<Box> boxes = make_tree(bodies, 32);
  const std::vector<double> exact = direct_sum(bodies);
  Chart chart("FMM: largest relative error", "degree");
  double best = 1, over = 0, missed = 0;
  for (const double theta : {0.6, 0.4}) {
    std::vector<Point> errors, bounds;
    for (int p = 0; p <= 8; ++p) {
      Fmm fmm{bodies, boxes, p, theta};
      errors.push_back({double(p), largest_error(fmm.potentials(), exact)});
      bounds.push_back({double(p), std::pow(theta, p + 1) * (1 + theta) / (1 - theta)});
      missed += std::fabs(double(fmm.met) - double(n * n));
      over = std::fmax(over, errors[p].y / bounds[p].y), best = std::fmin(best, relative_error(fmm.u, exact));
    }
    chart.line("theta " + std::to_string(theta).substr(0, 3), errors), chart.bound("", bounds);
  }
  chart.print();
  times(n, seed);
  return judge("pairs of bodies missed or met twice", missed, 0) +
         judge("degree 8, theta 0.4, L2", best, 1e-8) +  // with other N and seeds up to 4e-9
         judge("error against step 1 over the bound", over, 1) + chart.write(figure);
}
